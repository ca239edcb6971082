import { STATUSES } from '../habits/status-words.js';
import { idAsShown } from '../model/exchange.js';
import { isListedBy, type RecordFields } from '../model/intern.js';
import { isOfWorkspace, LIST_PARAMETERS } from '../model/lists.js';
import type { Model } from '../model/model.js';
import { isMember, LATE, SKEW } from '../model/options.js';
import { isRecord } from '../probe/json.js';
import { areNumbers, areStatuses } from './forms.js';
import { isOtherWorkspace, maybe, REFUSED } from './mistakes.js';
import {
  type AnyRule,
  all,
  each,
  eachIntern,
  holds,
  is,
  type Judgement,
  recordsOf,
  rulesOf,
  type Seen,
  SHOW,
} from './rule.js';

const isList = (seen: Seen): boolean =>
  seen.operation.name === 'list' && seen.answered.status === 200 && Array.isArray(seen.json?.data);

export const ofList = (judge: (rows: readonly RecordFields[], seen: Seen, model: Model) => Judgement) => ({
  of: ['list'] as const,
  judge: (seen: Seen, model: Model): Judgement =>
    isList(seen) ? judge(recordsOf(seen, model), seen, model) : undefined,
});

export const called = ({ asked }: Seen): string => {
  const filters = [...new Set(asked.query.keys())].sort();
  return filters.length === 0 ? 'a list' : `a list by ${filters.join(' and ')}`;
};

/** The statuses that a list asks for. Undefined if it has no filter, or an unknown status in it. */
function statusesOf({ asked: { query } }: Seen): readonly string[] | undefined {
  const wanted = query.getAll('status').flatMap((text) => text.split(','));
  return wanted.length > 0 && wanted.every((one) => STATUSES.some((status) => status === one)) ? wanted : undefined;
}

/** Statuses that any intern may have reached when the list shows it. */
const COMING: readonly string[] = ['queued', 'provisioning'];

/** Statuses of a deleted intern. */
const LEAVING: ReadonlySet<unknown> = new Set(['destroying', 'destroy_failed']);

/** The breach that an earlier list left out an intern which an answer shows now. */
const leftOut =
  (by: string) =>
  (seen: Seen, model: Model): Judgement =>
    eachIntern(recordsOf(seen, model), ({ id, status }) => {
      const { lost, made } = model.interns.get(String(id)) ?? {};
      // A delete may have begun before that list. A retried create answers with the record as it was at first.
      return seen.operation.name === 'create' ||
        lost?.by !== by ||
        lost.at > seen.asked.at ||
        (LEAVING.has(status) && lost.stuck !== true)
        ? undefined
        : is(`interns that an earlier ${by} left out`, [], [id], [made?.number ?? 0, lost.number]);
    });

/** The interns that a whole list lacks; undefined if that is unknown. */
export function lacking(rows: readonly RecordFields[], seen: Seen, model: Model) {
  const { asked, caller, json } = seen;
  const { query } = asked;
  if (caller === null || caller === undefined || !isMember(caller) || json?.has_more !== false) return undefined;
  if ([...query.keys()].some((key) => !LIST_PARAMETERS.has(key)) || query.has('status')) return undefined;
  const pages = model.pagesBefore(asked);
  if (query.has('starting_after') && pages === undefined) return undefined;
  const since = pages?.since ?? asked.at;
  const ids = new Set([...(pages?.ids ?? []), ...rows.map(({ id }) => String(id))]);
  const missing = [...model.present].filter((intern) => {
    if (intern.made === undefined || intern.made.at >= since || model.isVisible(asked, intern) !== true) return false;
    if (!isOfWorkspace(asked, intern)) return false;
    const phases = intern.phase.since(since);
    return phases !== undefined && !phases.has('gone') && !phases.has('going') && !ids.has(intern.id);
  });
  return { missing, pages };
}

/** Judges the order of a list without times, as a recording has it, by the creates that were seen. */
function byCreates(rows: readonly RecordFields[], seen: Seen, { interns }: Model): Judgement {
  const made = rows.flatMap(({ id }) => interns.get(String(id)) ?? []).filter((facts) => facts.made !== undefined);
  for (const [at, { id, since = Number.POSITIVE_INFINITY, made: older }] of made.entries()) {
    const newer = made.slice(at + 1).find((facts) => since + SKEW <= (facts.made?.at ?? 0));
    if (newer?.made !== undefined)
      return {
        what: `interns in ${called(seen)}`,
        expected: 'newest first',
        actual: [id, newer.id],
        because: [older?.number ?? 0, newer.made.number],
        alone: false,
      };
  }
  return made.length > 1 ? 'kept' : undefined;
}

/**
 * Judges a list of an emulator of ours at once. Elsewhere others may have deleted an intern that a list lacks: the list breaks the rule
 * when a later answer shows the intern.
 */
const ofOurs = (by: string, judge: Parameters<typeof ofList>[0]) => {
  const [now, later] = [ofList(judge).judge, leftOut(by)];
  return {
    of: SHOW,
    judge(seen: Seen, model: Model): Judgement {
      const judged = seen.operation.name === 'list' ? now(seen, model) : undefined;
      if (model.options.ours === true) return judged;
      return later(seen, model) ?? (judged === 'kept' ? judged : undefined);
    },
  };
};

/** list_interns: order, filters, pages. */
export const LISTS: readonly AnyRule[] = [
  ...rulesOf('LIST-1', {
    'newest-first': {
      says: 'A list is in the order of creation, newest first.',
      alone: true,
      ...ofList((rows, seen, model) => {
        const dates = rows.map(({ created_at }) =>
          typeof created_at === 'string' ? Date.parse(created_at) : Number.NaN,
        );
        if (new Set(dates).size < 2 || dates.some(Number.isNaN)) return byCreates(rows, seen, model);
        return holds(
          dates.every((date, at) => at === 0 || date <= (dates[at - 1] ?? date)),
          `created_at in ${called(seen)}`,
          'newest first',
          dates,
        );
      }),
    },
    once: {
      says: 'A list has each intern once, on one of its pages.',
      ...ofList((rows, seen, model) => {
        const before = model.pagesBefore(seen.asked);
        // Only the published API says how pages stand while interns are created.
        const { published } = model.options.profile;
        if (
          before !== undefined &&
          !published &&
          [...model.present].some(({ made }) => (made?.at ?? 0) + LATE >= before.since)
        )
          return undefined;
        const met = new Set(before?.ids);
        const twice = rows.map(({ id }) => String(id)).filter((id) => met.size === met.add(id).size);
        return met.size + twice.length < 2
          ? undefined
          : is(`interns more than once in ${called(seen)}`, [], twice, before?.numbers);
      }),
    },
    whole: {
      says: 'A whole list has each intern that its caller sees.',
      ...ofOurs('list', (rows, seen, model) => {
        const found = lacking(rows, seen, model);
        if (found === undefined) return undefined;
        const [first] = found.missing;
        return is(
          `interns that ${called(seen)} leaves out`,
          [],
          found.missing.map(({ id }) => id),
          [
            ...(first?.made === undefined ? [] : [first.made.number, ...first.phase.because]),
            ...(found.pages?.numbers ?? []),
          ],
        );
      }),
    },
    'parameter-twice': {
      open: true,
      says: 'A service may refuse a parameter of a list that is given twice.',
      step: 'body',
      statuses: [400],
      of: ['list'],
      wrong: ({ asked }) =>
        maybe(['limit', 'starting_after', 'workspace_id'].some((name) => asked.query.getAll(name).length > 1)),
    },
  }),
  ...rulesOf('LIST-2', {
    workspace: {
      says: 'A list by workspace has only interns of that workspace.',
      alone: true,
      ...ofList((rows, seen) => {
        const asked = seen.asked.query.getAll('workspace_id');
        return asked.length !== 1
          ? undefined
          : each(rows, ({ workspace_id }) =>
              typeof workspace_id === 'string'
                ? is(`workspace_id in ${called(seen)}`, idAsShown(asked[0], workspace_id), workspace_id)
                : undefined,
            );
      }),
    },
    status: {
      says: 'A list by statuses has only interns of those statuses.',
      alone: true,
      settles: 'at the end',
      ...ofList((rows, seen) => {
        const wanted = statusesOf(seen);
        return wanted === undefined
          ? undefined
          : each(rows, ({ id, status }) =>
              holds(
                [...wanted, ...COMING].some((one) => one === status),
                `status in ${called(seen)}`,
                `one of ${wanted.join(', ')}`,
                { id, status },
              ),
            );
      }),
    },
    'status-whole': {
      says: 'A whole list by statuses has each intern of those statuses.',
      ...ofOurs('list by status', (rows, seen, model) => {
        const wanted = statusesOf(seen);
        const { asked, caller, json } = seen;
        const plain = [...asked.query.keys()].every(
          (key) => key === 'status' || key === 'workspace_id' || key === 'limit',
        );
        if (wanted === undefined || caller === null || caller === undefined || json?.has_more !== false || !plain)
          return undefined;
        const ids = new Set(rows.map(({ id }) => id));
        const due = [...model.present].filter((intern) => {
          const phases =
            intern.made === undefined || intern.made.at >= asked.at ? undefined : intern.phase.since(asked.at);
          if (phases === undefined || model.isVisible(asked, intern) !== true) return false;
          return isOfWorkspace(asked, intern) && isListedBy(phases, wanted);
        });
        const missing = due.filter(({ id }) => !ids.has(id));
        return due.length === 0
          ? undefined
          : is(
              `interns that ${called(seen)} leaves out`,
              [],
              missing.map(({ id }) => id),
              missing[0]?.phase.because,
            );
      }),
    },
    'list-status': {
      level: 'P',
      says: 'A list by an unknown status is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      of: ['list'],
      wrong: ({ asked }) => !areStatuses(asked.query),
    },
    'status-words': {
      open: true,
      says: 'A service may have words of its own for statuses, except for destroy_failed.',
      step: 'body',
      statuses: [400],
      of: ['list'],
      wrong: (seen, model) =>
        maybe(
          model.options.ours !== true &&
            seen.asked.query.has('status') &&
            ((model.options.ownStatuses?.() ?? []).length > 0 ||
              seen.asked.query
                .getAll('status')
                .some((text) => text.split(',').some((one) => !model.statuses.has(one)))) &&
            seen.asked.query.getAll('status').join() !== 'destroy_failed',
        ),
    },
    'list-workspace': {
      level: 'P',
      says: 'A list of another workspace is refused.',
      step: 'named',
      statuses: REFUSED,
      of: ['list'],
      wrong: (seen) => {
        const others = seen.asked.query.getAll('workspace_id').map((named) => isOtherWorkspace(named, seen.caller));
        return others.includes(true) || (others.includes(undefined) ? undefined : false);
      },
    },
  }),
  ...rulesOf('LIST-3', {
    form: {
      says: 'A list is {data, has_more, next_cursor?}.',
      alone: true,
      of: ['list'],
      judge: (seen) =>
        seen.answered.status === 200
          ? all(
              holds(Array.isArray(seen.json?.data), `data of ${called(seen)}`, 'a JSON array', seen.json?.data),
              holds(
                !Array.isArray(seen.json?.data) ||
                  seen.json.data.every((row) => isRecord(row) && typeof row.id === 'string' && row.id !== ''),
                `data of ${called(seen)}`,
                'interns, each with its id',
                seen.json?.data,
              ),
              holds(
                typeof seen.json?.has_more === 'boolean',
                `has_more of ${called(seen)}`,
                'a boolean',
                seen.json?.has_more,
              ),
              holds(
                seen.json?.next_cursor === undefined || typeof seen.json.next_cursor === 'string',
                `next_cursor of ${called(seen)}`,
                'a string, or absent',
                seen.json?.next_cursor,
              ),
              holds(
                (seen.json?.has_more === true) === (typeof seen.json?.next_cursor === 'string'),
                `next_cursor of ${called(seen)}`,
                'a cursor exactly where there is more',
                {
                  has_more: seen.json?.has_more,
                  next_cursor: seen.json?.next_cursor,
                },
              ),
            )
          : undefined,
    },
    limit: {
      says: 'A list is no longer than its limit.',
      alone: true,
      ...ofList((rows, seen) => {
        const limit = seen.asked.query.get('limit') ?? '500';
        return /^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= 500
          ? holds(rows.length <= Number(limit), `interns of ${called(seen)}`, `not more than ${limit}`, rows.length)
          : undefined;
      }),
    },
    'list-limit': {
      says: 'A list by an invalid limit is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      of: ['list'],
      wrong: ({ asked }) => !areNumbers(asked.query, 'limit', 1, 500),
    },
    'list-cursor': {
      says: 'A cursor that no list gave is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      of: ['list'],
      wrong: (seen, model) => {
        const cursor = seen.asked.query.get('starting_after');
        if (cursor === null || model.pagesBefore(seen.asked) !== undefined) return false;
        return /^[!]/.test(cursor) ? true : undefined;
      },
    },
  }),
];
