import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEmulator } from '../emulator.js';
import type { EmulatorOptions } from '../options/options.js';

let printed: string[] = [];
beforeEach(() => {
  printed = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
});
afterEach(() => vi.restoreAllMocks());

/** The lines that an emulator prints while it refuses `paths` in process. */
async function refusing(options: EmulatorOptions, paths: readonly string[]) {
  const emulator = createEmulator({ clock: 'virtual', ...options });
  const headers = { authorization: `Bearer ${emulator.target.credentials.api_key}` };
  for (const path of paths) await emulator.fetch(`/api/v1${path}`, { headers });
  await emulator.close();
  return printed;
}

test('in process, a refused request prints one line with what was wrong, each once', async () => {
  const secret = 'emu-key-alice-0000000000000000';
  expect(await refusing({}, ['/interns', '/interns?limit=x', '/interns?limit=x', `/${secret}`])).toEqual([
    'intern-emulator: GET /api/v1/interns?limit=x was refused with 400: limit: expected 1 to 500\n',
    'intern-emulator: GET /api/v1/[redacted] was refused with 404: no such path; the interface is below /api/v1\n',
  ]);
});

test('in process, refusals are not reported with an observer of its own, with `quiet`, and without end', async () => {
  const wrong = ['/interns?limit=x'];
  expect(await refusing({ quiet: true }, wrong)).toEqual([]);
  expect(await refusing({ log: () => {} }, wrong)).toEqual([]);
  expect(await refusing({ onRequest: () => {} }, wrong)).toEqual([]);
  expect(await refusing({ chaos: [{ operation: 'list', status: 500 }] }, ['/interns'])).toEqual([]);
  const lines = await refusing(
    {},
    Array.from({ length: 30 }, (_, n) => `/interns?limit=x${n}`),
  );
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toContain('GET /_emulator/journal?status=4xx lists them');
});
