import { expect, onTestFinished, test } from 'vitest';
import { HELD_CREDENTIALS } from '../probe/request.js';
import { REPORTERS } from '../report/index.js';
import { run } from '../run.js';
import { checks as allChecks } from '../scenarios/index.js';
import { createEmulatorDriver, newEmulator } from './emulator.js';
import { createVirtualHost } from './virtual-host.js';

/** Scripts that nothing says an emulator ships, though ours does. */
const UNNAMED = /script: (says-nothing|ask-permission-twice|ask-then-silent)\b/;

/** An emulator by others: without those scripts, and taking those of callers, or none. */
async function byOthers(takes: boolean) {
  const emulator = await newEmulator({ clock: 'virtual', log: () => {} });
  onTestFinished(() => emulator.close());
  const puts: string[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const script = /\/scripts\/(.+)$/.exec(pathname)?.[1];
    if (script !== undefined && UNNAMED.test(`script: ${script}`)) return Response.json({}, { status: 404 });
    if (script !== undefined && request.method !== 'GET') puts.push(`${request.method} ${script}`);
    if (script !== undefined && request.method === 'PUT' && !takes) return Response.json({}, { status: 400 });
    if (request.method === 'POST' && UNNAMED.test(await request.clone().text()))
      return Response.json({ error: { code: 400, message: 'Unknown script' } }, { status: 400 });
    return emulator.fetch(request);
  };
  const { host } = createVirtualHost(emulator.clock, 'others', emulator.clock.now());
  const driver = createEmulatorDriver({
    descriptor: { ...emulator.target },
    fetch,
    daemonFetch: (request) => emulator.daemon.fetch(request),
    host,
    tag: 'others',
    remote: false,
  });
  const checks = allChecks.filter(({ needs }) =>
    needs.some((need) => UNNAMED.test(need.replace('behaviour:', 'script: '))),
  );
  return { puts, results: await run({ driver, host, checks, seed: 'others', rate: 0 }) };
}

test('an emulator without scripts that are nowhere named is given those of the kit, under names of its own', async () => {
  const { puts, results } = await byOthers(true);
  expect(results.checks.length).toBeGreaterThanOrEqual(4);
  expect(results.checks.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  const put = puts.filter((one) => one.startsWith('PUT')).map((one) => one.slice(4));
  for (const name of ['says-nothing', 'ask-permission-twice', 'ask-then-silent']) {
    expect(put).toContain(`kit-others-${name}`);
    expect(puts).toContain(`DELETE kit-others-${name}`);
  }
});

test('where it refuses them, what needs them is skipped for that', async () => {
  const { results } = await byOthers(false);
  expect(new Set(results.checks.map(({ verdict }) => verdict))).toEqual(new Set(['skip']));
  expect(REPORTERS.tty(results)).toContain('the emulator has no such scripts, and refuses those of the kit');
});

test('every credential that an emulator gives is held, so that no report shows it', async () => {
  const emulator = await newEmulator({ clock: 'virtual', log: () => {} });
  onTestFinished(() => emulator.close());
  const { intern: _, ...given } = emulator.target.credentials;
  expect([...HELD_CREDENTIALS]).toEqual(expect.arrayContaining(Object.keys(given)));
});
