import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyOf, createClient } from '../../test/requests/drawn.js';
import { runs } from '../../test/same-draws.js';
import { createEmulator } from '../index.js';
import { loadSigningKey } from '../signing/keys.js';
import type { SpaceView } from './spaces.js';

/** The parts that differ by place: prefixes, and the end of a daemon token, which names its space. */
const placeless = (answer: string) =>
  answer.replace(/\/spaces\/(one|other)/g, '').replace(/(emu-dtok-[\w-]{24})[\w-]{8}/g, '$1');

test('two spaces answer any interleaving of requests as two emulators would', async () => {
  const step = fc.record({ who: fc.constantFrom('one' as const, 'other' as const), request: anyOf(true) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 16 }), async (steps) => {
      const host = createEmulator({ clock: 'virtual' });
      // The name of a space goes into its key, whatever its seed.
      const beside = (name: string, seed: string) =>
        createEmulator({
          clock: 'virtual',
          seed,
          signingKey: loadSigningKey({ seed: `${seed}\n/spaces/${name}` }).pem,
        });
      const alone = { one: beside('one', 'a'), other: beside('other', 'b') };
      const make = async (name: string, seed: string) => {
        const made = await host.fetch('/_emulator/spaces', { method: 'POST', body: JSON.stringify({ name, seed }) });
        return createClient(host, ((await made.json()) as SpaceView).target);
      };
      const inSpace = { one: await make('one', 'a'), other: await make('other', 'b') };
      const apart = { one: createClient(alone.one), other: createClient(alone.other) };
      try {
        for (const { who, request } of steps)
          expect(placeless(await inSpace[who](request))).toBe(placeless(await apart[who](request)));
      } finally {
        await Promise.all([host, alone.one, alone.other].map((emulator) => emulator.close()));
      }
    }),
    { numRuns: runs(60) },
  );
});
