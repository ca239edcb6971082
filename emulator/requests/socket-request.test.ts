import { expect, test } from 'vitest';
import { RawHeaders } from './socket-request.js';

test('a header is found whatever its case, and joined where it came twice', () => {
  const headers = new RawHeaders(['Host', 'a', 'X-Of', 'one', 'AUTHORIZATION', 'Bearer b', 'x-of', 'two']);
  expect(headers.get('authorization')).toBe('Bearer b');
  expect(headers.get('x-of')).toBe('one, two');
  expect(headers.get('origin')).toBeNull();
});
