import fc from 'fast-check';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { expect, test } from 'vitest';
import openapi from '../../schemas/openapi.json' with { type: 'json' };
import { createPathFinder } from './paths.js';
import '../../test/same-draws.js';

test('finds one pattern of the interface and its parameters, as the router of Hono does', () => {
  const patterns = Object.keys(openapi.paths)
    .map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1'))
    // Hono wants words and parameters apart.
    .filter((path) => !path.endsWith('/copy'));
  const hono = new RegExpRouter<string>();
  for (const pattern of patterns) hono.add('ALL', pattern, pattern);
  const find = createPathFinder(patterns);
  const segment = fc.constantFrom(...new Set(patterns.join('/').split('/')), '', 'x', 'a b', '%2F', 'İ');
  const path = fc.oneof(
    fc.array(segment, { maxLength: 7 }).map((segments) => `/${segments.join('/')}`),
    fc
      .constantFrom(...patterns)
      .chain((one) => fc.tuple(segment, segment).map(([a, b]) => one.replace(/:\w+/, a).replace(/:\w+/, b))),
  );
  fc.assert(
    fc.property(path, (given) => {
      const [[match], values = []] = hono.match('ALL', given);
      const [pattern, names = {}] = match ?? [];
      const params = Object.fromEntries(Object.entries(names).map(([name, at]) => [name, values[Number(at)]]));
      expect(find(given)).toEqual({ patterns: pattern === undefined ? [] : [pattern], params });
    }),
  );
});

test('a word beside a parameter is found with it, and the parameter has its value', () => {
  const find = createPathFinder(['/secrets/copy', '/secrets/:name', '/secrets/:name/hosts', '/secrets/copy/all']);
  expect(find('/secrets/copy')).toEqual({ patterns: ['/secrets/:name', '/secrets/copy'], params: { name: 'copy' } });
  expect(find('/secrets/copy/all')).toEqual({ patterns: ['/secrets/copy/all'], params: {} });
  expect(find('/secrets/')).toEqual({ patterns: [], params: {} });
  expect(() => createPathFinder(['/a/:one', '/a/:two'])).toThrow('one place of a path is named one and two');
});
