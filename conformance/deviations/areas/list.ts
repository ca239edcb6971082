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
  'list-oldest-first': {
    description: 'The list comes oldest first.',
    mutant: wrap({ createInterns: (part) => ({ list: (caller) => part.list(caller).reverse() }) }),
  },
  'list-last-changed-first': {
    description: 'The list is sorted by the last change instead of the creation.',
    mutant: wrap({
      createInterns: (part) => ({
        list: (caller) =>
          part.list(caller).sort((a, b) => Date.parse(b.record.updated_at) - Date.parse(a.record.updated_at)),
      }),
    }),
  },
  'list-keeps-the-gone': {
    description: 'Deleted interns stay in the list.',
    mutant: () => {
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
  },
  'list-leaves-out-the-stopped': {
    description: 'The list holds only what has been provisioned.',
    mutant: pages((page) => ({ ...page, data: page.data.filter(({ status }) => status !== 'stopped') })),
  },
  'list-ignores-the-status-filter': {
    description: 'The status filter changes nothing.',
    mutant: rewriteQuery('list', (query) => query.delete('status')),
  },
  'list-does-not-know-destroy-failed': {
    description: 'The status destroy_failed is 400 in a filter.',
    mutant: rewriteQuery('list', (query) => {
      const status = query.get('status');
      if (status?.includes('destroy_failed')) query.set('status', 'unheard-of');
    }),
  },
  'list-counts-statuses-after-collapsing': {
    description: 'Nine entries that repeat themselves are taken.',
    mutant: rewriteQuery('list', (query) => {
      const status = query.get('status');
      if (status) query.set('status', [...new Set(status.split(','))].join(','));
    }),
  },
  'list-of-a-foreign-workspace-is-empty': {
    description: "A workspace that is not the key's gives an empty list.",
    mutant: answers(
      { of: 'list', status: 404, says: 'Workspace not found' },
      jsonReply(200, { data: [], has_more: false }),
    ),
  },
  'list-of-a-foreign-workspace-is-the-own': {
    description: 'The filter by workspace changes nothing.',
    mutant: routes('list', ({ authorize: _, ...row }) => row),
  },
  'list-of-a-foreign-workspace-is-403': {
    description: "A workspace that is not the key's is 403.",
    mutant: errors(
      { of: ({ request }) => request.method === 'GET', status: 404, says: 'Workspace not found' },
      { status: 403 },
    ),
  },
  'list-by-workspace-is-empty': {
    description: 'Filtered by the own workspace the list lacks the newest intern.',
    mutant: pages((page, query) => (query.has('workspace_id') ? { ...page, data: page.data.slice(1) } : page)),
  },
  'list-limit-is-cut-to-the-allowed': {
    description: 'A limit above 500 is taken for 500.',
    mutant: cutsLimit('list', 500),
  },
  'list-errors-of-another-reason': {
    description: 'A bad list query is 400 with the reason invalid_query.',
    mutant: errors({ of: 'list', status: 400 }, { reason: 'invalid_query', retryable: false }),
  },
  'list-one-page-too-many': {
    description: 'A full last page says that there is more.',
    mutant: pages((page, query) =>
      page.data.length === Number(query.get('limit')) && !page.has_more
        ? { ...page, has_more: true, next_cursor: 'c2VxOjE' }
        : page,
    ),
  },
  'list-pages-overlap': {
    description: 'A page begins with the last intern of the one before.',
    mutant: () => {
      const last = new Map<unknown, Intern | undefined>();
      return pages((page, query) => {
        const before = last.get(query.get('starting_after'));
        if (page.next_cursor) last.set(page.next_cursor, page.data.at(-1));
        return before ? { ...page, data: [before, ...page.data.slice(0, -1)] } : page;
      });
    },
  },
  'list-cursor-counts-entries': {
    description: 'The cursor is an offset into the list as it is now.',
    mutant: countsEntries(() => true),
  },
  'list-of-a-hundred-by-default': {
    description: 'Without a limit a page holds 100 interns.',
    mutant: byDefault('list', 'limit', '100'),
  },
  'list-cursor-counts-filtered-entries': {
    description: 'Filtered by status the cursor is an offset into the list as it is now.',
    mutant: countsEntries((query) => query.has('status')),
  },
  'list-by-status-oldest-first': {
    description: 'Filtered by status the list comes oldest first.',
    mutant: pages((page, query) => (query.has('status') ? { ...page, data: page.data.toReversed() } : page)),
  },
  'list-ignores-several-statuses': {
    description: 'A filter of more than one status changes nothing.',
    mutant: rewriteQuery('list', (query) => {
      if (query.get('status')?.includes(',')) query.delete('status');
    }),
  },
  'list-by-workspace-ignores-the-status': {
    description: 'Filtered by workspace the filter by status changes nothing.',
    mutant: rewriteQuery('list', (query) => {
      if (query.has('workspace_id')) query.delete('status');
    }),
  },
  'list-leaves-out-the-suspended': {
    description: 'The list lacks what was suspended.',
    mutant: knowingSuspended((suspended) =>
      pages((page) => ({ ...page, data: page.data.filter(({ id }) => !suspended.has(id)) })),
    ),
  },
  'list-shows-the-suspended-as-running': {
    description: 'In the list an intern that was suspended is running.',
    mutant: knowingSuspended((suspended) =>
      pages((page) => ({
        ...page,
        data: page.data.map((one) => (suspended.has(one.id) ? { ...one, status: 'running' } : one)),
      })),
    ),
  },
});
