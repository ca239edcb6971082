import { expect, test } from 'vitest';
import { Frames } from './frames.js';

test('the parts are one text in their order; only texts with the same between them take less room apart', () => {
  const frames = new Frames();
  expect([frames.empty, frames.repeats, frames.toString()]).toEqual([true, false, '']);
  frames.add('<');
  frames.addJoined(['a'], ', ');
  expect([frames.empty, frames.repeats, frames.toString()]).toEqual([false, false, '<a']);
  frames.addJoined([' b', 'c', 'd'], ', ');
  frames.add('>');
  expect([frames.repeats, frames.toString()]).toEqual([true, '<a b, c, d>']);
});
