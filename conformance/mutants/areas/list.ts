import type { Intern } from '../../../emulator/contract/intern.js';
import type { Json } from '../../../emulator/wire/json.js';
import { withRequest } from '../../../emulator/wire/request.js';
import { defineMutants, type Mutation } from '../mutant.js';
import { answers, body, errors, exchanges, field, jsonReply, knowingSuspended } from '../operators/answers.js';
import { all, filtered, isOf, method, type Of } from '../operators/exchange.js';
import { knowingGone, routes, wrap } from '../operators/parts.js';
import { cutsLimit, query } from '../operators/requests.js';

interface Page {
  readonly data: readonly Intern[];
  readonly has_more: boolean;
  readonly next_cursor?: string;
}

/** Has cursors be offsets into the list as it is now. */
const countsEntries = (of: Of): Mutation =>
  exchanges(async (exchange, next) => {
    const { query, request } = exchange;
    if (!isOf(of, exchange)) return next(request);
    const offset = Number(query.get('starting_after') ?? 0);
    const wanted = Number(query.get('limit') ?? 500);
    const url = new URL(request.url);
    url.searchParams.delete('starting_after');
    if (wanted <= 500) url.searchParams.set('limit', '500');
    const response = await next(withRequest(request, { url: url.href }));
    if (response.status !== 200) return response;
    const { data } = (await response.json()) as Page;
    const more = data.length > offset + wanted;
    return Response.json({
      data: data.slice(offset, offset + wanted),
      has_more: more,
      ...(more ? { next_cursor: String(offset + wanted) } : {}),
    });
  });

const FOREIGN = { status: 404, says: 'Workspace not found' };

const byStatus = all('list', filtered('status'));
const byWorkspace = all('list', filtered('workspace_id'));

export const LIST = defineMutants({
  'list-oldest-first': wrap({ createInterns: (part) => ({ list: (caller) => part.list(caller).reverse() }) }),
  'list-last-changed-first': wrap({
    createInterns: (part) => ({
      list: (caller) =>
        part.list(caller).sort((a, b) => Date.parse(b.record.updated_at) - Date.parse(a.record.updated_at)),
    }),
  }),
  // Deleted interns stay in the list.
  'list-keeps-the-gone': knowingGone((gone) =>
    wrap({
      createInterns: (part) => ({
        list(caller) {
          const kept = [...gone.values()].filter((row) => row.record.workspace_id === caller.workspaceId);
          return [...part.list(caller), ...kept].sort((a, b) => b.seq - a.seq);
        },
      }),
    }),
  ),
  // The list holds only what has been provisioned.
  'list-leaves-out-the-stopped': field('list', 'data', (data: Intern[]) =>
    data.filter(({ status }) => status !== 'stopped'),
  ),
  'list-ignores-the-status-filter': query('list', 'status', () => null),
  // The status destroy_failed is 400 in a filter.
  'list-does-not-know-destroy-failed': query('list', 'status', (status) =>
    status?.includes('destroy_failed') ? 'unheard-of' : status,
  ),
  // Nine entries that repeat themselves are taken.
  'list-counts-statuses-after-collapsing': query('list', 'status', (status) =>
    status ? [...new Set(status.split(','))].join(',') : status,
  ),
  'list-of-a-foreign-workspace-is-empty': answers(
    { of: 'list', ...FOREIGN },
    jsonReply(200, { data: [], has_more: false }),
  ),
  // The filter by workspace changes nothing.
  'list-of-a-foreign-workspace-is-the-own': routes('list', { authorize: undefined }),
  'list-of-a-foreign-workspace-is-403': errors({ of: method('GET'), ...FOREIGN }, { status: 403 }),
  'list-by-workspace-is-empty': field(byWorkspace, 'data', (data: Intern[]) => data.slice(1)),
  'list-limit-is-cut-to-the-allowed': cutsLimit('list', 500),
  'list-errors-of-another-message': errors({ of: 'list', status: 400 }, { message: 'Bad request' }),
  'list-errors-of-another-reason': errors({ of: 'list', status: 400 }, { reason: 'invalid_query', retryable: false }),
  // A full last page says that there is more.
  'list-one-page-too-many': body('list', (page, { query }) =>
    (page.data as unknown[]).length === Number(query.get('limit')) && !page.has_more
      ? { ...page, has_more: true, next_cursor: 'c2VxOjE' }
      : page,
  ),
  // A page begins with the last intern of the one before.
  'list-pages-overlap': () => {
    const last = new Map<unknown, unknown>();
    return body('list', (page, { query }) => {
      const data = page.data as unknown[];
      const before = last.get(query.get('starting_after'));
      if (page.next_cursor) last.set(page.next_cursor, data.at(-1));
      return before ? { ...page, data: [before, ...data.slice(0, -1)] } : page;
    });
  },
  // Behind a cursor whose intern is gone there is nothing.
  'list-cursor-of-the-gone-is-the-end': knowingGone((gone) => {
    const last = new Map<unknown, Intern | undefined>();
    return body('list', (page, { query }) => {
      const before = last.get(query.get('starting_after'));
      if (page.next_cursor) last.set(page.next_cursor, (page.data as Intern[]).at(-1));
      return before !== undefined && gone.has(before.id) ? { data: [], has_more: false } : page;
    });
  }),
  'list-cursor-counts-entries': countsEntries('list'),
  'list-of-a-hundred-by-default': query('list', 'limit', (limit) => limit ?? 100),
  'list-cursor-counts-filtered-entries': countsEntries(byStatus),
  'list-by-status-oldest-first': field(byStatus, 'data', (data: Json[]) => data.toReversed()),
  'list-ignores-several-statuses': query('list', 'status', (status) => (status?.includes(',') ? null : status)),
  'list-by-workspace-ignores-the-status': query(byWorkspace, 'status', () => null),
  'list-leaves-out-the-suspended': knowingSuspended((isSuspended) =>
    field('list', 'data', (data: Intern[]) => data.filter(({ id }) => !isSuspended(id))),
  ),
  'list-shows-the-suspended-as-running': knowingSuspended((isSuspended) =>
    field('list', 'data.[].status', (status, { parent }) => (isSuspended(parent.id) ? 'running' : status)),
  ),
});
