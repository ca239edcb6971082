import type { Intern } from '../../emulator/contract/intern.js';
import type { ListQuery } from '../../emulator/http/list.js';
import { bodies, errors, inside, parses, queries, rows } from './change.js';
import { defineDeviations, together } from './deviation.js';

interface Page {
  data: Intern[];
  has_more: boolean;
  next_cursor?: string;
}

/** Changes the pages of the list. */
const pages = (change: (page: Page, query: ListQuery) => unknown) =>
  bodies('list', (body, call) => change(body as unknown as Page, call.input as ListQuery));

const BAD_QUERY_STATUS = 400;
const isListError = (path: string) => path.endsWith('/interns');

export const LIST = defineDeviations([
  {
    name: 'list-oldest-first',
    requirement: 'LIST-1',
    description: 'The list comes oldest first.',
    alters: { interns: (part) => ({ ...part, list: (caller) => part.list(caller).reverse() }) },
    caughtBy: ['list/newest-first'],
  },
  {
    name: 'list-last-changed-first',
    requirement: 'LIST-1',
    description: 'The list is sorted by the last change instead of the creation.',
    alters: {
      interns: (part) => ({
        ...part,
        list: (caller) =>
          part.list(caller).sort((a, b) => Date.parse(b.record.updated_at) - Date.parse(a.record.updated_at)),
      }),
    },
    caughtBy: ['list/agrees-with-reads'],
  },
  {
    name: 'list-of-stale-records',
    requirement: 'LIST-1',
    description: 'The list shows interns as they were created.',
    alters: () => {
      const first = new Map<string, Intern>();
      return pages((page) => ({
        ...page,
        data: page.data.map((record) => {
          if (!first.has(record.id)) first.set(record.id, record);
          return { ...record, description: first.get(record.id)?.description ?? null };
        }),
      }));
    },
    caughtBy: ['list/agrees-with-reads'],
  },
  {
    name: 'list-keeps-the-gone',
    requirement: 'LIST-1',
    description: 'Deleted interns stay in the list.',
    alters: {
      interns: (part) => {
        const gone: ReturnType<typeof part.list> = [];
        return {
          ...part,
          remove(row) {
            gone.push(row);
            part.remove(row);
          },
          list: (caller) =>
            [...part.list(caller), ...gone.filter((row) => row.record.workspace_id === caller.workspaceId)].sort(
              (a, b) => b.seq - a.seq,
            ),
        };
      },
    },
    caughtBy: ['list/gone-is-not-listed', 'delete/until-gone'],
  },
  {
    name: 'list-leaves-out-the-stopped',
    requirement: 'LIST-1',
    description: 'The list holds only what has been provisioned.',
    alters: pages((page) => ({ ...page, data: page.data.filter(({ status }) => status !== 'stopped') })),
    caughtBy: ['list/newest-first', 'model/lifecycle'],
  },
  {
    name: 'list-ignores-the-status-filter',
    requirement: 'LIST-2',
    description: 'The status filter changes nothing.',
    alters: parses('list', (parse, parts) => ({ ...(parse(parts) as ListQuery), statuses: undefined })),
    caughtBy: ['list/by-status', 'list/by-status-live', 'list/pages-within-a-filter'],
  },
  {
    name: 'list-filters-by-the-first-status',
    requirement: 'LIST-2',
    description: 'Of several statuses only the first is filtered by.',
    alters: parses('list', (parse, parts) => {
      const query = parse(parts) as ListQuery;
      return { ...query, statuses: query.statuses && new Set([...query.statuses].slice(0, 1)) };
    }),
    caughtBy: ['list/by-status', 'list/by-status-live'],
  },
  {
    name: 'list-filter-leaves-failures-out',
    requirement: 'LIST-2',
    description: 'Interns that failed are found by no status.',
    alters: pages((page, { statuses }) => ({
      ...page,
      data: page.data.filter(({ status }) => !statuses || !['failed', 'destroy_failed'].includes(status)),
    })),
    caughtBy: ['list/by-status'],
  },
  {
    name: 'list-does-not-know-destroy-failed',
    requirement: 'LIST-2',
    description: 'The status destroy_failed is 400 in a filter.',
    alters: queries('list', (query) => {
      const status = query.get('status');
      if (status?.includes('destroy_failed')) query.set('status', 'unheard-of');
    }),
    caughtBy: ['list/every-status-is-known', 'list/by-status'],
  },
  {
    name: 'list-takes-seven-statuses',
    requirement: 'LIST-2',
    description: 'Eight entries of a status filter are refused.',
    alters: queries('list', (query) => {
      const status = query.get('status');
      if (status && status.split(',').length > 7) query.set('status', 'unheard-of');
    }),
    caughtBy: ['list/every-status-is-known'],
  },
  {
    name: 'list-counts-statuses-after-collapsing',
    requirement: 'LIST-2',
    description: 'Nine entries that repeat themselves are taken.',
    alters: queries('list', (query) => {
      const status = query.get('status');
      if (status) query.set('status', [...new Set(status.split(','))].join(','));
    }),
    caughtBy: ['list/bad-status'],
  },
  {
    name: 'list-skips-unknown-statuses',
    requirement: 'LIST-2',
    description: 'Unknown and empty entries of a status filter are passed over.',
    alters: queries('list', (query) => {
      const status = query.get('status');
      if (status === null) return;
      const known = status
        .split(',')
        .filter((one) => /^(queued|provisioning|running|failed|stopped|destroy)/.test(one));
      if (known.length > 0) query.set('status', known.join(','));
      else query.delete('status');
    }),
    caughtBy: ['list/bad-status'],
  },
  {
    name: 'list-of-a-foreign-workspace-is-empty',
    requirement: 'LIST-2',
    description: "A workspace that is not the key's gives an empty list.",
    alters: rows('list', ({ authorize: _, ...row }) => ({
      ...row,
      handle(call) {
        const { workspaceId } = call.input as ListQuery;
        return workspaceId !== undefined && workspaceId !== call.caller.workspaceId
          ? { status: 200, body: '{"data":[],"has_more":false}', headers: { 'content-type': 'application/json' } }
          : row.handle(call);
      },
    })),
    caughtBy: ['list/foreign-workspace', 'list/foreign-workspace-404'],
  },
  {
    name: 'list-of-a-foreign-workspace-is-the-own',
    requirement: 'LIST-2',
    description: 'The filter by workspace changes nothing.',
    alters: rows('list', ({ authorize: _, ...row }) => row),
    caughtBy: ['list/foreign-workspace-hidden', 'list/foreign-workspace', 'list/foreign-workspace-404'],
  },
  {
    name: 'list-of-a-foreign-workspace-is-403',
    requirement: 'LIST-2',
    description: "A workspace that is not the key's is 403.",
    alters: errors(({ status, error, request }) =>
      status === 404 && error.message === 'Workspace not found' && request.method === 'GET'
        ? { status: 403 }
        : undefined,
    ),
    caughtBy: ['list/foreign-workspace-404'],
  },
  {
    name: 'list-by-workspace-is-empty',
    requirement: 'LIST-2',
    description: 'Filtered by the own workspace the list lacks the newest intern.',
    alters: pages((page, { workspaceId }) =>
      workspaceId === undefined ? page : { ...page, data: page.data.slice(1) },
    ),
    caughtBy: ['list/by-workspace'],
  },
  {
    name: 'list-limit-is-cut-to-the-allowed',
    requirement: 'LIST-3',
    description: 'A limit above 500 is taken for 500.',
    alters: queries('list', (query) => {
      if (Number(query.get('limit')) > 500) query.set('limit', '500');
    }),
    caughtBy: ['list/bad-limit'],
  },
  {
    name: 'list-limit-that-is-none-is-ignored',
    requirement: 'LIST-3',
    description: 'A limit that is no number is ignored.',
    alters: queries('list', (query) => {
      if (Number.isNaN(Number(query.get('limit') ?? undefined))) query.delete('limit');
    }),
    caughtBy: ['list/bad-limit'],
  },
  {
    name: 'list-limit-of-nothing',
    requirement: 'LIST-3',
    description: 'limit 0 is taken for no limit.',
    alters: queries('list', (query) => {
      if (query.get('limit') === '0') query.delete('limit');
    }),
    caughtBy: ['list/bad-limit'],
  },
  {
    name: 'list-starts-over-at-a-bad-cursor',
    requirement: 'LIST-3',
    description: 'A cursor that is none gives the first page.',
    alters: parses('list', (parse, parts) => {
      try {
        return parse(parts);
      } catch (error) {
        if (!parts.query.has('starting_after')) throw error;
        const query = new URLSearchParams(parts.query);
        query.delete('starting_after');
        return parse({ bytes: parts.bytes, query, headers: parts.headers, json: () => undefined });
      }
    }),
    caughtBy: ['list/bad-cursor'],
  },
  {
    name: 'list-errors-of-another-reason',
    requirement: 'LIST-3',
    description: 'A bad list query is 400 with the reason invalid_query.',
    alters: errors(({ status, error, request }) =>
      status === BAD_QUERY_STATUS && request.method === 'GET' && isListError(new URL(request.url).pathname)
        ? { error: { ...error, metadata: { reason: 'invalid_query', retryable: false } } }
        : undefined,
    ),
    caughtBy: ['list/bad-limit', 'list/bad-cursor', 'list/bad-status'],
  },
  {
    name: 'list-cursor-null-at-the-end',
    requirement: 'LIST-3',
    description: 'next_cursor is null on the last page.',
    alters: pages((page) => ({ next_cursor: null, ...page })),
    caughtBy: ['list/pages-any-limit', 'list/pages-exact-end'],
  },
  {
    name: 'list-one-page-too-many',
    requirement: 'LIST-3',
    description: 'A full last page says that there is more.',
    alters: pages((page, { limit }) =>
      page.data.length === limit && !page.has_more ? { ...page, has_more: true, next_cursor: 'c2VxOjE' } : page,
    ),
    caughtBy: ['list/pages-exact-end'],
  },
  {
    name: 'list-pages-overlap',
    requirement: 'LIST-3',
    description: 'A page begins with the last intern of the one before.',
    alters: parses('list', (parse, parts) => {
      const query = parse(parts) as ListQuery;
      return query.before === undefined ? query : { ...query, before: query.before + 1 };
    }),
    caughtBy: ['list/pages-any-limit', 'list/pages-exact-end', 'list/pages-within-a-filter'],
  },
  {
    name: 'list-pages-skip-one',
    requirement: 'LIST-3',
    description: 'A page leaves out the intern after the cursor.',
    alters: pages((page, { before }) =>
      before === undefined || page.data.length < 2 ? page : { ...page, data: page.data.slice(1) },
    ),
    caughtBy: ['list/pages-any-limit'],
  },
  {
    name: 'list-cursor-counts-entries',
    requirement: 'LIST-3',
    description: 'The cursor is an offset into the list as it is now.',
    alters: rows('list', (row) => ({
      ...row,
      parse(parts) {
        const given = parts.query.get('starting_after');
        const query = new URLSearchParams(parts.query);
        query.delete('starting_after');
        const limit = query.get('limit');
        if (limit !== null) query.set('limit', '500');
        const input = row.parse({ bytes: parts.bytes, query, headers: parts.headers, json: () => undefined });
        return { ...(input as ListQuery), offset: Number(given ?? 0), wanted: Number(limit ?? 500) };
      },
      async handle(call) {
        const { offset, wanted } = call.input as { offset: number; wanted: number };
        const answer = await row.handle(call);
        const { data } = JSON.parse(String(answer.body)) as Page;
        const more = data.length > offset + wanted;
        const page = {
          data: data.slice(offset, offset + wanted),
          has_more: more,
          ...(more ? { next_cursor: String(offset + wanted) } : {}),
        };
        return { ...answer, body: JSON.stringify(page) };
      },
    })),
    caughtBy: ['list/pages-while-it-changes', 'list/filtered-status-changes-between-pages'],
  },
  {
    name: 'list-cursor-is-an-entry',
    requirement: 'LIST-3',
    description: 'A page whose cursor stands on an intern that is gone is empty.',
    alters: () => {
      const bySeq = new Map<number, string>();
      let known: (id: string) => boolean = () => true;
      return together(
        {
          interns(usual) {
            known = (id) => usual.get(id) !== undefined;
            return inside(usual, 'put', (put) => (row, ...rest) => {
              bySeq.set(row.seq, row.id);
              return put(row, ...rest);
            });
          },
        },
        pages((page, { before }) => {
          const on = before === undefined ? undefined : bySeq.get(before);
          return on !== undefined && !known(on) ? { data: [], has_more: false } : page;
        }),
      );
    },
    caughtBy: ['list/pages-while-it-changes', 'list/filtered-status-changes-between-pages'],
  },
  {
    name: 'list-cursor-forgets-the-filter',
    requirement: 'LIST-3',
    description: 'From the second page on the status filter is not applied.',
    alters: parses('list', (parse, parts) => {
      const query = parse(parts) as ListQuery;
      return query.before === undefined ? query : { ...query, statuses: undefined };
    }),
    caughtBy: ['list/pages-within-a-filter'],
  },
  {
    name: 'list-of-a-hundred-by-default',
    requirement: 'LIST-3',
    description: 'Without a limit a page holds 100 interns.',
    alters: queries('list', (query) => {
      if (!query.has('limit')) query.set('limit', '100');
    }),
    caughtBy: ['list/default-limit'],
  },
]);
