import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { commandLine } from '../../../emulator/contract/pasted.js';
import { createEmulator, type EmulatorOptions } from '../../../emulator/index.js';
import { UsageError } from '../../framework/usage.js';
import type { CommandOptions } from './command.js';
import { runProcess } from './process.js';

type Words = readonly string[];
export type CommandWords = readonly [string, ...string[]];

/** A test of a suite, and the command that runs it alone. */
export interface TestOf {
  readonly name: string;
  readonly command: CommandWords;
}

/** A command whose words are known: as it was given, or the script that npm, pnpm or yarn would run. */
interface Known {
  readonly words: Words;
  /** A script is read by a shell: what is put into it is quoted. */
  quoted(word: string): string;
  /** The command for other words. */
  made(words: Words): CommandWords;
}

/** A test runner: how it lists its tests, and how it runs one. */
interface Runner {
  /** Place of the word that starts it; -1 where it is another. */
  find(words: Words): number;
  /** The words that list its tests, and the names in what they wrote to `file`, or printed. */
  list(words: Words, at: number, file: string): { readonly words: Words; readonly more: Words };
  names(written: string): readonly (readonly [name: string, filter: Words])[];
  run(words: Words, at: number, filter: Words, folder: string): readonly [kept: Words, more: Words];
}

const isCalled = (word: string, ...names: string[]): boolean =>
  names.includes(
    basename(word)
      .toLowerCase()
      .replace(/\.(?:exe|cmd|m?js)$/, ''),
  );
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

const vitest: Runner = {
  find: (words) => words.findIndex((word) => isCalled(word, 'vitest')),
  list(words, at, file) {
    const rest = words.slice(at + 1).filter((word) => word !== 'run' && word !== '--run');
    return { words: [...words.slice(0, at + 1), 'list', ...rest], more: [`--json=${file}`] };
  },
  names: (written) =>
    (JSON.parse(written) as { name: string; file: string }[]).map(({ name, file }) => [
      name,
      // Its filter knows no " > " between a suite and its test.
      ['-t', `^${name.split(' > ').map(escaped).join(' (?:> )?')}$`, file],
    ]),
  run(words, at, filter) {
    const rest = words.slice(at + 1).filter((word) => word !== 'run' && word !== '--run');
    return [[...words.slice(0, at + 1), 'run', ...rest], filter];
  },
};

/** What a listing of node:test writes: a test a line. A suite only holds tests; a test that holds others is run with them. */
const NODE_REPORTER = `export default async function* (source) {
  for await (const { type, data } of source)
    if (/^test:(start|pass|fail)$/.test(type))
      yield JSON.stringify({ type, name: data.name, nesting: data.nesting, suite: data.details?.type === 'suite', skip: (data.skip ?? data.todo) !== undefined }) + '\\n';
}
`;
interface NodeEvent {
  readonly type: string;
  readonly name: string;
  readonly nesting: number;
  readonly suite: boolean;
  readonly skip: boolean;
}

/** Tests by their names, with the names of what each holds. Events of a test come after those of what it holds. */
function nodeTests(events: readonly NodeEvent[]): (readonly [string, readonly string[]])[] {
  type Held = { name: string; suite: boolean; holds: Held[] };
  const open: Held[][] = [];
  for (const { type, name, nesting, suite, skip } of events) {
    if (type === 'test:start') continue;
    const holds = open[nesting + 1] ?? [];
    open[nesting + 1] = [];
    if (skip) continue;
    open[nesting] ??= [];
    open[nesting].push({ name, suite, holds });
  }
  const within = ({ name, holds }: Held): string[] => [name, ...holds.flatMap(within)];
  const tests = (held: Held, above: string): (readonly [string, readonly string[]])[] => {
    const name = above === '' ? held.name : `${above} > ${held.name}`;
    return held.suite ? held.holds.flatMap((one) => tests(one, name)) : [[name, within(held)]];
  };
  return (open[0] ?? []).flatMap((one) => tests(one, ''));
}

const after = (words: Words, at: number, more: Words): Words => [
  ...words.slice(0, at + 1),
  ...more,
  ...words.slice(at + 1),
];

const nodeTest: Runner = {
  find: (words) => (words.some((word) => isCalled(word, 'node', 'tsx')) ? words.indexOf('--test') : -1),
  list(words, at, file) {
    const reporter = `${file}.mjs`;
    writeFileSync(reporter, NODE_REPORTER);
    return {
      words: after(words, at, [`--test-reporter=${reporter}`, `--test-reporter-destination=${file}`]),
      more: [],
    };
  },
  names(written) {
    const events = written.split('\n').filter((line) => line !== '');
    return nodeTests(events.map((line) => JSON.parse(line) as NodeEvent)).map(([name, all]) => [
      name,
      [...new Set(all)].map((one) => `--test-name-pattern=/^${escaped(one)}$/`),
    ]);
  },
  run: (words, at, filter) => [after(words, at, filter), []],
};

const pytest: Runner = {
  find: (words) => words.findIndex((word) => isCalled(word, 'pytest', 'py.test')),
  list: (words) => ({ words, more: ['--collect-only', '--verbosity=-1'] }),
  names: (written) =>
    written
      .split(/\r?\n/)
      .filter((line) => /^[^\s:]\S*::\S/.test(line))
      .map((id) => [id, [id]]),
  // A path beside a test would run all that is there.
  run: (words, at, filter, folder) => [
    words.filter(
      (word, place) =>
        place <= at || !(existsSync(resolve(folder, word.split('::')[0] ?? '')) && !word.startsWith('-')),
    ),
    filter,
  ],
};

const RUNNERS = [vitest, nodeTest, pytest];
/** Words of shells with which a script is more than one command. */
const OPERATORS = /[;&|<>`\n]|\$\(/;

/** The words of a command; those of the script where it is one of package.json. */
function known([file, ...args]: CommandWords, folder: string): Known | undefined {
  const given: Known = {
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
  if (OPERATORS.test(script)) return undefined;
  const quoted = (word: string): string => commandLine([word]);
  const more = rest.filter((word) => word !== '--').map(quoted);
  return {
    words: [...script.trim().split(/\s+/), ...more],
    quoted,
    made: (words) => ['npm', 'exec', '-c', words.join(' ')],
  };
}

/**
 * Lists the tests of a command, each with the command that runs it alone (vitest, node:test, pytest).
 *
 * @throws UsageError where the runner is another, or its tests can't be listed
 */
export async function testsOf(
  command: CommandWords,
  { env, folder, environmentOf }: CommandOptions,
  options: { readonly emulator: EmulatorOptions; readonly signal: AbortSignal },
): Promise<readonly TestOf[]> {
  const its = known(command, folder);
  const found = RUNNERS.map((runner) => [runner, its === undefined ? -1 : runner.find(its.words)] as const).find(
    ([, at]) => at >= 0,
  );
  if (its === undefined || found === undefined)
    throw new UsageError(`--each: ${commandLine(command)} is no command of vitest, node --test or pytest`);
  const [runner, at] = found;
  const place = mkdtempSync(join(tmpdir(), 'intern-explore-'));
  const file = join(place, 'tests');
  const emulator = createEmulator({ ...options.emulator, clock: 'auto' });
  let printed = '';
  try {
    const beside = environmentOf(emulator.target, await emulator.listen({ port: 0, daemonPort: 0 }));
    const { words, more } = runner.list(its.words, at, file);
    const listing = its.made([...words, ...more.map((word) => its.quoted(word))]);
    const print = (text: string) => {
      printed += text;
    };
    const ended = await runProcess(listing, { env: { ...env, ...beside }, folder, signal: options.signal, print });
    const names = runner.names(existsSync(file) ? readFileSync(file, 'utf8') : printed);
    if (names.length === 0)
      throw new UsageError(`--each: ${commandLine(listing)} named no test (status ${ended.status})`);
    const taken = new Set<string>();
    return names.flatMap(([name, filter]) => {
      const [kept, last] = runner.run(its.words, at, filter.map(its.quoted), folder);
      const alone = its.made([...kept, ...last]);
      const key = alone.join('\0');
      if (taken.has(key)) return [];
      taken.add(key);
      return [{ name, command: alone }];
    });
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`--each: the tests cannot be listed: ${error.message}`);
    throw error;
  } finally {
    await emulator.close();
    rmSync(place, { recursive: true, force: true });
  }
}
