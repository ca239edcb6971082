import { expect, test } from 'vitest';
import { loadZod, withZod } from './with-zod.js';
import * as zod from './zod.js';

test('what is made with zod is made when it is first asked for, and once', () => {
  let made = 0;
  const schema = withZod((z) => {
    made++;
    return z.string();
  });
  expect(made).toBe(0);
  expect(schema()).toBe(schema());
  expect(made).toBe(1);
});

test('all that schemas are made of is there', () => {
  expect(Object.keys(zod).filter((name) => !(name in loadZod()))).toEqual([]);
});
