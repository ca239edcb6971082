import { expect, test } from 'vitest';
import { RawHeaders } from './received-request.js';

const web = new Headers({ host: 'a', authorization: 'Bearer b', 'x-of': 'one' });
web.append('X-Of', 'two');

test.each([
  ['in process', web],
  [
    'as a listener received it',
    new RawHeaders(['Host', 'a', 'X-Of', 'one', 'AUTHORIZATION', 'Bearer b', 'x-of', 'two']),
  ],
])('a header is found whatever its case, and joined where it came twice: %s', (_, headers) => {
  expect(headers.get('Authorization')).toBe('Bearer b');
  expect(headers.get('x-of')).toBe('one, two');
  expect(headers.get('origin')).toBeNull();
  expect([...headers]).toEqual([...web]);
});
