import fc from 'fast-check';
import { expect, test } from 'vitest';
import yargs from 'yargs';
import { FLAG_NAMES, FLAGS, kebab } from './flags.js';
import { plainFlags } from './plain.js';
import { yargsOptions } from './settings.js';
import '../../test/same-draws.js';

/** How yargs reads the same flags. */
function byYargs(args: readonly string[]): Record<string, unknown> {
  const { _, $0, ...argv } = yargs()
    .parserConfiguration({ 'camel-case-expansion': false, 'greedy-arrays': false, 'parse-numbers': false })
    .options(yargsOptions())
    .help(false)
    .version(false)
    .parseSync([...args]);
  return argv;
}

const value = fc.oneof(
  fc.constantFrom(
    '0',
    '4683',
    '007',
    '1e3',
    'a b',
    'a=b',
    'a.json',
    'eu.',
    'true',
    'http://a.test/?x=1',
    '""',
    '-1',
    '',
  ),
  fc.string({ maxLength: 6 }),
);
const flag = fc
  .tuple(fc.constantFrom(...FLAG_NAMES), value, fc.boolean())
  .map(([name, text, joined]) =>
    FLAGS[name].kind === 'switch'
      ? [`--${kebab(name)}`]
      : joined
        ? [`--${kebab(name)}=${text}`]
        : [`--${kebab(name)}`, text],
  );
const flags = fc.array(flag, { maxLength: 4 }).map((parts) => parts.flat());

test('flags that are plain are read as yargs reads them', () => {
  let plain = 0;
  fc.assert(
    fc.property(flags, (args) => {
      const read = plainFlags(args);
      if (read === undefined) return;
      plain++;
      const defined = Object.entries(byYargs(args)).filter(([, entry]) => entry !== undefined);
      expect(read).toEqual(Object.fromEntries(defined));
    }),
    { numRuns: 500 },
  );
  expect(plain).toBeGreaterThan(50);
});

test.each([
  [['--help']],
  [['exec']],
  [['--prot', '1']],
  [['--port']],
  [['--port', '1', '--port', '2']],
  [['-h']],
  [['x']],
])('%j is left to yargs', (args) => {
  expect(plainFlags(args)).toBeUndefined();
});
