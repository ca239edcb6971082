import {
  classOf,
  DISTURBANCE_NAMES,
  type DisturbanceName,
  disturbanceOf,
} from '../../emulator/contract/disturbance.js';
import { createRandom, hash } from '../probe/time.js';
import { internIn, type KnownMoment, momentName } from './moments.js';
import { CLASSES, type DisturbanceClass, type FaultInput, type Moment, type ScheduleFile } from './types.js';

/** A disturbance at a moment, or two. */
export interface Schedule {
  readonly id: string;
  readonly class: DisturbanceClass;
  readonly kind: string;
  readonly moment: Moment;
  readonly file: ScheduleFile;
  /** Of a pair: the singles that it is made of. */
  readonly of?: readonly [Schedule, Schedule];
}

/** Whether a kind of disturbance may lawfully happen at a moment. */
function fits(
  kind: DisturbanceName,
  moment: KnownMoment,
  first: (request: KnownMoment['request']) => boolean,
): boolean {
  const { on, at } = disturbanceOf(kind);
  const { request, operation, write, state } = moment;
  if (on !== undefined && !on.some((name) => name === operation)) return false;
  const place = write !== undefined ? 'write' : state !== undefined ? 'question' : 'request';
  if (place !== (at === 'stream' ? 'request' : at)) return false;
  if (at === 'stream' && request.writes === undefined) return false;
  if (write === 'after-done') return false;
  const succeeded = request.status !== undefined && request.status < 300;
  switch (kind) {
    // Past the finish chunk the turn is over: another ending would contradict it.
    case 'error-chunk':
    case 'severed':
    case 'run-ended':
    case 'length':
      return write !== 'before-final' && write !== 'before-done' && !write?.includes('@');
    case 'slow-boot':
    case 'other-status':
      return succeeded && first(request);
    case 'no-content':
    case 'others-listed':
    case 'short-page':
    case 'boot-fails':
    case 'proof-expired':
    case 'teardown-fails':
      return succeeded;
    case 'token-dead':
      return request.credential !== undefined && operation !== 'daemon-request';
    case 'stall':
    case 'refused':
    case 'reset':
    case 'lost':
      return true;
    default:
      return at !== 'request' || operation !== 'daemon-request';
  }
}

/** Ids of the interns that an answer shows running. */
function runningIn({ answer, path, writes }: KnownMoment['request']): string[] {
  const own = internIn(path);
  // Only a running intern takes a prompt.
  if (writes !== undefined) return own === undefined ? [] : [own];
  return [...answer.matchAll(/"id":"([0-9a-f-]{36})"[^{}]*?"status":"running"/g)].map(([, id = '']) => id);
}

/** Whether a disturbed read showed a booting intern that no earlier answer had shown running. */
export function isBeforeRunning(requests: readonly KnownMoment['request'][], kind: string): boolean {
  const met = requests.find(({ disturbed }) => disturbed === kind);
  const id = internIn(met?.path ?? '');
  if (met === undefined || id === undefined || !/"status":"(?:provisioning|warming_up)"/.test(met.answer)) return false;
  return !requests.some((one) => one.n < met.n && runningIn(one).includes(id));
}

/** Whether a read was the first to show its intern running, in any of the runs. Another status is lawful there. */
function firstRunning(runs: readonly (readonly KnownMoment['request'][])[]) {
  const keyOf = ({ nth, path }: KnownMoment['request']) => `${nth} ${path}`;
  const firsts = new Set<string>();
  for (const requests of runs) {
    const seen = new Set<string>();
    for (const request of requests) {
      for (const id of runningIn(request)) {
        if (!seen.has(id) && request.operation === 'get') firsts.add(keyOf(request));
        seen.add(id);
      }
    }
  }
  return (request: KnownMoment['request']) => request.operation === 'get' && firsts.has(keyOf(request));
}

/** The rank of a schedule: the most telling come first, with the smallest rank (EXP-8). */
function rank(kind: DisturbanceName, moment: KnownMoment, its: DisturbanceClass): number {
  const question = moment.operation === 'answer' || moment.state !== undefined;
  if (its === 'final' && disturbanceOf(kind).at !== 'request' && (question || moment.write?.startsWith('tool')))
    return 0;
  if (kind === 'lost') return 1;
  if (kind === 'cut' || kind === 'closed')
    return moment.write === 'before-finish' || moment.write?.startsWith('content') ? 2 : 4;
  if (its === 'final' && disturbanceOf(kind).at === 'write' && kind !== 'silence') return 5;
  if (its === 'transient') return 6;
  return its === 'harmless' ? 7 : 8;
}

/** Spreads silences among the first half of the other schedules: they take long, but run beside the others without load. */
function spread(ranked: readonly Schedule[]): Schedule[] {
  const waits = ({ kind }: Schedule) => kind === 'stall' || kind === 'silence';
  const [waiting, others] = [ranked.filter(waits), ranked.filter((one) => !waits(one))];
  const between = others.length / (2 * waiting.length);
  const place = new Map(waiting.map((one, at) => [one, at * between + 0.5] as const));
  const placeOf = (one: Schedule) => place.get(one) ?? others.indexOf(one);
  return [...ranked].sort((a, b) => placeOf(a) - placeOf(b));
}

/** The heavier of two classes: `final` outweighs `transient`, and `transient` outweighs `harmless`. */
const heavier = (one: DisturbanceClass, other: DisturbanceClass): DisturbanceClass =>
  CLASSES.indexOf(one) > CLASSES.indexOf(other) ? one : other;

const WHILE_BOOTING: readonly DisturbanceName[] = ['slow-boot', 'other-status'];

/**
 * Each lawful disturbance at each moment that both undisturbed runs have, the most telling first (EXP-3). In a program that
 * polls, the read that first shows the intern running differs from run to run: such reads count, too, for `WHILE_BOOTING`.
 */
export function singlesOf(
  { moments, leftOut }: { readonly moments: readonly KnownMoment[]; readonly leftOut: readonly KnownMoment[] },
  straight: readonly (readonly KnownMoment['request'][])[],
  keyed: (request: KnownMoment['request']) => boolean,
): Schedule[] {
  const first = firstRunning(straight);
  const polled = leftOut.filter(
    ({ request, operation, nth }, at) =>
      first(request) &&
      !moments.some((one) => one.operation === operation && one.nth === nth) &&
      leftOut.findIndex((one) => one.operation === operation && one.nth === nth) === at,
  );
  const ranked = [...moments, ...polled].flatMap((moment) =>
    (polled.includes(moment) ? WHILE_BOOTING : DISTURBANCE_NAMES)
      .filter((kind) => disturbanceOf(kind).class !== 'broken' && fits(kind, moment, first))
      .map((kind) => {
        const { request: _, ...where } = moment;
        const its = classOf(kind, moment.operation, keyed(moment.request)) as DisturbanceClass;
        const fault = { ...where, operation: where.operation as FaultInput['operation'], disturb: kind };
        const id = `${kind} @ ${momentName(where)}`;
        const schedule: Schedule = { id, class: its, kind, moment: where, file: { name: id, faults: [fault] } };
        return { schedule, rank: rank(kind, moment, its) };
      }),
  );
  return spread(ranked.sort((a, b) => a.rank - b.rank).map(({ schedule }) => schedule));
}

export function pairOf(one: Schedule, other: Schedule): Schedule {
  const id = `${one.id} + ${other.id}`;
  return {
    id,
    class: heavier(one.class, other.class),
    kind: `${one.kind} + ${other.kind}`,
    moment: one.moment,
    file: { name: id, faults: [...one.file.faults, ...other.file.faults] },
    of: [one, other],
  };
}

export function pairsOf(singles: readonly Schedule[], seed: string, most: number): Schedule[] {
  const random = createRandom(hash(`${seed} pairs`));
  const pairs = new Map<string, Schedule>();
  const all = (singles.length * (singles.length - 1)) / 2;
  for (let tries = 0; pairs.size < Math.min(most, all) && tries < 20 * most; tries++) {
    const [a, b] = [0, 0].map(() => singles[Math.floor(random() * singles.length)]);
    if (a === undefined || b === undefined || a === b) continue;
    // A request meets one disturbance: the stream of a refused chat can't be cut.
    if (a.moment.operation === b.moment.operation && a.moment.nth === b.moment.nth) continue;
    const [one, other] = singles.indexOf(a) < singles.indexOf(b) ? [a, b] : [b, a];
    const pair = pairOf(one, other);
    pairs.set(pair.id, pair);
  }
  return [...pairs.values()];
}
