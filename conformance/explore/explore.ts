import { setMaxListeners } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { counted } from '../../emulator/contract/counted.js';
import { classOf, DISTURBANCE_NAMES } from '../../emulator/contract/disturbance.js';
import { given } from '../../emulator/contract/given.js';
import { messageOf } from '../../emulator/contract/system-error.js';
import { systemHost } from '../probe/time.js';
import { terminalText } from '../report/sheet/terminal.js';
import { togetherOf } from './each.js';
import { byDisturbance, findingOf, type Group, groupsOf, type Judged, surfacedOf } from './findings.js';
import { type Bench, breachOf, createBench } from './laws/index.js';
import { endlessBeside } from './laws/polite.js';
import { leftBehind } from './laws/tidy.js';
import { lacks, matchMoments, momentsOf } from './moments.js';
import { settled } from './options.js';
import { openRejections } from './rejections.js';
import { sheetOf } from './report/sheet.js';
import { incompleteText } from './report/words.js';
import { type AppRun, loadedOnce, type RunSettings, runOnce } from './run.js';
import { isBeforeRunning, pairOf, pairsOf, type Schedule, singlesOf } from './schedules.js';
import { createSlots } from './slots.js';
import {
  ExploreError,
  type ExploreOptions,
  type ExploreReport,
  type Finding,
  type Moment,
  NothingFits,
  type Program,
  type ScheduleFile,
  type Seen,
  type Verdict,
} from './types.js';
import { outcomeText, sentenceOf, timeLineOf } from './words.js';

/** The shortest limit of a run, in ms of real time. */
const RUN_TIMEOUT = 60_000;
/** The longest undisturbed run, in ms of real time. */
const STRAIGHT_TIMEOUT = 120_000;
/** Most pairs that are drawn. */
const PAIRS = 1_000;

/** ms for runs under way to end once the exploration is over. */
const WIND_UP = 500;

/** Thrown when the exploration is over before any schedule was tried. */
class Over extends Error {}

/** Lines of output that are shown with a failure: they may have the only hint at its reason. */
const SHOWN = 30;

/** The end of the output of a program that fails undisturbed, for the message. */
function endOf(printed: string): string {
  const lines = stripVTControlCharacters(printed).trimEnd().split('\n').slice(-SHOWN);
  return lines.join('') === '' ? '' : `. Its output ends:\n${lines.join('\n')}`;
}

/** The schedule of a file. The first format has no class: it follows from the faults and the undisturbed requests. */
function scheduleOf({ name, faults, explore }: ScheduleFile, requests: Seen['requests']): Schedule {
  const parts = faults.map((fault): Schedule => {
    const { operation, nth = 1, write, state, disturb } = fault;
    const moment: Moment = { operation, nth, ...given({ write, state }) };
    const met = requests.find((one) => one.operation === operation && one.nth === nth);
    // The emulator refuses an unknown disturbance.
    const known = DISTURBANCE_NAMES.find((name) => name === disturb);
    const its = known && classOf(known, operation, met?.idempotencyKey !== undefined);
    return {
      id: name,
      class: its === undefined || its === 'broken' ? 'final' : its,
      kind: disturb ?? 'a fault',
      moment,
      file: { name, faults: [fault] },
    };
  });
  const [first, second] = parts;
  if (first === undefined) throw new ExploreError('schedule: expected a fault, found none');
  const whole: Schedule = second === undefined ? first : pairOf(first, second);
  return { ...whole, id: name, class: explore?.class ?? whole.class, file: { name, faults } };
}

const withoutRequest = (moments: readonly (Moment & { request?: unknown })[]): Moment[] =>
  moments.map(({ request: _, ...moment }) => moment);

/** Whether a run ended before its disturbances could happen. */
const missed = (schedule: Schedule, { disturbed, seen }: AppRun): boolean =>
  schedule.file.faults.some(({ disturb }) => {
    if (disturb === undefined) return false;
    if (!disturbed.includes(disturb)) return true;
    const late = disturb === 'slow-boot' || disturb === 'other-status';
    // In a run that polls, an earlier read may have shown `running`: then no other status is lawful.
    return late && !isBeforeRunning(seen.requests, disturb);
  });

async function judge(schedule: Schedule, run: AppRun, bench: Bench): Promise<Judged> {
  if (missed(schedule, run)) return { schedule, run, verdict: 'not-reached' };
  const breach = await breachOf(run, schedule.class, bench);
  if (breach !== undefined)
    return { schedule, run, verdict: breach.law === 'unnoticed' && !bench.failOn ? 'unnoticed' : 'breach', breach };
  return { schedule, run, verdict: run.seen.outcome.kind === 'passed' ? 'survived' : 'surfaced' };
}

const count = (judged: readonly Judged[], verdict: Verdict) => judged.filter((one) => one.verdict === verdict).length;

/**
 * Runs a program undisturbed, and then once for each lawful or unlucky event at each moment of its conversation with
 * the service, and judges what it did (EXP-1 to EXP-8). Equal seed and program: equal report, but for `timing`.
 *
 * @example
 * ```ts
 * import { explore } from 'intern-emulator/explore';
 *
 * const report = await explore(async ({ fetch, print, target }) => {
 *   const headers = { authorization: `Bearer ${target.credentials.api_key}` };
 *   const answer = await fetch(`${target.base_url}/interns`, { headers });
 *   if (!answer.ok) throw new Error(`the service answers ${answer.status}`);
 *   print(await answer.text());
 * }, { only: 'harmless' });
 * console.log(report.text);
 * ```
 *
 * @throws ExploreError if the undisturbed run fails, or an option can't be used
 */
export async function explore(program: Program, options: ExploreOptions = {}): Promise<ExploreReport> {
  const given = settled(options);
  const host = systemHost;
  const began = host.now();
  const rejections = openRejections();
  const over = new AbortController();
  // Every run under way adds a listener.
  setMaxListeners(0, over.signal);
  let leave = () => {};
  const left = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined);
  });
  let windUp = () => {};
  const end = (why: 'interrupted' | 'max-time') => {
    if (over.signal.aborted) return;
    over.abort(why);
    windUp = host.later(WIND_UP, leave);
  };
  /** The result of work, or nothing soon after all is over. */
  const unlessOver = <T>(work: Promise<T>): Promise<T | undefined> => Promise.race([work, left]);
  const interrupt = () => end('interrupted');
  options.signal?.addEventListener('abort', interrupt, { once: true });
  if (options.signal?.aborted) interrupt();
  // This timer also keeps the process alive, which those of the runs may not.
  const inTime = host.later(given.maxTime, () => end('max-time'));
  try {
    const settings: RunSettings = {
      host,
      rejections,
      emulator: options.emulator ?? {},
      factories: loadedOnce(),
      seed: given.seed,
      // The time that the program works without requests is still unknown.
      patience: given.patience ?? STRAIGHT_TIMEOUT,
      runTimeout: given.runTimeout ?? STRAIGHT_TIMEOUT,
      signal: over.signal,
    };

    const undisturbed = async (): Promise<AppRun> => {
      const run = await unlessOver(runOnce(program, undefined, settings));
      if (run === undefined || over.signal.aborted) throw new Over();
      return run;
    };
    const straight = async (): Promise<AppRun> => {
      const run = await undisturbed();
      const { outcome } = run.seen;
      const [rejection] = run.rejected;
      if (outcome.kind !== 'passed')
        throw new ExploreError(`the undisturbed run ${outcomeText(outcome)}${endOf(run.seen.stdout)}`);
      if (rejection !== undefined) throw new ExploreError(`the undisturbed run left an error unhandled: ${rejection}`);
      return run;
    };
    const momentsIn = ({ seen }: AppRun) => momentsOf(seen, given.moments);
    const first = await straight();
    // Two runs at once do the same, unless they share something, such as a port or a file.
    const pair = options.schedule === undefined ? await Promise.all([undisturbed(), undisturbed()]) : [];
    const [other] = pair;
    const likeFirst = (run: AppRun) =>
      run.seen.outcome.kind === 'passed' &&
      run.rejected.length === 0 &&
      matchMoments(momentsIn(first), momentsIn(run)).leftOut.length === 0;
    const second = other !== undefined && pair.every(likeFirst) ? other : await straight();
    const bench = createBench(first, second, given);
    for (const [name, law] of given.own) {
      try {
        await unlessOver(Promise.resolve(law(first.seen, first.seen)));
      } catch (error) {
        throw new ExploreError(`the undisturbed run breaks ${name}: ${messageOf(error)}`);
      }
    }
    const matched = matchMoments(momentsIn(first), momentsIn(second));
    const { moments, leftOut } = matched;
    const crossed = pair.find((run) => run.seen.outcome.kind !== 'passed' || lacks(momentsIn(run), moments));
    const singles =
      options.schedule === undefined
        ? singlesOf(
            matched,
            [first.seen.requests, second.seen.requests],
            ({ idempotencyKey }) => idempotencyKey !== undefined,
          )
        : [scheduleOf(options.schedule, first.seen.requests)];
    const pairs =
      given.pairs && options.schedule === undefined ? pairsOf(singles, given.seed, Math.min(PAIRS, given.maxRuns)) : [];
    const planned = [...singles, ...pairs].filter(given.wanted).filter((_, at) => given.inShard(at));
    if (planned.length === 0)
      throw new NothingFits('there is nothing to explore: no moment of the undisturbed run fits');
    const { patience } = given;
    const runTimeout = given.runTimeout ?? Math.max(RUN_TIMEOUT, 10 * first.ms, 2 * (patience ?? 0));

    const incomplete: string[] = [];
    if (planned.length > given.maxRuns) incomplete.push('max-runs');
    const wanted = planned.slice(0, given.maxRuns);
    const slotsOf = (most: number) => (crossed === undefined ? createSlots(most) : createSlots(1, 1));
    const slots = slotsOf(given.jobs);
    const limited: RunSettings = {
      ...settings,
      patience,
      runTimeout,
      rests: given.runTimeout === undefined,
      endless: endlessBeside(first.seen),
    };
    const judged: (Judged | undefined)[] = [];
    let done = 0;
    let breaches = 0;
    // Time is reserved for confirming breaches: for each kind, the time of its run.
    const confirming = new Map<string, number>();
    const toConfirm = () => [...confirming.values()].reduce((sum, ms) => sum + ms, 0);
    const started = host.now();
    const progress = (last: string) => {
      const total = wanted.length;
      const rate = done === 0 ? first.ms / (crossed === undefined ? given.jobs : 1) : (host.now() - started) / done;
      options.onProgress?.({ done, total, breaches, last, left: Math.round(rate * (total - done) + toConfirm()) });
    };
    const late = () => over.signal.aborted || host.now() - began + toConfirm() >= given.maxTime;
    const one = async (schedule: Schedule, at: number): Promise<void> => {
      const place = await slots.take();
      try {
        if (late()) return;
        const run = await runOnce(program, schedule.file, limited, place);
        if (over.signal.aborted) return;
        const its = await judge(schedule, run, bench);
        judged[at] = its;
        done++;
        if (its.verdict === 'breach') breaches++;
        if (its.breach !== undefined)
          confirming.set(`${its.breach.law} ${schedule.kind} ${schedule.moment.operation}`, run.ms);
        progress(schedule.id);
      } finally {
        place.leave();
      }
    };
    progress('');
    await unlessOver(Promise.all(wanted.map(one)));
    const all = judged.filter((entry) => entry !== undefined);
    if (all.length < wanted.length) incomplete.push(over.signal.reason ?? 'max-time');

    // A finding counts when the same schedule, run alone, shows it again: the first time a busy machine may be the cause. A
    // failure under a harmless schedule does not count if the program fails undisturbed, too.
    const alone = slotsOf(1);
    const showsAgain = async (schedule: Schedule, law: string): Promise<boolean> => {
      const place = await alone.take();
      try {
        if (over.signal.aborted) return true;
        const again = await runOnce(program, schedule.file, limited, place);
        if (over.signal.aborted) return true;
        if ((await judge(schedule, again, bench)).breach?.law !== law) return false;
        return law !== 'harmless-passes' || (await runOnce(program, undefined, limited)).seen.outcome.kind === 'passed';
      } finally {
        place.leave();
      }
    };
    const doubtful = new Set<Judged>();
    let unconfirmed = 0;
    const confirmed = async (group: Group): Promise<Finding | undefined> => {
      // Each disturbance is confirmed by itself, so that a finding lists only real causes.
      await Promise.all(
        byDisturbance(group).map(async (its) => {
          const [one, two, three] = its;
          for (const member of [one, two, three]) {
            if (member === undefined || (await unlessOver(showsAgain(member.schedule, group.law))) !== false) break;
            doubtful.add(member);
          }
          if (three !== undefined && doubtful.has(three)) for (const member of its) doubtful.add(member);
        }),
      );
      if (over.signal.aborted) unconfirmed++;
      const members = group.members.filter((member) => !doubtful.has(member));
      return members.length === 0 ? undefined : findingOf({ ...group, members }, given.rests);
    };
    const groups = groupsOf(all);
    // The longest first: the others run while it waits.
    const lengthOf = ({ members }: Group) => Math.max(...members.map(({ run }) => run.ms));
    const longest = [...groups].sort((one, other) => lengthOf(other) - lengthOf(one));
    const findings = new Map(await Promise.all(longest.map(async (group) => [group, await confirmed(group)] as const)));
    const found = groups.flatMap((group) => findings.get(group) ?? []);
    const results = all.map((entry): Judged => {
      if (!doubtful.has(entry)) return entry;
      const { schedule, run } = entry;
      return { schedule, run, verdict: run.seen.outcome.kind === 'passed' ? 'survived' : 'surfaced' };
    });

    const warnings: string[] = [];
    if (unconfirmed > 0)
      warnings.push(
        `${counted(unconfirmed, 'finding')} could not be confirmed by a run alone: ${incompleteText(over.signal.reason)}`,
      );
    for (const { message } of bench.rudeness.slice(0, 3)) warnings.push(`undisturbed, too: ${message}`);
    if (bench.left > 0)
      warnings.push(
        `undisturbed, too: it leaves ${leftBehind(first.seen)
          .map(({ name, status }) => `${name} (${status})`)
          .join(', ')}`,
      );
    if (crossed !== undefined)
      warnings.push(
        `two undisturbed runs at once are in each other's way (one ${crossed.seen.outcome.kind === 'passed' ? 'sent less than it does alone' : outcomeText(crossed.seen.outcome)}), so that runs went one by one; where each has a port and files of its own, it takes less time`,
      );
    if (leftOut.length > 0)
      warnings.push(`${leftOut.length} moments differ between two undisturbed runs, and were left out`);
    const [doubted] = doubtful;
    if (doubted !== undefined)
      warnings.push(
        `${counted(doubtful.size, 'breach', 'breaches')} did not show again when their schedule was run alone, and do not count, as ${doubted.breach?.law}: ${sentenceOf(doubted.schedule, doubted.breach?.message ?? '')}`,
      );
    if (count(results, 'not-reached') > results.length / 10) incomplete.push('not-reached');
    // A test that passes without a request was served by another run, or by its leftovers.
    if (results.some(({ run: { seen } }) => seen.outcome.kind === 'passed' && seen.requests.length === 0))
      incomplete.push('crossed');
    const met = results.flatMap(({ run }) => run.seen.requests.filter(({ disturbed }) => disturbed !== undefined));
    const surfaced = surfacedOf(results);
    const ms = Math.round(host.now() - began);
    const report: Omit<ExploreReport, 'text'> = {
      format: 'intern-explore',
      version: 1,
      seed: given.seed,
      straight: {
        requests: first.seen.requests.length,
        moments: withoutRequest(moments),
        leftOut: withoutRequest(leftOut),
        timeLine: timeLineOf(first),
      },
      schedules: results.map(({ schedule: { id, class: its, kind, moment }, run, verdict, breach }) => ({
        id,
        class: its,
        kind,
        moment,
        verdict,
        ...(breach && verdict === 'breach' ? { law: breach.law } : {}),
        ...(breach ? { message: breach.message } : {}),
        ...(verdict === 'surfaced' && run.seen.outcome.kind === 'failed' ? { message: run.seen.outcome.message } : {}),
      })),
      findings: found.filter(({ law }) => law !== 'unnoticed' || given.failOn),
      unnoticed: found.filter(({ law }) => law === 'unnoticed' && !given.failOn),
      surfaced,
      counts: {
        schedules: planned.length,
        run: results.length,
        survived: count(results, 'survived'),
        unnoticed: count(results, 'unnoticed'),
        surfaced: count(results, 'surfaced'),
        byTest: surfaced.filter(({ by }) => by === 'test').reduce((sum, one) => sum + one.count, 0),
        breach: count(results, 'breach'),
        notReached: count(results, 'not-reached'),
        readToEnd: met.filter((request) => request.ended !== 'left' && request.ended !== 'open').length,
        disturbed: met.length,
      },
      warnings,
      incomplete,
      timing: { ms, msPerRun: Math.round((10 * ms) / Math.max(1, results.length)) / 10 },
    };
    return { ...report, text: terminalText(sheetOf(report)) };
  } catch (error) {
    if (error instanceof Over) return togetherOf([], given.seed, [over.signal.reason]);
    throw error;
  } finally {
    inTime();
    windUp();
    options.signal?.removeEventListener('abort', interrupt);
    over.abort('ended');
    rejections.close();
  }
}
