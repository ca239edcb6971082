import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environmentOf } from '../../../emulator/cli/exec.js';
import type { DisturbanceName } from '../../../emulator/contract/disturbance.js';
import { folderOfFile } from '../../../test/folders.js';
import { systemHost } from '../../probe/time.js';
import { explore } from '../explore.js';
import { openRejections } from '../rejections.js';
import { loadedOnce, runOnce } from '../run.js';
import type { ExploreOptions } from '../types.js';
import { outcomeText } from '../words.js';
import { openCommand } from './command.js';

const folder = folderOfFile('explore time ');

/** A script that sends one prompt by `ask`, which gives the text of the answer. */
function scriptOf(ask: string) {
  const file = join(folder, `${systemHost.tag(8)}.mjs`);
  writeFileSync(
    file,
    `import http from 'node:http';
import vm from 'node:vm';
import { setTimeout as sleep } from 'node:timers/promises';
const { INTERN_BASE_URL: base, INTERN_INTERN_ID: id, INTERN_API_KEY: key } = process.env;
const url = base + '/interns/' + id + '/chat/completions';
const init = {
  method: 'POST',
  headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
  body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] }),
};
const [began, started, ticked] = [Date.now(), performance.now(), process.hrtime.bigint()];
try {
  const text = await (${ask})();
  if (!text.includes('[DONE]')) throw new Error('it was cut');
} catch (error) {
  const ages = [Date.now() - began, performance.now() - started, Number(process.hrtime.bigint() - ticked) / 1e6];
  throw new Error('gave up after ' + ages.map((age) => Math.floor(age / 10_000) + '0 s').join(', '));
}`,
  );
  return openCommand([process.execPath, file], { env: process.env, folder, environmentOf });
}

async function explored(ask: string, options: ExploreOptions) {
  const command = await scriptOf(ask);
  try {
    return await explore(command.program, options);
  } finally {
    command.close();
  }
}

/** The end of one run of the script whose prompt meets a disturbance. */
async function ended(ask: string, disturb: DisturbanceName = 'stall'): Promise<string> {
  const command = await scriptOf(ask);
  const rejections = openRejections();
  try {
    const { seen } = await runOnce(
      command.program,
      { name: disturb, faults: [{ operation: 'chat', disturb }] },
      {
        host: systemHost,
        rejections,
        emulator: {},
        factories: loadedOnce(),
        seed: 'time',
        patience: undefined,
        runTimeout: 120_000,
        rests: true,
        signal: new AbortController().signal,
      },
    );
    return outcomeText(seen.outcome);
  } finally {
    rejections.close();
    command.close();
  }
}

const LIMITS: readonly (readonly [string, string])[] = [
  ['AbortSignal.timeout', `async () => (await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) })).text()`],
  [
    'a timer, with what is passed on to it',
    `() => new Promise((resolve, reject) => {
      const limit = setTimeout((why) => reject(new Error(why)), 60_000, 'late');
      setTimeout(() => {}, 5_000).refresh();
      fetch(url, init).then((response) => response.text()).then(resolve, reject).finally(() => clearTimeout(limit));
    })`,
  ],
  [
    'the limit of a socket',
    `() => new Promise((resolve, reject) => {
      const request = http.request(url, { ...init, timeout: 60_000 }, (response) => {
        let text = '';
        response.on('data', (more) => { text += more; }).on('end', () => resolve(text));
      });
      request.on('timeout', () => request.destroy(new Error('late'))).on('error', reject).end(init.body);
    })`,
  ],
  [
    'a date in a realm of its own, looked at again and again',
    `async () => {
      const over = new AbortController();
      const answer = fetch(url, { ...init, signal: over.signal }).then((response) => response.text());
      answer.catch(() => {});
      const { Date: Own } = vm.runInContext('({ Date })', vm.createContext({}));
      const until = Own.now() + 60_000;
      while (new Own().getTime() < until) {
        const done = await Promise.race([answer, sleep(1_000)]);
        if (done !== undefined) return done;
      }
      over.abort();
      return answer;
    }`,
  ],
];

test.each(LIMITS)('a limit of a minute takes no minute, and is no hang: %s', async (_, ask) => {
  expect(await ended(ask)).toMatch(/^failed: .*gave up after 60 s, 60 s, 60 s/);
});

test('what has no limit waits for five minutes of its own time', async () => {
  expect(await ended(`async () => (await fetch(url, init)).text()`)).toBe(
    'did not end: it waits for the chat request no. 1, for 5 minutes of its own time',
  );
});

/** Makes an intern, and asks for its status until it runs. */
const booted = (limit: number) => `async () => {
  const name = 'booted-x' + Math.random().toString(36).slice(2, 8);
  const body = JSON.stringify({ name, workspace_id: process.env.INTERN_WORKSPACE_ID, provision: true });
  const { id } = await (await fetch(base + '/interns', { ...init, body })).json();
  for (const began = Date.now(); Date.now() < began + ${limit}; await sleep(500)) {
    const { status } = await (await fetch(base + '/interns/' + id, { headers: init.headers })).json();
    if (status === 'running') return '[DONE]';
  }
  throw new Error('it does not run');
}`;

test('one that asks again and again has as long as its own limit is, in its own time', async () => {
  const { findings, surfaced } = await explored(booted(180_000), { only: 'boot-fails' });
  expect(findings.map(({ sentence }) => sentence)).toEqual([]);
  expect(surfaced.map(({ message }) => message)).toEqual([expect.stringMatching(/gave up after 1[89]0 s/)]);
});

test('one that asks for ever does not settle', async () => {
  const { findings } = await explored(booted(Number.MAX_SAFE_INTEGER), { only: 'boot-fails' });
  expect(findings.map(({ law, message }) => `${law}: ${message}`)).toEqual([
    expect.stringMatching(
      /^settles: it did not end: its last was the get request no\. \d+, which had ended, for 5 minutes of its own time$/,
    ),
  ]);
});

test('a wait that was asked for takes no time either, and is as long as it should be', async () => {
  const patient = `async () => {
    const first = await fetch(url, init);
    if (first.status === 200) return first.text();
    await sleep(1_000 * Number(first.headers.get('retry-after')));
    return (await fetch(url, init)).text();
  }`;
  const { findings, counts } = await explored(patient, { only: 'rate-limited' });
  expect(findings.map(({ sentence }) => sentence)).toEqual([]);
  expect(counts.survived).toBe(1);
});

test.each([
  ['fails there', 'reject'],
  ['is served by the other', 'resolve'],
])('runs whose program listens on one port go one by one, where a second one %s', async (_, taken) => {
  const port = 20_000 + (process.pid % 10_000);
  const backend = `async () => {
    const server = http.createServer(async (_, response) => {
      try { response.end(await (await fetch(url, init)).text()); } catch { response.writeHead(502).end(); }
    }).listen(${port}, '127.0.0.1');
    await new Promise((resolve, reject) => server.on('listening', resolve).on('error', ${taken}));
    await sleep(200);
    try { return await (await fetch('http://127.0.0.1:${port}')).text(); } finally { server.close(); }
  }`;
  const { warnings, counts, findings } = await explored(backend, { only: ['unknown-headers', 'unavailable'], jobs: 4 });
  expect(warnings).toEqual([
    expect.stringMatching(/^two undisturbed runs at once are in each other's way .* runs went one by one/),
  ]);
  expect(findings.map(({ sentence }) => sentence)).toEqual([]);
  expect(counts).toMatchObject({ survived: 1, notReached: 0 });
});

test('the time of a program that works is left alone', async () => {
  const busy = `async () => {
    const answer = fetch(url, { ...init, signal: AbortSignal.timeout(60_000) }).then((response) => response.text());
    answer.catch(() => {});
    const until = Date.now() + 2_000;
    while (Date.now() < until) { for (let at = 0; at < 1e7; at++); await sleep(1); }
    if (Date.now() > until + 5_000) return '[DONE]';
    return answer;
  }`;
  expect(await ended(busy)).toMatch(/^failed: .*gave up after 60 s/);
});

test('a promise that never settles, where nothing is left that could settle it, is a hang', async () => {
  const stuck = `async () => {
    const response = await fetch(url, init).catch(() => new Promise(() => {}));
    return response.text();
  }`;
  expect(await ended(stuck, 'reset')).toBe('did not end: a promise that never settles was all that was left of it');
});

/** The end of a test of node:test whose limit is 3 s. */
const inTest = (ask: string, disturb: DisturbanceName) =>
  ended(
    `async () => {
      const { test } = await import('node:test');
      await test('asks', { timeout: 3_000 }, ${ask});
      return '[DONE]';
    }`,
    disturb,
  );
const SIGNAL = '{ ...init, signal: AbortSignal.timeout(120_000) }';

test.each([
  ['its client has a limit of its own', `async () => (await fetch(url, ${SIGNAL})).text()`, 'stall', 'timeout'],
  [
    'it tries again after 8 s',
    `async () => {
      const response = await fetch(url, ${SIGNAL}).catch(() => undefined);
      if (response?.ok) return response.text();
      await sleep(8_000);
      const again = await fetch(base + '/interns', { headers: init.headers });
      throw new Error('gave up after ' + again.status);
    }`,
    'refused',
    'gave up after 200',
  ],
  [
    'it waits for another service',
    `async () => {
      const response = await fetch(url, ${SIGNAL}).catch(() => undefined);
      if (response?.ok) return response.text();
      const other = http.createServer(() => {}).listen(0);
      await new Promise((resolve) => other.on('listening', resolve));
      setTimeout(() => other.close() && other.closeAllConnections(), 6_000).unref();
      await fetch('http://127.0.0.1:' + other.address().port).catch(() => {});
    }`,
    'refused',
    'test timed out after 3000ms',
  ],
] as const)('the limit of a test is no hang of the program: %s', async (_, ask, disturb, message) => {
  expect(await inTest(ask, disturb)).toMatch(new RegExp(`^failed: .*${message}`));
});

test.each([
  ['no limit', 'async () => (await fetch(url, init)).text()', 'stall', 'it waits for the chat request no. 1, for 5 m'],
  [
    'nothing that will come',
    `async () => (await fetch(url, ${SIGNAL}).catch(() => new Promise(() => {}))).text()`,
    'refused',
    'a promise that never settles was all that was left of it',
  ],
] as const)('a hang within a test is one, whatever limit the test has: %s', async (_, ask, disturb, message) => {
  expect(await inTest(ask, disturb)).toContain(`did not end: ${message}`);
});
