import { expect, test } from 'vitest';
import type { RecordedExchange } from '../../emulator/recording/format.js';
import type { PlacedExchange } from '../../emulator/recording/read.js';
import { scheduleOf } from './schedule.js';

const chat = (n: number, at: number, more: Partial<RecordedExchange> = {}): RecordedExchange => ({
  format: 1,
  n,
  scenario: null,
  at,
  operation: 'chat',
  request: { method: 'POST', path: '/api/v1/interns/$intern.1/chat/completions', headers: {} },
  status: 409,
  headers: {},
  ended: 'complete',
  ...more,
});
const stream = (n: number, at: number, ...times: number[]) =>
  chat(n, at, { status: 200, writes: times.map((time) => ({ at: time, text: 'data: {}\n\n' })) });

/** In the order in which their answers ended; requests in the order of `n`. */
const scheduled = (...lines: RecordedExchange[]) => {
  const placed = lines.map((exchange, index): PlacedExchange => ({ exchange, file: 'r.jsonl', line: index + 1 }));
  const schedule = scheduleOf([...placed].sort((a, b) => a.exchange.n - b.exchange.n));
  return {
    ...schedule,
    sent: lines.map((one) => schedule.sentAt(one)),
    said: lines.map((one) => schedule.saidAt(one)),
  };
};

test('a stream that nothing came during says all at once', () => {
  const { sent, said } = scheduled(stream(1, 10.5, 0, 500), chat(2, 700));
  expect(sent).toEqual([10, 700]);
  expect(said).toEqual([undefined, undefined]);
});

test('one that a request came during keeps its gaps', () => {
  const { sent, said, end } = scheduled(chat(2, 300), stream(1, 10, 5, 100, 500));
  expect(sent).toEqual([300, 10]);
  expect(said[1]).toEqual([5, 100, 500]);
  expect(end).toBe(510);
});

test('what fell into one millisecond keeps its order', () => {
  const { sent, said } = scheduled(chat(2, 10.3), stream(1, 10, 0.1, 0.2, 0.4));
  expect(sent[1]).toBe(10);
  expect(said[1]).toEqual([1, 1, 3]);
  expect(sent[0]).toBe(12);
});

test('a silent stream lasted at least as long as what ended before it', () => {
  const left = { ...stream(1, 10, 0), ended: 'client' } as const;
  const { overAt, said } = scheduled(chat(2, 5_000), left);
  expect(said[1]).toEqual([1]);
  expect(overAt(left)).toBe(5_001);
});

test('a pause of days is cut', () => {
  const { sent } = scheduled(chat(1, 0), chat(2, 1e9), chat(3, 1e9 + 5));
  expect(sent).toEqual([0, 3_600_000, 3_600_005]);
});

test('a stream is over before the next of its intern, and was said before what ended its runs', () => {
  const first = stream(1, 0, 1, 40);
  expect(scheduled(stream(2, 30, 1), first).endOf(first)).toBe(30);
  const suspend = chat(2, 30, { operation: 'suspend', status: 200 });
  expect(scheduled(suspend, first).said[1]).toEqual([1, 30]);
});
