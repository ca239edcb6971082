import type { Intern } from '../../../emulator/contract/intern.js';
import type { InternRow } from '../../../emulator/contract/state.js';
import { withRequest } from '../combinators/exchange.js';
import { routes, whenGone, wrap } from '../combinators/parts.js';
import { answers, errors, exchanges, jsonReply, knowingSuspended, rewriteJson } from '../combinators/replies.js';
import { byDefault, cutsLimit, rewriteQuery } from '../combinators/requests.js';
import { defineDeviations, type Mutant } from '../mutant.js';

interface Page {
  data: Intern[];
  has_more: boolean;
  next_cursor?: string;
}

/** Changes the pages of the list. */
const pages = (change: (page: Page, query: URLSearchParams) => unknown): Mutant =>
  rewriteJson('list', (body, { query }) => change(body as unknown as Page, query));

/** Has cursors be offsets into the list as it is now, where the query says so. */
const countsEntries = (when: (query: URLSearchParams) => boolean): Mutant =>
  exchanges(async ({ operation, query, request }, next) => {
    if (operation !== 'list' || !when(query)) return next(request);
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

export const LIST = defineDeviations({
  'list-oldest-first': wrap({ createInterns: (part) => ({ list: (caller) => part.list(caller).reverse() }) }),
  // The list is sorted by the last change instead of the creation.
  'list-last-changed-first': wrap({
    createInterns: (part) => ({
      list: (caller) =>
        part.list(caller).sort((a, b) => Date.parse(b.record.updated_at) - Date.parse(a.record.updated_at)),
    }),
  }),
  // Deleted interns stay in the list.
  'list-keeps-the-gone': () => {
    const gone: InternRow[] = [];
    return whenGone(
      (row) => gone.push(row),
      (part) => ({
        list: (caller) =>
          [...part.list(caller), ...gone.filter((row) => row.record.workspace_id === caller.workspaceId)].sort(
            (a, b) => b.seq - a.seq,
          ),
      }),
    );
  },
  // The list holds only what has been provisioned.
  'list-leaves-out-the-stopped': pages((page) => ({
    ...page,
    data: page.data.filter(({ status }) => status !== 'stopped'),
  })),
  // The status filter changes nothing.
  'list-ignores-the-status-filter': rewriteQuery('list', (query) => query.delete('status')),
  // The status destroy_failed is 400 in a filter.
  'list-does-not-know-destroy-failed': rewriteQuery('list', (query) => {
    const status = query.get('status');
    if (status?.includes('destroy_failed')) query.set('status', 'unheard-of');
  }),
  // Nine entries that repeat themselves are taken.
  'list-counts-statuses-after-collapsing': rewriteQuery('list', (query) => {
    const status = query.get('status');
    if (status) query.set('status', [...new Set(status.split(','))].join(','));
  }),
  // A workspace that is not the key's gives an empty list.
  'list-of-a-foreign-workspace-is-empty': answers(
    { of: 'list', status: 404, says: 'Workspace not found' },
    jsonReply(200, { data: [], has_more: false }),
  ),
  // The filter by workspace changes nothing.
  'list-of-a-foreign-workspace-is-the-own': routes('list', ({ authorize: _, ...row }) => row),
  // A workspace that is not the key's is 403.
  'list-of-a-foreign-workspace-is-403': errors(
    { of: ({ request }) => request.method === 'GET', status: 404, says: 'Workspace not found' },
    { status: 403 },
  ),
  // Filtered by the own workspace the list lacks the newest intern.
  'list-by-workspace-is-empty': pages((page, query) =>
    query.has('workspace_id') ? { ...page, data: page.data.slice(1) } : page,
  ),
  // A limit above 500 is taken for 500.
  'list-limit-is-cut-to-the-allowed': cutsLimit('list', 500),
  // A bad list query is 400 with the reason invalid_query.
  'list-errors-of-another-reason': errors({ of: 'list', status: 400 }, { reason: 'invalid_query', retryable: false }),
  // A full last page says that there is more.
  'list-one-page-too-many': pages((page, query) =>
    page.data.length === Number(query.get('limit')) && !page.has_more
      ? { ...page, has_more: true, next_cursor: 'c2VxOjE' }
      : page,
  ),
  // A page begins with the last intern of the one before.
  'list-pages-overlap': () => {
    const last = new Map<unknown, Intern | undefined>();
    return pages((page, query) => {
      const before = last.get(query.get('starting_after'));
      if (page.next_cursor) last.set(page.next_cursor, page.data.at(-1));
      return before ? { ...page, data: [before, ...page.data.slice(0, -1)] } : page;
    });
  },
  // The cursor is an offset into the list as it is now.
  'list-cursor-counts-entries': countsEntries(() => true),
  // Without a limit a page holds 100 interns.
  'list-of-a-hundred-by-default': byDefault('list', 'limit', '100'),
  // Filtered by status the cursor is an offset into the list as it is now.
  'list-cursor-counts-filtered-entries': countsEntries((query) => query.has('status')),
  // Filtered by status the list comes oldest first.
  'list-by-status-oldest-first': pages((page, query) =>
    query.has('status') ? { ...page, data: page.data.toReversed() } : page,
  ),
  // A filter of more than one status changes nothing.
  'list-ignores-several-statuses': rewriteQuery('list', (query) => {
    if (query.get('status')?.includes(',')) query.delete('status');
  }),
  // Filtered by workspace the filter by status changes nothing.
  'list-by-workspace-ignores-the-status': rewriteQuery('list', (query) => {
    if (query.has('workspace_id')) query.delete('status');
  }),
  // The list lacks what was suspended.
  'list-leaves-out-the-suspended': knowingSuspended((suspended) =>
    pages((page) => ({ ...page, data: page.data.filter(({ id }) => !suspended.has(id)) })),
  ),
  'list-shows-the-suspended-as-running': knowingSuspended((suspended) =>
    pages((page) => ({
      ...page,
      data: page.data.map((one) => (suspended.has(one.id) ? { ...one, status: 'running' } : one)),
    })),
  ),
});
