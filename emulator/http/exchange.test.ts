import { expect, test } from 'vitest';
import { headerOf } from './exchange.js';

test.each([
  ['in process', undefined],
  ['as a listener received it', ['Host', 'a', 'X-Of', 'one', 'AUTHORIZATION', 'Bearer b', 'x-of', 'two']],
])('a header is found whatever its case, and joined where it came twice: %s', (_, rawHeaders) => {
  const headers = new Headers({ host: 'a', authorization: 'Bearer b', 'x-of': 'one' });
  headers.append('X-Of', 'two');
  const request = new Request('http://localhost', { headers });
  const of = (name: string) => headerOf(request, rawHeaders, name);
  expect(of('authorization')).toBe('Bearer b');
  expect(of('x-of')).toBe('one, two');
  expect(of('origin')).toBeNull();
});
