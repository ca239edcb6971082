import { messageOf } from '../../../emulator/contract/system-error.js';
import { alike, sortOf } from '../gist.js';
import { internIn } from '../moments.js';
import type { AppRun } from '../run.js';
import type { DisturbanceClass, Law, LawName, Seen, Wrong } from '../types.js';
import { losesLetters } from './letters.js';
import { brokenOnce, varyingKinds } from './once.js';
import { brokenPolite, type Rudeness, rudenessOf } from './polite.js';
import { brokenTidy, leftBehind } from './tidy.js';
import { unnoticedIn } from './unnoticed.js';

/** The laws of runs: the straight ones, and those that were added. */
export interface Bench {
  readonly straight: AppRun;
  /** Output that varies is compared without the parts that differ from run to run. */
  readonly plain: (text: string) => string;
  readonly varying: ReadonlySet<string>;
  readonly rudeness: readonly Rudeness[];
  /** Own interns that the undisturbed run leaves behind. */
  readonly left: number;
  readonly own: readonly (readonly [name: string, law: Law])[];
  readonly requireTransient: boolean;
  /** A disturbance that passes unnoticed is a breach. */
  readonly failOn: boolean;
}

export interface Breach extends Wrong {
  readonly law: string;
}

export function createBench(
  first: AppRun,
  second: AppRun,
  rest: Pick<Bench, 'own' | 'requireTransient' | 'failOn'>,
): Bench {
  return {
    straight: first,
    plain: first.seen.stdout === second.seen.stdout ? (text) => text : alike,
    varying: varyingKinds(first.seen, second.seen),
    rudeness: [...rudenessOf(first.seen), ...rudenessOf(second.seen)],
    left: Math.max(leftBehind(first.seen).length, leftBehind(second.seen).length),
    ...rest,
  };
}

async function brokenByOwn(seen: Seen, straight: Seen, laws: Bench['own']): Promise<Breach | undefined> {
  for (const [law, keeps] of laws) {
    try {
      await keeps(seen, straight);
    } catch (error) {
      const message = messageOf(error);
      return { law, message, did: sortOf(message) };
    }
  }
  return undefined;
}

/** The wait, or the work, of a run that did not end. */
function unsettled({ outcome }: Seen): Wrong | undefined {
  if (outcome.kind !== 'hung') return undefined;
  return { message: `it did not end: ${outcome.waitsFor}`, request: outcome.at, did: 'goes on' };
}

function unhandled({ seen: { outcome }, rejected: [rejection] }: AppRun): Wrong | undefined {
  if (outcome.kind === 'crashed') return { message: outcome.message, did: 'crashes' };
  return rejection === undefined ? undefined : { message: `an error was not handled: ${rejection}`, did: 'crashes' };
}

/** Interns that a run talked to, and that it did not make. */
const notItsOwn = ({ requests }: Seen) => {
  const made = new Set(requests.flatMap(({ madeId }) => madeId ?? []));
  return requests.filter(({ path, method, acted = 500 }) => {
    const id = internIn(path);
    return id !== undefined && !made.has(id) && method !== 'GET' && acted < 300;
  });
};

/** Its writes to an intern that somebody else made, and that it leaves alone undisturbed. */
function talksToOthers(seen: Seen, straight: Seen): Wrong | undefined {
  const known = new Set(notItsOwn(straight).map(({ path }) => internIn(path)));
  const met = notItsOwn(seen).find(({ path }) => !known.has(internIn(path)));
  if (met === undefined) return undefined;
  const message = `it talked to an intern that it did not make: ${met.operation} no. ${met.nth}`;
  return { message, request: met.operation, did: 'talks to others' };
}

/** Its test alone noticed that there was no usage: the test may know that this intern reports one. */
const onlyTestsUsage = ({ outcome, requests }: Seen): boolean =>
  outcome.kind === 'failed' && outcome.by === 'test' && requests.some(({ disturbed }) => disturbed === 'no-usage');

/** The law that a disturbed run breaks, if it breaks one; `unnoticed` comes last. */
export async function breachOf(run: AppRun, its: DisturbanceClass, bench: Bench): Promise<Breach | undefined> {
  const { seen } = run;
  const { outcome } = seen;
  const straight = bench.straight.seen;
  const passed = outcome.kind === 'passed';
  const by = (law: LawName | 'transient-passes', wrong: Wrong | undefined): Breach | undefined =>
    wrong === undefined ? undefined : { law, ...wrong };
  const failed =
    outcome.kind === 'failed' && !onlyTestsUsage(seen)
      ? { message: outcome.message, did: sortOf(outcome.message) }
      : undefined;
  const rudeness = brokenPolite(seen, straight, bench.rudeness);
  const impolite = by('polite', rudeness);
  return (
    // A program that sends the same again and again never ends, for that reason.
    (rudeness?.rule === 'hammers' ? impolite : undefined) ??
    by('settles', unsettled(seen)) ??
    by('quiet', unhandled(run)) ??
    by('once', brokenOnce(seen, straight, bench.varying)) ??
    impolite ??
    by(
      'harmless-passes',
      its === 'harmless'
        ? (failed ?? talksToOthers(seen, straight) ?? losesLetters(seen, straight, bench.plain))
        : undefined,
    ) ??
    by('tidy', passed ? brokenTidy(seen, bench.left) : undefined) ??
    by(
      'transient-passes',
      bench.requireTransient && its === 'transient' && failed ? { ...failed, did: 'fails' } : undefined,
    ) ??
    (await brokenByOwn(seen, straight, bench.own)) ??
    by('unnoticed', passed && its !== 'harmless' ? unnoticedIn(seen, straight, bench.plain) : undefined)
  );
}
