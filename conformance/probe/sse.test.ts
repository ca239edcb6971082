import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSseParser, type SseItem } from './sse.js';
import '../../test/same-draws.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const parse = (...pieces: Uint8Array[]) => {
  const parser = createSseParser();
  const items = pieces.flatMap((piece, at) => parser.push(piece, at));
  return { items, unfinished: parser.end().unfinished };
};
const timeless = (items: SseItem[]) => items.map(({ at: _, ...item }) => item);

test('events, comments and their order', () => {
  const { items, unfinished } = parse(
    bytes(': keepalive\n\ndata: {"a":1}\n\nevent: x\nid: 7\ndata: one\ndata: two\n\ndata: [DONE]\n\n'),
  );
  expect(timeless(items)).toEqual([
    { kind: 'comment', text: 'keepalive', within: false },
    { kind: 'event', data: '{"a":1}' },
    { kind: 'event', data: 'one\ntwo', type: 'x', id: '7' },
    { kind: 'event', data: '[DONE]' },
  ]);
  expect(unfinished).toBe('');
});

test('a comment between the lines of an event is reported', () => {
  const { items } = parse(bytes('data: one\n: keepalive\ndata: two\n\n'));
  expect(timeless(items)).toEqual([
    { kind: 'comment', text: 'keepalive', within: true },
    { kind: 'event', data: 'one\ntwo' },
  ]);
});

test('what is unfinished at the end is reported', () => {
  expect(parse(bytes('data: {"a":')).unfinished).toBe('data: {"a":');
  expect(parse(bytes('data: one\n')).unfinished).toBe('one\n');
});

test('times are those of the piece that dispatched', () => {
  const { items } = parse(bytes('data: a'), bytes('\n'), bytes('\n'));
  expect(items).toEqual([{ kind: 'event', at: 2, data: 'a' }]);
});

test('pieces may be cut anywhere, within characters and line ends too', () => {
  const line = fc.oneof(
    fc.string({ unit: 'grapheme' }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
    fc.constantFrom(': keepalive', 'data', 'event: x', 'retry: 1', '', ''),
  );
  const end = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(fc.array(fc.tuple(line, end)), fc.array(fc.nat({ max: 7 })), (lines, cuts) => {
      const whole = bytes(lines.map((pair) => pair.join('')).join(''));
      const pieces: Uint8Array[] = [];
      let at = 0;
      for (const cut of cuts) {
        pieces.push(whole.subarray(at, at + cut));
        at += cut;
      }
      pieces.push(whole.subarray(Math.min(at, whole.length)));
      const [cutUp, once] = [parse(...pieces), parse(whole)];
      expect(timeless(cutUp.items)).toEqual(timeless(once.items));
      expect(cutUp.unfinished).toBe(once.unfinished);
    }),
  );
});
