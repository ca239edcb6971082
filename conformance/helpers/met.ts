import type { Asked, Met } from '../framework/watch.js';
import { OPERATIONS } from './operations.js';

const SOME = 'any';

/** Operations as exchanges name them, by the names that checks have for them. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...OPERATIONS.map(
    ({ name, method, path }) => [`${method} ${path(SOME).replace(`/${SOME}`, '/{internId}')}`, name] as const,
  ),
  ['GET /scim/group-mappings/{id}', 'scim'] as const,
]);

/** Ids that every server on the way takes for one segment of a path. */
const PLAIN = /^[\w.~-]+$/;

/**
 * The name of the operation of the interface that was asked. Undefined for any other path or method, and for ids that a server
 * may refuse before it knows what was asked.
 */
export const nameOf = ({ operation, id }: Pick<Asked, 'operation' | 'id'>): string | undefined =>
  id === undefined || PLAIN.test(id) ? NAMES.get(operation) : undefined;

/** Whether an answer signs, by the operation or its alias. */
export const isSigning = (name: string | undefined): boolean => name === 'sign' || name === 'sign alias';

/** Statuses with which gateways, firewalls and limiters before a service answer in a form of their own. */
const OF_OTHERS: ReadonlySet<number> = new Set([403, 429, 502, 503, 504]);

/** Whether an answer is the service's own, and not of something on the way to it. */
export const isFromService = ({ status, json }: Met['answer']): boolean =>
  !OF_OTHERS.has(status) || (isRow(json) && 'error' in json);

export type Row = Readonly<Record<string, unknown>>;
export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The rows of an answer: of a list, or the one that it is. None of what is no success, or no JSON. */
export function rowsOf({ answer: { status, json } }: Pick<Met, 'answer'>): readonly Row[] {
  if (status >= 300 || !isRow(json)) return [];
  return Array.isArray(json.data) ? json.data.filter(isRow) : [json];
}

/** The records of interns that an answer shows, and none of any other operation. */
export const recordsOf = (met: Met): readonly Row[] => (SHOWS.has(nameOf(met) ?? '') ? rowsOf(met) : []);
const SHOWS: ReadonlySet<string> = new Set(['list', 'create', 'get', 'update']);
