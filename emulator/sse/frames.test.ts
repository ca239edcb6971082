import { expect, test } from 'vitest';
import { Frames } from './frames.js';

test('the parts are one text in their order', () => {
  const frames = new Frames();
  expect([frames.size, frames.toString()]).toEqual([0, '']);
  frames.add('<');
  frames.addJoined(['a'], [', ']);
  expect([frames.size, frames.toString()]).toEqual([2, '<a']);
  frames.addJoined([' b', 'c', 'd'], [',', ' ']);
  frames.add('e', '>');
  expect(frames.toString()).toEqual('<a b, c, de>');
  frames.add('é', '\u{1f600}');
  expect(frames.within('[', ']')).toBe('[<a b, c, de>é\u{1f600}]');
  expect(frames.size).toBe(Buffer.byteLength(frames.toString()));
});
