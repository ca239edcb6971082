import { byKey } from '../../emulator/contract/by-key.js';
import { alikeButStatus } from './gist.js';
import type { Breach } from './laws/index.js';
import type { AppRun } from './run.js';
import type { Schedule } from './schedules.js';
import type { Finding, Surfaced, Verdict, VerdictRests } from './types.js';
import { sentenceOf, timeLineOf } from './words.js';

/** A schedule that was run, and what came of it. */
export interface Judged {
  readonly schedule: Schedule;
  readonly run: AppRun;
  readonly verdict: Verdict;
  readonly breach?: Breach;
}

/** Breaches that are one finding, the smallest first. */
export interface Group {
  readonly law: string;
  readonly request: string;
  readonly members: readonly Judged[];
}

/** How far into a run a schedule reaches: a single before a pair, an early request and write before a late one. */
function size({ schedule, run, breach }: Judged): readonly number[] {
  const { operation, nth, write } = schedule.moment;
  const request = run.seen.requests.find((one) => one.operation === operation && one.nth === nth);
  const names = request?.writes?.flatMap((one) => one.names) ?? [];
  const at = write === undefined ? -1 : names.indexOf(write);
  return [
    schedule.of === undefined ? 0 : 1,
    // An approval that was given twice weighs more than the prompt that led to it.
    breach?.request === 'answer' ? 0 : 1,
    request?.n ?? nth,
    at < 0 && write !== undefined ? names.length : at,
  ];
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

/** Answers are sent to where prompts are: one piece of a program sends both. */
const placeOf = (operation: string): string => (operation === 'answer' ? 'chat' : operation);

/**
 * Groups breaches by law, request and the program's act, whatever caused them. All breaches that one disturbance of a
 * request causes are one defect, in whatever words. A pair of disturbances shrinks to the half that alone breaks the same
 * law.
 */
export function groupsOf(judged: readonly Judged[]): Group[] {
  const broken = judged.filter(({ breach }) => breach !== undefined);
  const singles = new Map(broken.map((one) => [one.schedule.id, one]));
  let groups: (Group & { readonly keys: ReadonlySet<string> })[] = [];
  for (const one of broken) {
    const { law = '', did = '', request } = one.breach ?? {};
    const half = one.schedule.of?.find(({ id }) => singles.get(id)?.breach?.law === law);
    const { kind, moment } = half ?? one.schedule;
    const place = `${law}\n${placeOf(request ?? moment.operation)}\n`;
    const keys = [`${place}did ${did}`, `${place}${kind}`];
    const like = groups.filter((group) => keys.some((key) => group.keys.has(key)));
    groups = groups.filter((group) => !like.includes(group));
    groups.push({
      law,
      request: placeOf(request ?? moment.operation),
      members: [...like.flatMap(({ members }) => members), one],
      keys: new Set([...keys, ...like.flatMap((group) => [...group.keys])]),
    });
  }
  return groups.map(({ law, request, members }) => ({
    law,
    request,
    members: [...members].sort((a, b) => compare(size(a), size(b))),
  }));
}

/** Members of a group by what was done to which request, each the smallest first. */
export const byDisturbance = ({ members }: Pick<Group, 'members'>) => [
  ...byKey(members, ({ schedule: { kind, moment } }) => `${kind} ${moment.operation}`).values(),
];

/** A finding of those members that count, the smallest first. */
export function findingOf({ law, request, members }: Group, rests: Omit<VerdictRests, 'class' | 'law'>): Finding {
  const [shown] = members;
  if (shown === undefined) throw new Error('a group has a member');
  const { schedule, breach, run } = shown;
  const { kind, moment, file } = schedule;
  const message = breach?.message ?? '';
  return {
    law,
    request,
    operation: moment.operation,
    kind,
    disturbances: byDisturbance({ members }).map((its) => ({
      kind: its[0].schedule.kind,
      operation: its[0].schedule.moment.operation,
      schedules: its.map(({ schedule: { id } }) => id),
    })),
    sentence: sentenceOf(schedule, message),
    schedule: { format: 2, name: file.name, faults: file.faults, explore: { class: schedule.class, law, ...rests } },
    count: members.length,
    message,
    timeLine: timeLineOf(run),
  };
}

/** Orderly failures of which those that say the same are one, the most frequent first. */
export function mergedOf(all: readonly Surfaced[]): Surfaced[] {
  return [...byKey(all, (one) => `${one.class}\n${one.by}\n${alikeButStatus(one.message)}`).values()]
    .map((alike) => ({
      ...alike[0],
      kinds: [...new Set(alike.flatMap(({ kinds }) => kinds))].sort(),
      count: alike.reduce((sum, { count }) => sum + count, 0),
    }))
    .sort((a, b) => b.count - a.count);
}

/** Orderly failures, by what they said. */
export const surfacedOf = (judged: readonly Judged[]): Surfaced[] =>
  mergedOf(
    judged.flatMap(({ verdict, schedule, run: { seen } }) =>
      verdict === 'surfaced' && seen.outcome.kind === 'failed'
        ? [
            {
              by: seen.outcome.by,
              message: seen.outcome.message,
              class: schedule.class,
              kinds: [schedule.kind],
              count: 1,
            },
          ]
        : [],
    ),
  );
