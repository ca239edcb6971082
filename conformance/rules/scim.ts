import { TIMESTAMP, UUID } from '../model/assert.js';
import { isRecord } from '../probe/json.js';
import { answerOf, isOurs } from './errors.js';
import { ASIDE, isWithoutKey } from './mistakes.js';
import { type AnyRule, all, each, holds, is, isDone, keysAre, rulesOf, textOf } from './rule.js';

/** The catalogue of the mapping read. */
const CATALOGUE: Readonly<Record<number, string>> = {
  401: 'Missing Authentication header',
  404: 'Resource not found',
  500: 'Internal Server Error',
};

/** The mapping read. */
export const SCIM: readonly AnyRule[] = [
  ...rulesOf('SCIM-1', ['scim'], {
    fields: {
      says: 'A mapping is {data} with exactly the stated fields.',
      alone: true,
      judge: (seen) =>
        isDone(seen)
          ? all(
              keysAre(seen.json, ['data'], 'a mapping'),
              keysAre(
                seen.json?.data,
                ['id', 'scim_group_id', 'workspace_id', 'organization_id', 'role', 'created_at', 'updated_at'],
                'data of a mapping',
              ),
            )
          : undefined,
    },
    forms: {
      says: 'The ids of a mapping are UUIDs, its times ISO 8601 in UTC with milliseconds.',
      alone: true,
      judge: (seen) => {
        const data = isDone(seen) && isRecord(seen.json?.data) ? seen.json.data : undefined;
        if (data === undefined) return undefined;
        const right = (key: string, pattern: typeof UUID) =>
          holds(pattern.test(textOf(data[key])), `${key} of a mapping`, pattern.words, data[key]);
        return all(
          each(['id', 'scim_group_id', 'workspace_id'], (key) => right(key, UUID)),
          each(['created_at', 'updated_at'], (key) => right(key, TIMESTAMP)),
          each(['organization_id', 'role'], (key) =>
            holds(textOf(data[key]) !== '', `${key} of a mapping`, 'a string', data[key]),
          ),
          holds(
            Date.parse(textOf(data.updated_at)) >= Date.parse(textOf(data.created_at)),
            'updated_at of a mapping',
            'no earlier than created_at',
            data.updated_at,
          ),
        );
      },
    },
    'named-by-path': {
      says: 'A mapping has the id that the path names.',
      alone: true,
      judge: (seen) =>
        isDone(seen) && isRecord(seen.json?.data)
          ? is('id of a mapping', seen.id?.toLowerCase(), textOf(seen.json.data.id).toLowerCase())
          : undefined,
    },
    stays: {
      says: 'A mapping that nobody changed reads the same again.',
      judge: (seen, model) => {
        const data = isDone(seen) ? seen.json?.data : undefined;
        const before = isRecord(data) && seen.id !== undefined ? model.mapping(seen.id) : undefined;
        if (!isRecord(data) || before === undefined || !isRecord(before.value)) return undefined;
        const known = before.value;
        const isSame = data.updated_at === known.updated_at;
        return each(isSame ? Object.keys(known) : ['scim_group_id', 'organization_id', 'created_at'], (key) =>
          is(`${key} of a mapping`, known[key], data[key], [before.number]),
        );
      },
    },
    role: {
      level: 'P',
      says: 'The role of a mapping is admin or member.',
      alone: true,
      judge: (seen) =>
        isDone(seen) && isRecord(seen.json?.data)
          ? holds(
              seen.json.data.role === 'admin' || seen.json.data.role === 'member',
              'role of a mapping',
              'admin or member',
              seen.json.data.role,
            )
          : undefined,
    },
  }),
  ...rulesOf('SCIM-2', ['scim'], {
    listed: {
      says: 'The errors of the mapping read are 401, 404 and 500.',
      alone: true,
      of: ['scim'],
      judge: (seen) => {
        const { status } = seen.answered;
        if (!isOurs(seen) || seen.asked.regional || ASIDE.has(status)) return undefined;
        return holds(CATALOGUE[status] !== undefined, `status of ${seen.called}`, '401, 404 or 500', status);
      },
    },
    catalogue: {
      says: 'An error of the mapping read has the message of its status.',
      alone: true,
      judge: (seen) => {
        const wanted = isOurs(seen) && !seen.asked.regional ? CATALOGUE[seen.answered.status] : undefined;
        if (wanted === undefined || (seen.answered.status === 401 && seen.caller !== null)) return undefined;
        return is(`error.message of ${answerOf(seen)}`, wanted, seen.error?.message);
      },
    },
    'scim-unknown': {
      says: 'A mapping that is unknown answers 404.',
      step: 'named',
      statuses: [404],
      wrong: (seen, model) =>
        // Without a valid key a service looks for no mapping. A router may know that a path names none.
        seen.id !== undefined && !(isWithoutKey(seen) === true && UUID.test(seen.id))
          ? !UUID.test(seen.id) ||
            model.options.madeUp?.(seen.id) === true ||
            (model.options.mapping === undefined || model.options.mapping.toLowerCase() !== seen.id.toLowerCase()
              ? undefined
              : false)
          : false,
    },
  }),
];
