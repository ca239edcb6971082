import { expect, test } from 'vitest';
import { movesOf } from './body.js';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const shownMoves = (moves: ReturnType<typeof movesOf>) =>
  moves.map((move) => ('bytes' in move ? text(move.bytes) : move));

test('without cuts each write stands as it is, repeats too', () => {
  expect(shownMoves(movesOf([{ write: 'ab' }, { wait: 5 }, { write: 'c', repeat: 2 }]))).toEqual([
    'ab',
    { wait: 5 },
    'c',
    'c',
  ]);
});

test('cuts divide the joined body; waits and the end stay at their byte', () => {
  const steps = [{ write: 'ab' }, { wait: 5 }, { write_base64: 'Y2Q=' }, { end: 'fin' as const }];
  expect(shownMoves(movesOf(steps, []))).toEqual(['ab', { wait: 5 }, 'cd', { end: 'fin' }]);
  expect(shownMoves(movesOf(steps, [3, 1, 3, 0, 99]))).toEqual(['a', 'b', { wait: 5 }, 'c', 'd', { end: 'fin' }]);
});

test('a scale takes that share of repeated writes', () => {
  expect(shownMoves(movesOf([{ write: 'a', repeat: 8 }], undefined, 0.25))).toEqual(['a', 'a']);
});
