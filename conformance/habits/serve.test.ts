import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Serve } from '../../emulator/wire/serve.js';
import { type Deployed, deploy } from '../../test/targets/deployment.js';
import { HABITS } from './index.js';

/** Answers that say: again later. A service may give them to any request. */
const LATER = new Set([429, 502, 503, 504]);

/** Asks a service with the habit as a patient client does. */
function service({ driver, host, setting }: Deployed, serve: Serve | undefined) {
  const fetch = serve?.(async (request) => driver.fetch(request), setting) ?? driver.fetch;
  const key = driver.credential('api_key');
  const ask = async (method: string, path: string, { body, as = key }: { body?: object; as?: string | null } = {}) => {
    for (let tries = 1; ; tries++) {
      const headers = {
        'content-type': 'application/json',
        ...(typeof as === 'string' ? { authorization: `Bearer ${as}` } : {}),
      };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const answer = await fetch(new Request(`${driver.target.baseUrl}${path}`, init));
      const text = await answer.text();
      if (!LATER.has(answer.status) || tries > 20) return { status: answer.status, json: JSON.parse(text || '{}') };
      await host.sleep(1_000);
    }
  };
  /** Asks until it holds: replicas, boots and teardowns take their time. */
  const until = async (path: string, holds: (answer: Awaited<ReturnType<typeof ask>>) => boolean) => {
    for (let looks = 0; ; looks++) {
      const answer = await ask('GET', path);
      if (holds(answer) || looks > 30) return answer;
      await host.sleep(1_000);
    }
  };
  return { ask, until };
}

let deployed: Deployed;
beforeAll(async () => {
  deployed = await deploy({ name: 'plain', obeys: 1 }, 'serve');
});
afterAll(() => deployed.close());

const SERVED = HABITS.filter(({ serve }) => serve !== undefined);

test.each(SERVED)('a service that $what answers as the interface says', async ({ id, serve }) => {
  const { ask, until } = service(deployed, serve);
  const unknown = '/interns/00000000-0000-4000-8000-0000000000ff';
  for (const [refused, status] of [
    [await ask('GET', '/interns', { as: null }), 401],
    [await ask('GET', unknown), 404],
  ] as const)
    expect(refused).toMatchObject({ status, json: { error: { code: status, message: expect.any(String) } } });

  const name = `a-${id.slice(0, 14)}x`;
  const workspace_id = deployed.driver.target.workspaceId;
  const made = await ask('POST', '/interns', { body: { name, workspace_id } });
  expect([made.status < 300, made.json]).toMatchObject([true, { id: expect.any(String), name }]);
  const path = `/interns/${made.json.id}`;
  const intern = { id: made.json.id, name };
  expect(await until(path, ({ status }) => status === 200)).toMatchObject({ status: 200, json: intern });
  const { json } = await until('/interns', (list) => JSON.stringify(list.json).includes(intern.id));
  expect(json.data).toContainEqual(expect.objectContaining(intern));

  expect((await ask('DELETE', path)).status).toBeLessThan(300);
  expect(await until(path, ({ status }) => status === 404)).toMatchObject({ status: 404 });
});

test('who tidies up deletes an old intern, whatever request passes', async () => {
  const { ask, until } = service(deployed, HABITS.find(({ id }) => id === 'tidied-up')?.serve);
  const workspace_id = deployed.driver.target.workspaceId;
  const { json } = await ask('POST', '/interns', { body: { name: 'a-tidied', workspace_id } });
  await deployed.host.sleep(16_000);
  await ask('GET', '/vault/nowhere');
  expect(await until(`/interns/${json.id}`, ({ status }) => status === 404)).toMatchObject({ status: 404 });
});
