import { execFileSync, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hash, systemHost } from '../probe/time.js';
import { checks as allChecks } from '../scenarios/index.js';
import { mutants as allMutants } from './index.js';
import { type Killers, killersOf, readKillers, writeKillers } from './killers.js';
import { measure } from './live.js';
import {
  type Baseline,
  faults,
  idleChecks,
  isCaught,
  isJudging,
  killing,
  type Matrix,
  type MutantResult,
  score,
  tryBaseline,
  tryMutant,
} from './matrix.js';
import type { Mutant } from './mutant.js';
import {
  countSeen,
  GIVEN,
  type GivenCredentials,
  isSeen,
  type Measured,
  MISSED,
  readMeasured,
  type Sight,
  writeMeasured,
} from './seen.js';
import { select } from './select.js';
import { TRY } from './try.js';

const USAGE = `Usage: npm run mutants -- [--only NAME[,NAME…] | --sample] [--all | --live] [--runs N] [--jobs N] [--no-baseline] [--quiet]

Runs every mutant against the checks that were computed to see it, and prints the matrix.
  --only         names of mutants, repeated or with commas; * for anything
  --sample       one in 32 of them, which the commit draws
  --all          runs every check against each, and writes which see it to conformance/mutants/matrix.json
  --live         as deployments, without control interface: which a default run finds with every credential and with an API
                 key alone, and why others are not found; written to conformance/mutants/seen.json
  --runs         runs of each property (${TRY.runs}; 1 with --live, as at a deployment)
  --jobs         processes (as many as processors)
  --no-baseline  leaves out the run without any mutant
  --quiet        prints what is wrong, and the score
`;

const ROOT = join(import.meta.dirname, '../..');
const NAMES = allMutants.map(({ name }) => name);

interface Settings {
  readonly wanted: readonly Mutant[];
  readonly all: boolean;
  readonly live: boolean;
  readonly runs: number;
  readonly baseline: boolean;
}

type Row = Readonly<Record<GivenCredentials, Sight>>;

type Message =
  | { readonly type: 'mutant'; readonly result: MutantResult }
  | { readonly type: 'live'; readonly name: string; readonly row: Row }
  | { readonly type: 'baseline'; readonly result: Baseline };

/** Every `of`-th, from the `index`-th on: neighbours take about as long as each other. */
const share = <T>(all: readonly T[], { index, of }: { index: number; of: number }) =>
  all.filter((_, at) => at % of === index);

/** The part of the work that one process does. */
async function work(settings: Settings, part: { index: number; of: number }, report: (message: Message) => void) {
  const options = { ...TRY, runs: settings.runs, all: settings.all, now: systemHost.now };
  if (settings.baseline && !settings.live) {
    const mine = settings.all ? allChecks : killing(settings.wanted.flatMap(killersOf), allChecks);
    // Rules are judged beside the rows, which are sent once: by the first.
    const judging = part.index === 0 ? mine.filter(isJudging) : [];
    const others = mine.filter((check) => !isJudging(check));
    const runs = Math.min(10, options.runs);
    report({ type: 'baseline', result: await tryBaseline([...judging, ...share(others, part)], { ...options, runs }) });
  }
  for (const mutant of share(settings.wanted, part)) {
    if (!settings.live) {
      report({ type: 'mutant', result: await tryMutant(mutant, killersOf(mutant), allChecks, options) });
      continue;
    }
    // As a deployment, with every credential and with an API key alone, each with draws of its own.
    const { name } = mutant;
    const drawn = { ...options, seed: `${TRY.seed} ${name}` };
    const all = await measure(mutant, { ...drawn, given: 'all' });
    const key = await measure(mutant, { ...drawn, given: 'key' });
    if (all !== undefined && key !== undefined) report({ type: 'live', name, row: { all, key } });
  }
}

function line(result: MutantResult): string {
  const mark = isCaught(result) ? 'caught  ' : result.crashes.length > 0 ? 'crashes ' : 'SURVIVES';
  const missed = result.missed.map((miss) => `!${miss.id} (${miss.verdict})`);
  const others = result.others.length > 0 ? [`| also: ${result.others.join(' ')}`] : [];
  return `${mark}  ${result.name.padEnd(44)} ${[...result.caught, ...missed, ...others].join(' ')}`;
}

/** At a deployment one check that sees it is enough, and why others do not is what there is to know. */
function seenLine(name: string, row: Row): string {
  const text = (one: Sight) => (isSeen(one) ? one.seen : `${MISSED[one.because]}: ${one.why.slice(0, 160)}`);
  const key = isSeen(row.key) === isSeen(row.all) ? '' : ` | with an API key alone: ${text(row.key)}`;
  return `${isSeen(row.all) ? 'seen    ' : 'UNSEEN  '}  ${name.padEnd(44)} ${text(row.all)}${key}`;
}

/** Rows in the order of the mutants. */
const inOrder = (rows: ReadonlyMap<string, Row>): Measured['mutants'] =>
  Object.fromEntries([...rows].sort(([one], [other]) => NAMES.indexOf(one) - NAMES.indexOf(other)));

/** How many are seen, and why others are not. Results of the usual runs are kept, beside the earlier ones. */
function concludeLive(rows: Measured['mutants'], usual: boolean, took: number): string {
  const of = Object.keys(rows).length;
  const lines = GIVEN.map((given) => {
    const seen = countSeen({ mutants: rows }, given);
    const kinds = Object.entries(MISSED).flatMap(([kind, words]) => {
      const many = Object.values(rows).filter(({ [given]: one }) => !isSeen(one) && one.because === kind).length;
      return many === 0 ? [] : [`${many} ${words}`];
    });
    const by = given === 'all' ? 'every credential' : 'an API key alone';
    return `${seen} of ${of} with ${by} (${((100 * seen) / Math.max(1, of)).toFixed(1)} %): ${kinds.join(' · ')}`;
  });
  if (usual) {
    const before = readMeasured();
    writeMeasured(inOrder(new Map(Object.entries({ ...before.mutants, ...rows }))), before);
  }
  return `\nmutants that a deployment shows, and how many of them a default run finds (${took} s):\n${lines.join('\n')}\n`;
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    sample: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    live: { type: 'boolean', default: false },
    runs: { type: 'string' },
    jobs: { type: 'string', default: String(Math.min(4, availableParallelism())) },
    part: { type: 'string' },
    'no-baseline': { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function chosen(): readonly Mutant[] {
  if (values.only.length > 0) return select(allMutants, values.only);
  if (!values.sample) return allMutants;
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  process.stdout.write(`one in 32 mutants, drawn by commit ${commit}; npm run mutants runs all\n`);
  return allMutants.filter(({ name }) => hash(`${commit} ${name}`) % 32 === 0);
}

const settingsFor = (wanted: readonly Mutant[]): Settings => ({
  wanted,
  all: values.all,
  live: values.live,
  runs: Number(values.runs ?? (values.live ? 1 : TRY.runs)),
  baseline: !values['no-baseline'],
});

/** The task of a process that does a part: the mutants by their names, so that it need not choose again. */
function partArguments({ wanted }: Settings, part: string): string[] {
  const given = process.argv.slice(2).filter((word) => word !== '--sample');
  const names = values.sample ? ['--only', wanted.map(({ name }) => name).join(',')] : [];
  return [...given, ...names, '--part', part];
}

/** Does the work in as many processes as there are jobs. */
async function inJobs(settings: Settings, jobs: number, take: (message: Message) => void): Promise<void> {
  if (jobs === 1) return work(settings, { index: 0, of: 1 }, take);
  const begun = Array.from({ length: jobs }, (_, index) => {
    const child = fork(process.argv[1] ?? '', partArguments(settings, `${index}/${jobs}`));
    child.on('message', (message) => take(message as Message));
    return new Promise<void>((resolve, reject) =>
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`part ${index} ended with ${code}`)))),
    );
  });
  await Promise.all(begun);
}

/** Prints the mistakes and the score. Where every check was run, those that see a mutant are kept. */
function conclude(settings: Settings, results: readonly MutantResult[], baseline: Baseline, took: number): number {
  const whole = settings.wanted.length === allMutants.length;
  const computed: Killers = Object.fromEntries(
    results.map(({ name, caught, others }) => [name, [...caught, ...others]]),
  );
  if (settings.all) writeKillers(computed, NAMES);
  const idle = whole ? idleChecks(settings.all ? computed : readKillers().killers, allChecks) : [];
  const matrix: Matrix = { mutants: results, baseline, idle, checks: allChecks.length };
  const wrong = faults(matrix);
  const { mutants, checks } = score(matrix);
  if (wrong.length > 0) process.stdout.write(`\n${wrong.map((one) => `wrong: ${one}`).join('\n')}\n`);
  const proven = whole
    ? `${checks.proven} of ${checks.of} checks proven by one`
    : `${checks.proven} checks proven by one (${allMutants.length} mutants in all)`;
  process.stdout.write(
    `\n${mutants.caught} of ${mutants.of} mutants caught by every check that is known to see them, ${proven}, ${took} s\n`,
  );
  return wrong.length > 0 ? 1 : 0;
}

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const settings = settingsFor(chosen());
  if (values.part !== undefined) {
    const [index = 0, of = 1] = values.part.split('/').map(Number);
    await work(settings, { index, of }, (message) => process.send?.(message));
    return 0;
  }
  const began = systemHost.now();
  const results: MutantResult[] = [];
  const rows = new Map<string, Row>();
  const failing: Baseline['failing'][number][] = [];
  const take = (message: Message) => {
    if (message.type === 'baseline') failing.push(...message.result.failing);
    else if (message.type === 'live') rows.set(message.name, message.row);
    else results.push(message.result);
    if (values.quiet || message.type === 'baseline') return;
    process.stdout.write(`${message.type === 'live' ? seenLine(message.name, message.row) : line(message.result)}\n`);
  };
  await inJobs(settings, Math.max(1, Number(values.jobs)), take);
  const took = Math.round((systemHost.now() - began) / 1_000);
  if (!settings.live) {
    results.sort((one, other) => NAMES.indexOf(one.name) - NAMES.indexOf(other.name));
    return conclude(settings, results, { failing }, took);
  }
  process.stdout.write(concludeLive(inOrder(rows), values.runs === undefined, took));
  return 0;
}

try {
  process.exit(await main());
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}
