import { expect, test } from 'vitest';
import { lacking } from '../model/skip.js';
import type { Transcript } from '../probe/chunks.js';
import type { Ctx } from '../run/context.js';
import { nothingElse } from './keepalive.js';

const assume: Ctx['assume'] = (holds, need, note, got) => {
  if (!holds) throw lacking({ kind: 'met', need: String(need), ...(note === undefined ? {} : { note }), got });
};
const said = (...items: readonly (readonly [at: number, comment?: string])[]) =>
  ({
    items: items.map(([at, text]) => (text === undefined ? { kind: 'event', at } : { kind: 'comment', at, text })),
  }) as unknown as Transcript;

test('a comment of the service itself, before a keepalive is due, leaves nothing to look at', () => {
  expect(() => nothingElse({ assume }, said([0], [10_000, 'ping'], [20_000, 'ping']))).toThrow(/"got":"ping"/);
});

test.each([
  ['keepalives alone', said([0], [30_000, 'keepalive'], [60_000, 'keepalive'])],
  ['another comment in the place of a keepalive', said([0], [30_000, 'ping'], [60_000, 'ping'])],
])('%s are looked at', (_, transcript) => {
  expect(() => nothingElse({ assume }, transcript)).not.toThrow();
});
