import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checks as allChecks } from '../checks/index.js';
import type { Check } from '../framework/check.js';
import { systemHost } from '../probe/time.js';
import { type Choice, choose, readChanges } from './changed.js';
import { readModules } from './graph.js';
import { deviations as allDeviations } from './index.js';
import { type LiveResult, MISSED, tryLive } from './live.js';
import {
  type Baseline,
  type DeviationResult,
  faults,
  idleChecks,
  isCaught,
  type Matrix,
  score,
  tryBaseline,
  tryDeviation,
} from './matrix.js';
import type { Deviation } from './mutant.js';
import { select } from './select.js';
import { TRY } from './try.js';

const USAGE = `Usage: npm run deviations -- [--only NAME[,NAME…] | --changed] [--all | --live] [--runs N] [--jobs N] [--no-baseline] [--quiet]

Runs every named deviation against the checks that have to catch it, and prints the matrix.
  --only         names of deviations, repeated or with commas; * for anything
  --changed      those whose checks, or whose own file, import what changed since main; a sample that the commit draws
                 where most rest on what changed, where nothing did, and where git does not know
  --all          runs every check against each, and shows which others catch it
  --live         as deployments, without control interface: which are found there, and why others are not (with --all by any check)
  --runs         runs of each property (${TRY.runs}; 1 with --live, as at a deployment)
  --jobs         processes (as many as processors)
  --no-baseline  leaves out the run without any deviation
  --quiet        prints what is wrong, and the score
`;

const ROOT = join(import.meta.dirname, '../..');

interface Settings {
  readonly wanted: readonly Deviation[];
  readonly all: boolean;
  readonly live: boolean;
  readonly runs: number;
  readonly baseline: boolean;
}

type Message =
  | { readonly type: 'deviation'; readonly result: LiveResult }
  | { readonly type: 'baseline'; readonly result: Baseline };

/** Every `of`-th, from the `index`-th on: neighbours take about as long as each other. */
const share = <T>(all: readonly T[], { index, of }: { index: number; of: number }) =>
  all.filter((_, at) => at % of === index);

/** As a deployment: by the checks that the deviation names, and by every check where those miss it, as a run has them all. */
async function live(deviation: Deviation, options: Parameters<typeof tryLive>[2]): Promise<LiveResult | undefined> {
  const named = await tryLive(deviation, allChecks, options);
  if (named?.because === undefined || options.all === true) return named;
  const whole = await tryLive(deviation, allChecks, { ...options, all: true });
  return whole?.because === undefined ? whole : named;
}

/** The part of the work that one process does. */
async function work(settings: Settings, part: { index: number; of: number }, report: (message: Message) => void) {
  const options = { ...TRY, runs: settings.runs, all: settings.all, now: systemHost.now };
  if (settings.baseline && !settings.live) {
    const named = new Set(settings.wanted.flatMap(({ caughtBy }) => caughtBy));
    const mine: Check[] = share(
      allChecks.filter(({ id }) => settings.all || named.has(id)),
      part,
    );
    report({
      type: 'baseline',
      result: await tryBaseline(mine, { ...options, runs: Math.min(10, options.runs) }),
    });
  }
  for (const deviation of share(settings.wanted, part)) {
    const result = settings.live ? await live(deviation, options) : await tryDeviation(deviation, allChecks, options);
    if (result !== undefined) report({ type: 'deviation', result });
  }
}

function line(result: DeviationResult): string {
  const mark = isCaught(result) ? 'caught  ' : result.crashes.length > 0 ? 'crashes ' : 'SURVIVES';
  const missed = result.missed.map((miss) => `!${miss.id} (${miss.verdict})`);
  const others = result.others.length > 0 ? [`| also: ${result.others.join(' ')}`] : [];
  return `${mark}  ${result.name.padEnd(44)} ${[...result.caught, ...missed, ...others].join(' ')}`;
}

/** At a deployment one check that sees it is enough, and why others do not is what there is to know. */
function seenLine({ name, caught, others, missed, because }: LiveResult): string {
  const reasons = missed.map(
    ({ id, verdict, why }) => `${id} (${verdict}${why === undefined ? '' : `: ${why.slice(0, 160)}`})`,
  );
  const found = because === undefined ? [...caught, ...others] : [`${MISSED[because]}:`, ...reasons];
  return `${because === undefined ? 'seen    ' : 'UNSEEN  '}  ${name.padEnd(44)} ${found.join(' ')}`;
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    changed: { type: 'boolean', default: false },
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

async function chosen(): Promise<Choice> {
  if (values.only.length > 0) return { deviations: select(allDeviations, values.only) };
  return values.changed ? choose(readChanges(ROOT), await readModules(ROOT)) : { deviations: allDeviations };
}

const settingsFor = (wanted: readonly Deviation[]): Settings => ({
  wanted,
  all: values.all,
  live: values.live,
  runs: Number(values.runs ?? (values.live ? 1 : TRY.runs)),
  baseline: !values['no-baseline'],
});

/** What a process that does a part is given: the deviations by their names, so that it need not choose again. */
function partArguments({ wanted }: Settings, part: string): string[] {
  const given = process.argv.slice(2).filter((word) => word !== '--changed');
  const names = values.changed ? ['--only', wanted.map(({ name }) => name).join(',')] : [];
  return [...given, ...names, '--part', part];
}

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const choice = await chosen();
  const settings = settingsFor(choice.deviations);
  if (values.part !== undefined) {
    const [index = 0, of = 1] = values.part.split('/').map(Number);
    await work(settings, { index, of }, (message) => process.send?.(message));
    return 0;
  }
  if (settings.wanted.length === 0) {
    process.stdout.write('no deviation to run: none that the changes since main can touch\n');
    return 0;
  }
  const began = systemHost.now();
  const results: LiveResult[] = [];
  const failing: Baseline['failing'][number][] = [];
  const take = (message: Message) => {
    if (message.type === 'baseline') failing.push(...message.result.failing);
    else {
      results.push(message.result);
      if (!values.quiet) process.stdout.write(`${(settings.live ? seenLine : line)(message.result)}\n`);
    }
  };
  const jobs = Math.max(1, Number(values.jobs));
  if (jobs === 1) await work(settings, { index: 0, of: 1 }, take);
  else {
    await Promise.all(
      Array.from({ length: jobs }, (_, index) => {
        const child = fork(process.argv[1] ?? '', partArguments(settings, `${index}/${jobs}`));
        child.on('message', (message) => take(message as Message));
        return new Promise<void>((resolve, reject) =>
          child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`part ${index} ended with ${code}`)))),
        );
      }),
    );
  }
  const order = new Map(allDeviations.map((one, at) => [one.name, at]));
  results.sort((a, b) => (order.get(a.name) ?? 0) - (order.get(b.name) ?? 0));
  const took = Math.round((systemHost.now() - began) / 1_000);
  if (settings.live) {
    const seen = results.filter(({ because }) => because === undefined).length;
    const kinds = Object.entries(MISSED).flatMap(([kind, words]) => {
      const many = results.filter(({ because }) => because === kind).length;
      return many === 0 ? [] : [`${many} ${words}`];
    });
    process.stdout.write(
      `\n${seen} of ${results.length} deviations that show from outside are found at a deployment (${((100 * seen) / Math.max(1, results.length)).toFixed(1)} %), ${took} s\n${kinds.join(' · ')}\n`,
    );
    return 0;
  }
  const whole = settings.wanted.length === allDeviations.length;
  const matrix: Matrix = {
    deviations: results,
    baseline: { failing },
    idle: whole ? idleChecks(allDeviations, allChecks) : [],
    checks: allChecks.length,
  };
  if (choice.sample !== undefined) {
    const { why, commit } = choice.sample;
    process.stdout.write(
      `a sample of the deviations, drawn by commit ${commit}: ${why}; npm run deviations runs all\n`,
    );
  }
  const wrong = faults(matrix);
  const now = score(matrix);
  const { deviations, checks } = now;
  if (wrong.length > 0) process.stdout.write(`\n${wrong.map((one) => `wrong: ${one}`).join('\n')}\n`);
  const proven = whole
    ? `${checks.proven} of ${checks.of} checks proven by one`
    : `${checks.proven} checks proven by one (${allDeviations.length} deviations in all)`;
  process.stdout.write(
    `\n${deviations.caught} of ${deviations.of} deviations caught by every check named for them, ${proven}, ${took} s\n`,
  );
  return wrong.length > 0 ? 1 : 0;
}

try {
  process.exit(await main());
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}
