// 50 tests at once against one emulator, each in a space of its own.
//
//     npx intern-emulator exec -- node --test examples/parallel/interns.test.mjs
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

const { INTERN_CONTROL_URL: control, INTERN_CONTROL_TOKEN: token } = process.env;

async function call(method, url, body, key = token) {
  const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  assert.ok(response.ok, `${method} ${url}: ${response.status}`);
  const type = response.headers.get('content-type');
  return type?.includes('json') ? response.json() : response.text();
}

/** Runs a test in a space of its own. */
const inSpace = (body) => async () => {
  const { name, target } = await call('POST', `${control}/spaces`, { clock: 'virtual' });
  try {
    await body(target);
  } finally {
    await call('DELETE', `${control}/spaces/${name}`);
  }
};

describe('in spaces', { concurrency: true }, () => {
  for (let number = 0; number < 50; number++) {
    test(
      `test ${number} is alone in its space`,
      inSpace(async ({ base_url: base, control_url: own, workspace_id, credentials: { api_key: key } }) => {
        // The same name in every test, and a clock that each moves by another time: no space sees another's.
        const created = await call('POST', `${base}/interns`, { name: 'mine', workspace_id, provision: true }, key);
        assert.equal(created.status, 'queued');
        const { now } = await call('POST', `${own}/clock`, { advance: 2_000 + number });
        assert.equal(now, `2026-01-01T00:00:02.${String(number).padStart(3, '0')}Z`);
        const { status } = await call('GET', `${base}/interns/${created.id}`, undefined, key);
        assert.equal(status, 'running');
        assert.equal((await call('GET', `${base}/interns`, undefined, key)).data.length, 2);
        const messages = [{ role: 'user', content: `test ${number}` }];
        const said = await call(
          'POST',
          `${base}/interns/${created.id}/chat/completions`,
          { stream: true, messages },
          key,
        );
        assert.match(said, new RegExp(`test ${number}\\b[^]*data: \\[DONE\\]\\n\\n$`));
      }),
    );
  }
});
