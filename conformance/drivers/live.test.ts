import { expect, test } from 'vitest';
import { fakeDriver, fakeHost } from '../../test/targets/fake-target.js';
import type { BehaviourName } from '../model/target.js';
import { DEFAULT_PROMPTS } from './driver.js';

const LED = (Object.keys(DEFAULT_PROMPTS) as BehaviourName[]).filter((name) => name !== 'echo');
const driverWith = (prompts = {}) => fakeDriver(async () => new Response(), fakeHost(), { prompts });

/** Every wording of a behaviour, in the order in which they are tried. */
function wordings(behaviour: BehaviourName, prompts = {}): readonly string[] {
  const driver = driverWith(prompts);
  const tried = [driver.prompt(behaviour)];
  while (driver.reword?.(behaviour) === true) tried.push(driver.prompt(behaviour));
  return tried;
}

test.each(LED)('%s has more than one wording, all for the same script', (behaviour) => {
  const tried = wordings(behaviour);
  expect(new Set(tried).size).toBeGreaterThan(1);
  for (const wording of tried) expect(wording.split('\n')[0]).toBe(`script: ${behaviour}`);
});

test('the prompts of a config file are tried first, and the last wording is kept', () => {
  const tried = wordings('says-nothing', { 'says-nothing': ['Say nothing.', 'Nothing, please.'] });
  expect(tried.slice(0, 2)).toEqual(['Say nothing.', 'Nothing, please.']);
  expect(tried.slice(2)).toEqual(wordings('says-nothing'));
  const driver = driverWith();
  while (driver.reword?.('silent') === true);
  expect(driver.prompt('silent')).toBe(wordings('silent').at(-1));
});
