import { expect, test } from 'vitest';
import { lacking } from '../framework/skip.js';
import type { Transcript } from '../probe/chunks.js';
import { nothingElse } from './keepalive.js';

const unmet = (need: string, note: string | undefined, got?: unknown): never => {
  throw lacking({ kind: 'met', need, ...(note === undefined ? {} : { note }), got });
};
const said = (...items: readonly (readonly [at: number, comment?: string])[]) =>
  ({
    items: items.map(([at, text]) => (text === undefined ? { kind: 'event', at } : { kind: 'comment', at, text })),
  }) as unknown as Transcript;

test('a comment of the deployment itself, before a keepalive is due, leaves nothing to look at', () => {
  expect(() => nothingElse({ unmet }, said([0], [10_000, 'ping'], [20_000, 'ping']))).toThrow(/"got":"ping"/);
});

test.each([
  ['keepalives alone', said([0], [30_000, 'keepalive'], [60_000, 'keepalive'])],
  ['another comment in the place of a keepalive', said([0], [30_000, 'ping'], [60_000, 'ping'])],
])('%s are looked at', (_, transcript) => {
  expect(() => nothingElse({ unmet }, transcript)).not.toThrow();
});
