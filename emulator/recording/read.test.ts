import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderOfFile } from '../../test/folders.js';
import { MAX_NESTING } from '../contract/nesting.js';
import { readRecording } from './read.js';

const folder = folderOfFile('read-');

const line = (request: object = {}, answer: object = {}) =>
  JSON.stringify({
    format: 1,
    n: 1,
    scenario: null,
    at: 0,
    operation: 'get',
    request: { method: 'GET', path: '/api/v1/interns/$intern.1', headers: {}, ...request },
    status: 200,
    headers: {},
    ended: 'complete',
    ...answer,
  });

const read = (text: string) => {
  const file = join(folder, 'recording.jsonl');
  writeFileSync(file, `${text}\n`);
  return readRecording(file, () => {});
};

/** JSON of arrays within one another, which `JSON.stringify` could not write. */
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const withBody = (text: string, body: string) => text.replace('"BODY"', body);

describe('a recording that cannot be replayed or sent is refused, with its place', () => {
  test.each<[string, string, string]>([
    [
      'an alias beside another',
      line({ path: '/api/v1/interns/$intern.1$intern.1' }),
      'request.path: $intern.1 and $intern.1 need',
    ],
    ['one in a body', line({ body: { a: [`$intern.1$\{session.1}`] } }), 'request.body: $intern.1 and $session.1 need'],
    [
      'one in a header',
      line({ headers: { authorization: 'Bearer $api_key$key.1' } }),
      'request.headers.authorization: $api_key and $key.1',
    ],
    ['an alias of no kind', line({ path: '/api/v1/interns/$clown.1' }), 'request.path: $clown.1 is not a known alias'],
    ['a kind without a number', line({}, { body: 'It is $intern' }), 'body: $intern is not a known alias'],
    [
      'a number without a kind',
      line({}, { headers: { link: '$time.1' } }),
      'headers.link: $time.1 is not a known alias',
    ],
    [
      'an alias of no kind in a stream',
      line({}, { writes: [{ at: 0, text: 'data: $foo' }] }),
      'writes[0].text: $foo is not a known alias',
    ],
    [
      'a line feed in a header',
      line({}, { headers: { link: 'a\nset-cookie: b' } }),
      'headers.link: expected a value that a header can have',
    ],
    ['a carriage return in one', line({ headers: { accept: 'a\rb' } }), 'request.headers.accept: expected a value'],
    ['a character that no header has', line({ headers: { accept: '…' } }), 'request.headers.accept: expected a value'],
    [
      'a name that no header has',
      line({}, { headers: { 'a b': 'c' } }),
      'headers["a b"]: expected the name of a header',
    ],
    [
      'a name with a line feed',
      line({}, { headers: { 'a\nb': 'c' } }),
      'headers["a\\nb"]: expected the name of a header',
    ],
    ['an empty name', line({ headers: { '': 'c' } }), 'request.headers[""]: expected the name of a header'],
    [
      'a name in capitals',
      line({}, { headers: { 'Content-Type': 'c' } }),
      'headers.Content-Type: expected the name of a header in lower case',
    ],
    ['a status that announces another', line({}, { status: 103 }), 'status: expected at least 200; found 103'],
    ['a status beyond all', line({}, { status: 600 }), 'status: expected at most 599; found 600'],
    ['an invalid method', line({ method: 'GET /' }), 'request.method: expected the name of a method'],
    [
      'a deep body',
      withBody(line({}, { body: 'BODY' }), deep(20_000)),
      `expected a body of at most ${MAX_NESTING} levels`,
    ],
    [
      'a deep body of a request',
      withBody(line({ body: 'BODY' }), deep(MAX_NESTING + 1)),
      `expected a body of at most ${MAX_NESTING} levels`,
    ],
    ['a deep line', deep(20_000), 'expected a body of at most'],
  ])('%s', (_what, text, problem) => {
    const place = `recording ${join(folder, 'recording.jsonl')}:1: `;
    expect(() => read(text)).toThrow(place + problem);
    expect(() => read(text)).toThrow(/^[^\n\r]*$/);
  });
});

describe('a recording is taken', () => {
  test.each<[string, string]>([
    [
      'with what a recorder writes',
      line({ headers: { authorization: 'Bearer $my_own_key' } }, { body: '$intern.1$time' }),
    ],
    ['with dollar signs', line({ body: 'It costs $5, or $$5' })],
    ['with a body of the deepest kind', withBody(line({ body: 'BODY' }), deep(MAX_NESTING))],
    ['with no answer', line({}, { status: null, ended: 'broken' })],
  ])('%s', (_what, text) => {
    expect(read(text)).toHaveLength(1);
  });
});

test('headers that no recorder keeps are left out, and named once', () => {
  const headers = { 'set-cookie': 'a=b', 'content-type': 'text/plain' };
  const warned: string[] = [];
  const file = join(folder, 'headers.jsonl');
  writeFileSync(file, `${line({ headers: { host: 'elsewhere.test' } }, { headers })}\n`.repeat(2));
  const [first] = readRecording(file, (message) => warned.push(message));
  expect(first?.exchange.headers).toEqual({ 'content-type': 'text/plain' });
  expect(first?.exchange.request.headers).toEqual({});
  expect(warned).toEqual([
    `recording ${file}: headers that are not part of a recording were left out: host, set-cookie`,
  ]);
});
