import { expect, test } from 'vitest';
import { Frames } from './frames.js';

test('the parts are one text in their order', () => {
  const frames = new Frames();
  expect([frames.empty, frames.toString()]).toEqual([true, '']);
  frames.add('<');
  frames.addJoined(['a'], [', ']);
  expect([frames.empty, frames.toString()]).toEqual([false, '<a']);
  frames.addJoined([' b', 'c', 'd'], [',', ' ']);
  frames.add('e', '>');
  expect(frames.toString()).toEqual('<a b, c, de>');
});
