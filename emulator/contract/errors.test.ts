import { expect, it } from 'vitest';
import { Refusal } from './errors.js';

it('a refusal has no stack, and the errors after it have theirs', () => {
  expect(new Refusal('not_found').stack).not.toContain('\n    at ');
  expect(new Error('x').stack).toContain('\n    at ');
});
