import { expect, test } from 'vitest';
import { shortExchange } from './stream-text.js';

const headers = Array.from({ length: 12 }, (_, at) => `    h${at}: x`);
const chunks = Array.from({ length: 12 }, () => ['  < 0.02 s', '    data: {}']).flat();

test('a shortened exchange keeps the head of the answer and the odd writes', () => {
  const lines = [
    '#1 0.00 s  POST /x',
    ...headers,
    '  < 200 at 0.01 s',
    '    content-type: x',
    '  < 0.01 s  ← odd',
    '    (103)',
  ];
  expect(shortExchange([...lines, ...chunks], 4)).toEqual([
    '#1 0.00 s  POST /x',
    ...headers.slice(0, 3),
    '    …',
    '  < 200 at 0.01 s',
    '    …',
    '  < 0.01 s  ← odd',
    '    (103)',
    '  < 0.02 s',
    '    …',
    ...chunks.slice(-4),
  ]);
});

test('a short exchange stays whole', () => {
  expect(shortExchange(['#1', '    a', '    b'], 2)).toEqual(['#1', '    a', '    b']);
});
