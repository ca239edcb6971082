import { expect, test } from 'vitest';
import { commandLine, type LabCase, matching, patternsOf } from './page/lab-command.js';
import { shellWords } from './page/shell-words.js';

const one = (id: string, needs: string[] = []): LabCase => ({
  id,
  layer: 'sse',
  class: 'valid',
  title: `Does ${id}.`,
  needs,
});
const ALL = [
  one('sse-cr'),
  one('sse-lf'),
  one('http-gone'),
  one('idle-head', ['idle']),
  one('idle-done', ['idle', 'h2']),
];
const ids = (filter: Partial<Parameters<typeof matching>[1]>) =>
  matching(ALL, { group: '', ability: '', search: '', ...filter }).map(({ id }) => id);

test('cases are chosen by group, by ability and by words', () => {
  expect(ids({})).toHaveLength(5);
  expect(ids({ group: 'sse' })).toEqual(['sse-cr', 'sse-lf']);
  expect(ids({ ability: 'h2' })).toEqual(['idle-done']);
  expect(ids({ ability: 'none', search: 'DOES gone' })).toEqual(['http-gone']);
});

test('the command line selects what was chosen and no more', () => {
  const patterns = (...chosen: string[]) => patternsOf(new Set(chosen), ALL);
  expect(patterns(...ALL.map(({ id }) => id))).toEqual([]);
  expect(patterns('sse-cr', 'sse-lf', 'idle-head')).toEqual(["'sse-*'", 'idle-head']);
  expect(patterns('http-gone')).toEqual(['http-gone']);
  const line = { cases: ['sse-cr'], show: 'http://127.0.0.1:1/_emulator', adapter: ' python3 a.py ' };
  expect(commandLine({ ...line, cuts: 'all' })).toBe(
    'npx intern-conformance client --only sse-cr --cuts all --show http://127.0.0.1:1/_emulator -- python3 a.py',
  );
});

test.each([
  ['node a.mjs --fast', ['node', 'a.mjs', '--fast']],
  [`  python3 'a b.py'  "c \\"d\\"" e\\ f`, ['python3', 'a b.py', 'c "d"', 'e f']],
  [`x'y'"z"`, ['xyz']],
  ['', []],
  [`node 'open`, undefined],
  [`node "open\\"`, undefined],
])('the words of %s are those of a shell', (line, words) => {
  expect(shellWords(line)).toEqual(words);
});
