import { expect, test } from 'vitest';
import { type FlagTable, placed, readArguments } from './arguments.js';

const TABLE: FlagTable = {
  seed: { type: 'string', describe: '' },
  header: { type: 'string', array: true, alias: 'H', describe: '' },
  'max-time': { type: 'string', describe: '' },
  format: { type: 'string', choices: ['json', 'text'], describe: '' },
  plan: { type: 'boolean', describe: '' },
};

test.each<[args: string[], flags: object, words: string[]]>([
  [['a', '--seed', 'x', 'b'], { seed: 'x' }, ['a', 'b']],
  [['--seed=', '--max-time=a=b'], { seed: '', 'max-time': 'a=b' }, []],
  [['--maxTime', '5m'], { 'max-time': '5m' }, []],
  [['--seed', '-5', '-'], { seed: '-5' }, ['-']],
  [['--seed', '-'], { seed: '-' }, []],
  [['--seed', '1', '--seed', '2'], { seed: ['1', '2'] }, []],
  [['-H', 'a: b', '-H=e', '--header', 'f'], { header: ['a: b', 'e', 'f'] }, []],
  [['--plan', 'word'], { plan: true }, ['word']],
  [['--plan', 'false', 'word'], { plan: false }, ['word']],
  [['--no-plan'], { plan: false }, []],
  [['--plan=ON', '--plan=0'], { plan: false }, []],
])('%j is read', (args, flags, words) => {
  expect(readArguments(args, TABLE)).toEqual({ flags, words });
});

test.each([
  [['--sede', '1'], 'unknown flag --sede (did you mean --seed?)'],
  [['--no-seed'], 'unknown flag --no-seed'],
  [['--__proto__'], 'unknown flag --__proto__'],
  [['-x'], 'unknown flag -x'],
  [['--seed-file', 'x'], 'unknown flag --seed-file'],
  [['--plan.only=x'], 'unknown flag --plan.only'],
  [['--seed'], '--seed: expected a value after it'],
  [['--seed', '--plan'], '--seed: expected a value after it'],
  [['--plan=maybe'], '--plan: expected true or false; found "maybe"'],
  [['--format', 'xml'], '--format: expected json or text; found "xml"'],
])('%j is refused in one line', (args, message) => {
  expect(() => readArguments(args, TABLE)).toThrow(message);
});

test('words have places; what is missing and what is too much is told', () => {
  expect(placed('<report> [url]', ['a', 'b', 'c'])).toEqual({
    found: { report: 'a', url: 'b' },
    missing: false,
    extra: 'c',
  });
  expect(placed('[action] [file..]', ['validate', 'a', 'b']).found).toEqual({ action: 'validate', file: ['a', 'b'] });
  expect(placed('<files..>', [])).toEqual({ found: { files: [] }, missing: true, extra: undefined });
});
