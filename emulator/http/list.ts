import { MAX_PAGE, MAX_STATUSES_IN_FILTER, STATUSES, type Status } from '../contract/intern.js';
import { suggestion } from '../contract/nearest.js';
import type { InternRow } from '../contract/state.js';
import { countOf, wrongField } from './checked.js';

/** A valid list query (LIST-2, LIST-3). */
export interface ListQuery {
  readonly workspaceId: string | undefined;
  readonly statuses: ReadonlySet<Status> | undefined;
  readonly limit: number;
  /** The page holds only rows with a lower sequence number. */
  readonly before: number | undefined;
}

const refuse = (name: string, message: string) => wrongField('invalid_query', name, message);

/** One value of a parameter that may be given once. */
function single(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  if (values.length > 1) throw refuse(name, `given ${values.length} times`);
  if (values[0] === '') throw refuse(name, 'must not be empty');
  return values[0];
}

function parseStatuses(query: URLSearchParams): ReadonlySet<Status> | undefined {
  const values = query.getAll('status');
  if (values.length === 0) return undefined;
  const entries = values.join(',').split(',');
  if (entries.length > MAX_STATUSES_IN_FILTER) throw refuse('status', `more than ${MAX_STATUSES_IN_FILTER} entries`);
  const wanted = new Set<Status>();
  for (const entry of entries) {
    const status = STATUSES.find((known) => known === entry);
    if (!status) {
      const near = suggestion(entry, STATUSES);
      throw refuse('status', `${JSON.stringify(entry)} is not one of ${STATUSES.join(', ')}${near}`);
    }
    wanted.add(status);
  }
  return wanted;
}

/**
 * A cursor is the sequence number of the last row of a page, so it stays right whatever is created or deleted
 * meanwhile. It is encoded to be opaque, and only cursors in the issued form are accepted.
 */
const encodeCursor = (seq: number): string => Buffer.from(`seq:${seq}`).toString('base64url');
function decodeCursor(cursor: string): number {
  const seq = /^seq:([1-9]\d{0,14})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
  if (seq === undefined || encodeCursor(Number(seq)) !== cursor)
    throw refuse('starting_after', 'not a cursor of this list');
  return Number(seq);
}

/** @throws Refusal 400 `Invalid list query` that names the parameter */
export function parseListQuery(query: URLSearchParams): ListQuery {
  const after = single(query, 'starting_after');
  return {
    workspaceId: single(query, 'workspace_id'),
    statuses: parseStatuses(query),
    limit: countOf(query, 'limit', 1, MAX_PAGE, MAX_PAGE),
    before: after === undefined ? undefined : decodeCursor(after),
  };
}

/** One page of the rows, which come newest first (LIST-1). */
export function listPage(rows: readonly InternRow[], { statuses, limit, before }: ListQuery) {
  const rest = rows.filter(
    (row) => (before === undefined || row.seq < before) && (!statuses || statuses.has(row.record.status)),
  );
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const more = rest.length > page.length;
  return {
    data: page.map((row) => row.record),
    has_more: more,
    ...(more && last ? { next_cursor: encodeCursor(last.seq) } : {}),
  };
}
