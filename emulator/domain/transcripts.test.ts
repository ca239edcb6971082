import { expect, test } from 'vitest';
import { createTranscripts } from './transcripts.js';

const setUp = () => {
  let seq = 0;
  let now = 0;
  const transcripts = createTranscripts(
    { now: () => now++ },
    (count) => {
      seq += count;
      return seq - count + 1;
    },
    (text) => text.replace('secret', '[redacted]'),
  );
  return transcripts;
};

test('lines have numbers, times and places, and no credential', () => {
  const transcripts = setUp();
  transcripts.note('run', { type: 'prompt', text: 'a secret' });
  transcripts.note('run', { type: 'content', texts: ['no secret'] });
  transcripts.note('run', { type: 'end', ended: 'stop', usage: null });
  expect(transcripts.of('run')).toEqual({
    lines: [
      { n: 0, at: '1970-01-01T00:00:00.000Z', type: 'prompt', text: 'a [redacted]' },
      { n: 1, at: '1970-01-01T00:00:00.001Z', type: 'content', text: 'no [redacted]' },
      { n: 2, at: '1970-01-01T00:00:00.002Z', type: 'end', ended: 'stop', usage: null },
    ],
    cut: false,
  });
  const [last, ...others] = transcripts.since(2, 9);
  expect([last?.runId, last?.seq, last?.line().n, others]).toEqual(['run', 3, 2, []]);
  expect(transcripts.since(0, 2).map(({ seq }) => seq)).toEqual([1, 2]);
  expect(transcripts.line('run', 1)).toMatchObject({ seq: 2, line: { n: 1, text: 'no [redacted]' } });
  expect([transcripts.line('run', 3), transcripts.line('other', 0)]).toEqual([undefined, undefined]);
});

test('a long transcript loses its beginning and keeps its numbers; an observer gets each number', () => {
  const transcripts = setUp();
  const reported: number[] = [];
  transcripts.observe((_, first) => reported.push(first));
  transcripts.note('run', { type: 'prompt', text: 'go' });
  for (let n = 1; n <= 100; n++) transcripts.note('run', { type: 'content', texts: [`${n}`.padEnd(2_000)] });
  const { lines, cut } = transcripts.of('run') ?? { lines: [], cut: false };
  expect(cut).toBe(true);
  expect(lines.length).toBeLessThan(100);
  expect(lines.map(({ n }) => n)).toEqual(lines.map((_, index) => 101 - lines.length + index));
  expect(lines.at(-1)).toMatchObject({ n: 100, type: 'content', text: '100'.padEnd(2_000) });
  expect([reported.length, reported.at(-1), transcripts.line('run', 0)]).toEqual([101, 100, undefined]);
});

test('texts that were said together are a line each, with a place each', () => {
  const transcripts = setUp();
  const reported: [number, number][] = [];
  transcripts.observe((_, first, count) => reported.push([first, count]));
  transcripts.note('run', { type: 'prompt', text: 'go' });
  transcripts.note('run', { type: 'content', texts: ['a', 'a secret', 'c'] });
  transcripts.note('run', { type: 'end', ended: 'stop', usage: null });
  const at = '1970-01-01T00:00:00.001Z';
  expect(transcripts.of('run')?.lines.slice(1, 4)).toEqual([
    { n: 1, at, type: 'content', text: 'a' },
    { n: 2, at, type: 'content', text: 'a [redacted]' },
    { n: 3, at, type: 'content', text: 'c' },
  ]);
  expect(transcripts.since(2, 9).map(({ seq, line }) => [seq, line().n])).toEqual([
    [3, 2],
    [4, 3],
    [5, 4],
  ]);
  expect(transcripts.since(2, 4).map(({ seq }) => seq)).toEqual([3, 4]);
  expect([1, 3, 4, 5].map((n) => transcripts.line('run', n)?.seq)).toEqual([2, 4, 5, undefined]);
  expect(reported).toEqual([
    [0, 1],
    [1, 3],
    [4, 1],
  ]);
});
