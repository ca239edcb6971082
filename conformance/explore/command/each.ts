import { existsSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { commandLine } from '../../../emulator/contract/pasted.js';
import type { EmulatorOptions } from '../../../emulator/index.js';
import { systemHost } from '../../probe/time.js';
import { openRejections } from '../rejections.js';
import { loadedOnce, runOnce } from '../run.js';
import { type CommandOptions, openCommand } from './command.js';
import type { Talks } from './talks.js';

type Words = readonly string[];
export type CommandWords = readonly [string, ...string[]];

/** A test of a suite, and the command that runs it alone. */
export interface TestOf {
  readonly name: string;
  readonly command: CommandWords;
}

/** The facts of an undisturbed run of a suite: the tests that talk, and how many requests all of them sent. */
export interface Learnt {
  readonly tests: readonly TestOf[];
  readonly requests: number;
}

/** A command whose words are known: as it was given, or the script that npm, pnpm or yarn would run. */
interface KnownCommand {
  readonly words: Words;
  /** A script is read by a shell: what is put into it is quoted. */
  quoted(word: string): string;
  made(words: Words): CommandWords;
}

/** How a test runner is called to run one test. */
interface Runner {
  /** Place of the word that starts it; -1 where it is another. */
  find(words: Words): number;
  /** Flags whose value is the next word. Other words that are files are left out: the test's own stands for them. */
  readonly valued: RegExp;
  /** Flags right behind that word, and those at the end. */
  only(test: Talks): readonly [behind: Words, last: Words];
}

const isCalled = (word: string, ...names: string[]): boolean =>
  names.includes(
    basename(word)
      .toLowerCase()
      .replace(/\.(?:exe|cmd|m?js)$/, ''),
  );
const called =
  (...names: string[]) =>
  (words: Words): number =>
    words.findIndex((word) => isCalled(word, ...names));
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
const whole = (path: Words, between = ' '): string => `^${path.map(escaped).join(between)}$`;
const flagged = (flag: string, { path }: Talks, between?: string): Words =>
  path.length === 0 ? [] : [flag, whole(path, between)];
const files = ({ file }: Talks): Words => (file === undefined ? [] : [file]);

const RUNNERS: readonly Runner[] = [
  {
    find: called('vitest'),
    valued: /^-/,
    // Its filter knows no " > " between a suite and its test.
    only: (test) => [['run'], [...flagged('-t', test, ' (?:> )?'), ...files(test)]],
  },
  {
    find: (words) => (called('node', 'tsx')(words) < 0 ? -1 : words.indexOf('--test')),
    valued: /^-/,
    // It looks at the name of each test and suite by itself.
    only: (test) => [
      [...new Set(test.within ?? test.path.slice(-1))].map((name) => `--test-name-pattern=/${whole([name])}/`),
      files(test),
    ],
  },
  {
    find: called('pytest', 'py.test'),
    valued: /^-[kmcnpoW]$|^--/,
    only: ({ path }) => [[], path],
  },
  {
    find: called('jest'),
    valued: /^-/,
    only: (test) => [[], [...flagged('-t', test), '--runTestsByPath', ...files(test)]],
  },
  {
    find: called('mocha', '_mocha'),
    valued: /^-/,
    only: (test) => [[], [...flagged('-g', test), ...files(test)]],
  },
];
/** The words that have these runners run again when a file changes, or once: they are run once. */
const MODES = ['run', '--run', 'watch', 'dev', '--watch', '--watchAll', '-w'];
/** Words of shells with which a script is more than one command after another. */
const OPERATORS = /[;&|<>`\n]|\$\(/;

/** Runs a line as a script of the package in a folder: what is installed there is found by its name. `npm exec` takes longer than many a test. */
function shell(line: string, folder: string): CommandWords {
  if (process.platform === 'win32') return ['npm', 'exec', '-c', line];
  const folders = [folder, ...folder.split(sep).map((_, up) => join(folder, '../'.repeat(up + 1)))];
  const bins = [...new Set(folders.map((one) => join(one, 'node_modules/.bin')))].filter(existsSync);
  return ['sh', '-c', bins.length === 0 ? line : `PATH=${commandLine([bins.join(':')])}:"$PATH"; ${line}`];
}

/** The words of a command; those of the last command of the script where it is one of package.json. */
function known([file, ...args]: CommandWords, folder: string): KnownCommand | undefined {
  const given: KnownCommand = {
    words: [file, ...args],
    quoted: (word) => word,
    made: ([first = file, ...rest]) => [first, ...rest],
  };
  if (!isCalled(file, 'npm', 'pnpm', 'yarn')) return given;
  const [verb = '', ...rest] = args.filter((word) => word !== 'run' && word !== 'run-script' && word !== '-s');
  const name = verb === 't' ? 'test' : verb;
  let scripts: Record<string, string> = {};
  try {
    scripts =
      (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts?: typeof scripts }).scripts ?? {};
  } catch {}
  const script = scripts[name];
  if (script === undefined) return given;
  const begin = script.lastIndexOf(' && ') + 1 && script.lastIndexOf(' && ') + 4;
  const [before, last] = [script.slice(0, begin), script.slice(begin)];
  if (OPERATORS.test(last) || OPERATORS.test(before.replaceAll(' && ', ''))) return undefined;
  const quoted = (word: string): string => commandLine([word]);
  const more = rest.filter((word) => word !== '--').map(quoted);
  return {
    words: [...last.trim().split(/\s+/), ...more],
    quoted,
    made: (words) => shell(before + words.join(' '), folder),
  };
}

const nameOf = ({ path, file = '' }: Talks, folder: string): string =>
  path.length > 0 ? path.join(' > ') : relative(folder, file);

/** The words of a runner that run one test. */
function alone(
  { words, quoted }: KnownCommand,
  { valued, only }: Runner,
  at: number,
  test: Talks,
  folder: string,
): Words {
  const isFile = (word: string) => existsSync(resolve(folder, word.split('::')[0] ?? '')) || /[*]/.test(word);
  const kept = words.filter((word, place) => {
    if (place <= at) return true;
    if (word.startsWith('-')) return !MODES.includes(word);
    const before = words[place - 1] ?? '';
    return (place > at + 1 && valued.test(before)) || !(MODES.includes(word) || isFile(word));
  });
  const [behind, last] = only(test);
  return [...kept.slice(0, at + 1), ...behind.map(quoted), ...kept.slice(at + 1), ...last.map(quoted)];
}

/** How long a whole suite may take, in ms of real time. */
const SUITE_TIMEOUT = 600_000;

/**
 * Runs a suite once, undisturbed, and learns which of its tests talk (vitest, node:test, pytest, jest, mocha). Undefined where
 * the command is of another runner, where it fails, or where no test is known to talk: then it is one program.
 */
export async function learn(
  command: CommandWords,
  options: CommandOptions,
  {
    emulator,
    signal,
    seed,
  }: { readonly emulator: EmulatorOptions; readonly signal: AbortSignal; readonly seed: string },
): Promise<Learnt | undefined> {
  const { folder } = options;
  const its = known(command, folder);
  if (its === undefined) return undefined;
  const runner = RUNNERS.find(({ find }) => find(its.words) >= 0);
  if (runner === undefined) return undefined;
  const rejections = openRejections();
  const suite = await openCommand(command, options, true);
  try {
    const { seen } = await runOnce(suite.program, undefined, {
      host: systemHost,
      rejections,
      emulator,
      factories: loadedOnce(),
      seed,
      patience: undefined,
      runTimeout: SUITE_TIMEOUT,
      signal,
    });
    if (seen.outcome.kind !== 'passed') return undefined;
    const found = new Map(suite.talks.map((one) => [JSON.stringify([one.file, one.path]), one]));
    const tests = [...found.values()].filter(({ path }) => path.length > 0);
    // The work of a file around its tests is done with each of them.
    const around = [...found.values()].filter(
      ({ path, file }) => path.length === 0 && !tests.some((one) => one.file === file),
    );
    const at = runner.find(its.words);
    const named = [...tests, ...around].map(
      (one): TestOf => ({
        name: nameOf(one, folder),
        command: its.made(alone(its, runner, at, one, folder)),
      }),
    );
    named.sort((one, other) => (one.name < other.name ? -1 : 1));
    return named.length === 0 ? undefined : { tests: named, requests: seen.requests.length };
  } finally {
    suite.close();
    rejections.close();
  }
}
