import type { Breach } from './laws/index.js';
import type { Run } from './run.js';
import type { Schedule } from './schedules.js';
import type { Finding, Surfaced, Verdict } from './types.js';
import { sentenceOf, timeLineOf } from './words.js';

/** A schedule that was run, and what came of it. */
export interface Judged {
  readonly schedule: Schedule;
  readonly run: Run;
  readonly verdict: Verdict;
  readonly breach?: Breach;
}

/** Breaches that are one finding, the smallest first. */
export interface Group {
  readonly law: string;
  readonly operation: string;
  readonly kind: string;
  readonly members: Judged[];
}

/** How far into a run a schedule reaches: a single before a pair, an early request and write before a late one. */
function size({ schedule, run }: Judged): readonly number[] {
  const { operation, nth, write } = schedule.moment;
  const request = run.seen.requests.find((one) => one.operation === operation && one.nth === nth);
  const names = request?.writes?.flatMap((one) => one.names) ?? [];
  const at = write === undefined ? -1 : names.indexOf(write);
  return [schedule.of === undefined ? 0 : 1, request?.n ?? nth, at < 0 && write !== undefined ? names.length : at];
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

/**
 * Groups breaches by law, operation and kind (EXP-7). A pair of which one half alone breaks the same law is that half's: it
 * shrinks to it.
 */
export function groupsOf(judged: readonly Judged[]): Group[] {
  const broken = judged.filter(({ verdict }) => verdict === 'breach');
  const singles = new Map(broken.map((one) => [one.schedule.id, one]));
  const groups = new Map<string, Group>();
  for (const one of broken) {
    const law = one.breach?.law ?? '';
    const half = one.schedule.of?.find(({ id }) => singles.get(id)?.breach?.law === law);
    const { kind, moment } = half ?? one.schedule;
    const key = `${law}\n${moment.operation}\n${kind}`;
    const group = groups.get(key) ?? { law, operation: moment.operation, kind, members: [] };
    group.members.push(one);
    groups.set(key, group);
  }
  for (const { members } of groups.values()) members.sort((a, b) => compare(size(a), size(b)));
  return [...groups.values()];
}

export function findingOf({ law, operation, kind, members }: Group, shown: Judged): Finding {
  const message = shown.breach?.message ?? '';
  return {
    law,
    operation,
    kind,
    sentence: sentenceOf(shown.schedule, message),
    schedule: shown.schedule.file,
    count: members.length,
    message,
    timeLine: timeLineOf(shown.run),
  };
}

/** Orderly failures, by what they said. */
export function surfacedOf(judged: readonly Judged[]): Surfaced[] {
  const groups = new Map<string, { message: string; class: Surfaced['class']; kinds: Set<string>; count: number }>();
  for (const { verdict, schedule, run } of judged) {
    if (verdict !== 'surfaced' || run.seen.outcome.kind !== 'failed') continue;
    const { message } = run.seen.outcome;
    const key = `${schedule.class}\n${message}`;
    const group = groups.get(key) ?? { message, class: schedule.class, kinds: new Set(), count: 0 };
    group.kinds.add(schedule.kind);
    group.count++;
    groups.set(key, group);
  }
  return [...groups.values()]
    .map(({ kinds, ...group }) => ({ ...group, kinds: [...kinds].sort() }))
    .sort((a, b) => b.count - a.count);
}
