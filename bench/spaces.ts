// The cost of a space: time and memory, what is left once they end, GET beside 500 others at work, and restoring a
// snapshot. Of the built package, in process except for the GETs. Run it with --expose-gc.
import { createEmulator } from '../dist/emulator/index.js';
import { median, percentile, report, startCommand } from './lib.js';

if (!globalThis.gc) throw new Error('run it with node --expose-gc');
const gc = globalThis.gc;
const heap = async () => {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    gc();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

const made: number[] = [];
for (let round = 0; round < 201; round++) {
  const begun = performance.now();
  const emulator = createEmulator({ clock: 'virtual' });
  made.push(performance.now() - begun);
  await emulator.close();
}
const after = median(made.slice(1));
report('createEmulator after the first', `${after.toFixed(2)} ms`, '≤ 1 ms', after <= 1);

const host = createEmulator({ clock: 'virtual' });
await host.listen({ port: 0 });
interface Made {
  name: string;
  target: { base_url: string; control_url: string; workspace_id: string; credentials: { api_key: string } };
}
const call = (url: string, method = 'GET', body?: object, key?: string) =>
  host.fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
const space = async (): Promise<Made> => (await (await call('/_emulator/spaces', 'POST', {})).json()) as Made;
const end = (name: string) => call(`/_emulator/spaces/${name}`, 'DELETE');

const work = async ({ target }: Made) => {
  const { base_url, workspace_id, credentials } = target;
  await (await call(`${base_url}/interns`, 'POST', { name: 'one', workspace_id }, credentials.api_key)).text();
  await (await call(`${base_url}/interns`, 'GET', undefined, credentials.api_key)).text();
};
for (let round = 0; round < 100; round++) {
  const one = await space();
  await work(one);
  await end(one.name);
}

const before = await heap();
const spaces: Made[] = [];
const took: number[] = [];
for (let round = 0; round < 500; round++) {
  const begun = performance.now();
  spaces.push(await space());
  took.push(performance.now() - begun);
}
const each = ((await heap()) - before) / spaces.length / 1024;
report('a space', `${median(took).toFixed(2)} ms`, '≤ 3 ms', median(took) <= 3);
report('memory of a space', `${each.toFixed(0)} KB`, '≤ 300 KB', each <= 300);

/** Times of making spaces one after another over HTTP, at an emulator in a process of its own. */
const fromOutside = async () => {
  const { hello, stop } = await startCommand(['--port', '0', '--daemon-port', '0', '--quiet'], 'ignore');
  const times: number[] = [];
  for (let round = 0; round < 500; round++) {
    const begun = performance.now();
    const answer = await fetch(`${hello.control_url}/spaces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    await answer.text();
    times.push(performance.now() - begun);
    if (answer.status !== 201) throw new Error(`a space was answered ${answer.status}`);
  }
  await stop();
  return median(times.slice(100));
};
const outside = await fromOutside();
report('a space, made over HTTP', `${outside.toFixed(2)} ms`, '≤ 3 ms', outside <= 3);

/** Times of GETs in one space over HTTP, one after another, beside `others` that are asked in between. */
const gets = async (one: Made, others: readonly Made[]) => {
  const get = async ({ target }: Made) => {
    const headers = { authorization: `Bearer ${target.credentials.api_key}` };
    await (await fetch(`${target.base_url}/interns`, { headers })).text();
  };
  const times: number[] = [];
  for (let round = 0; round < 2_000; round++) {
    const other = others[round % Math.max(1, others.length)];
    if (other) await get(other);
    const begun = performance.now();
    await get(one);
    times.push(performance.now() - begun);
  }
  return percentile(times, 0.99);
};
const [first, ...rest] = spaces;
if (!first) throw new Error('no space was made');
await gets(first, []);
const alone = await gets(first, []);
for (const one of spaces) await work(one);
await gets(first, rest);
const crowded = await gets(first, rest);
report(
  'p99 of GET, 500 spaces at work',
  `${crowded.toFixed(2)} ms, alone ${alone.toFixed(2)} ms`,
  '≤ 3 ×',
  crowded <= 3 * alone,
);
for (const { name } of spaces.splice(0)) await end(name);

const empty = await heap();
for (let round = 0; round < 1_000; round++) {
  const one = await space();
  await work(one);
  await end(one.name);
}
const left = ((await heap()) - empty) / 1024;
report('left of 1,000 spaces that were made and ended', `${left.toFixed(0)} KB`, '≤ 1,000 KB', left <= 1_000);

const { base_url, workspace_id, credentials } = host.target;
for (let number = 0; number < 99; number++)
  await call(`${base_url}/interns`, 'POST', { name: `intern-${number}`, workspace_id }, credentials.api_key);
await call('/_emulator/snapshots/here', 'PUT');
const restored: number[] = [];
for (let round = 0; round < 100; round++) {
  await call(`${base_url}/interns`, 'POST', { name: `more-${round}`, workspace_id }, credentials.api_key);
  const begun = performance.now();
  await call('/_emulator/snapshots/here/restore', 'POST');
  restored.push(performance.now() - begun);
}
report('restore at 100 interns', `${median(restored).toFixed(2)} ms`, '≤ 5 ms', median(restored) <= 5);

await host.close();
