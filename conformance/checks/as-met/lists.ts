import { STATUSES } from '../../arbitraries/status-filter.js';
import { equal, fail, gist } from '../../framework/assert.js';
import { checksOf } from '../../framework/check.js';
import type { Ctx } from '../../framework/context.js';
import type { Met, Watched } from '../../framework/watch.js';
import { nameOf, type Row, rowsOf } from '../../helpers/met.js';

/** The rows of a list that was answered. */
const listed = (met: Met): readonly Row[] | undefined =>
  nameOf(met) === 'list' && met.answer.status === 200 ? rowsOf(met) : undefined;

const named = ({ query }: Met): string => {
  const filters = [...new Set(query.keys())].sort();
  return filters.length === 0 ? 'a list' : `a list by ${filters.join(' and ')}`;
};

/** "Lists the interns visible to the key, newest first." */
function inOrder(met: Met): boolean {
  const rows = listed(met);
  if (rows === undefined) return false;
  const ids = rows.map(({ id }) => id);
  if (new Set(ids).size < ids.length) fail(`interns of ${named(met)}`, 'each once', gist('some more than once', ids));
  const dates = rows.map(({ created_at }) => (typeof created_at === 'string' ? Date.parse(created_at) : Number.NaN));
  const isOlder = dates.some((date, at) => at > 0 && date > (dates[at - 1] ?? date));
  if (isOlder) fail(`created_at in ${named(met)}`, 'newest first', dates);
  return rows.length > 1;
}

/** The known values of a filter, where all are known. */
function statusesOf({ query }: Met): readonly string[] | undefined {
  const wanted = query.getAll('status').flatMap((text) => text.split(','));
  const known = wanted.length > 0 && wanted.every((one) => STATUSES.some((status) => status === one));
  return known ? wanted : undefined;
}

/** What an intern may have become, or be shown as, by the time that it is listed. */
const COMING = ['queued', 'provisioning'];

/** "Filters: workspace, and one or more lifecycle statuses." */
function filtered(met: Met): boolean {
  const rows = listed(met);
  if (rows === undefined) return false;
  const statuses = statusesOf(met);
  const workspaces = met.query.getAll('workspace_id');
  if (statuses === undefined && workspaces.length !== 1) return false;
  for (const { id, status, workspace_id } of rows) {
    if (statuses !== undefined && ![...statuses, ...COMING].some((one) => one === status))
      fail(`status in ${named(met)}`, 'one that the filter names', { id, status, statuses });
    if (workspaces.length === 1 && typeof workspace_id === 'string')
      equal(workspace_id, workspaces[0], `workspace_id in ${named(met)}`);
  }
  return true;
}

/** Whose interns a key may see: the workspace that selects them, by who made them. */
const WORKSPACE: Readonly<Record<string, 'own' | 'foreign'>> = {
  api_key: 'own',
  peer_api_key: 'own',
  foreign_api_key: 'foreign',
};

/** "The API key selects the caller, the workspace and the visible interns." Nobody else is shown any. */
const visible = ({ creatorOf }: Watched) => ({
  sees(met: Met): boolean {
    const rows = listed(met);
    if (rows === undefined || met.send.present !== undefined || typeof met.as !== 'string') return false;
    const mine = WORKSPACE[met.as];
    if (mine === undefined && met.as !== 'outsider_api_key') return false;
    const others = rows.flatMap(({ id }) => {
      const by = typeof id === 'string' ? creatorOf(id) : undefined;
      return by !== undefined && (WORKSPACE[by] ?? mine) !== mine ? [id] : [];
    });
    equal(others, [], `interns of other workspaces in ${named(met)} of ${met.as}`);
    return true;
  },
});

/** "{data, has_more, next_cursor?} … limit is 1 to 500". */
function within(met: Met): boolean {
  const rows = listed(met);
  const limit = met.query.get('limit') ?? '500';
  if (rows === undefined || !/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > 500) return false;
  if (rows.length > Number(limit)) fail(`interns of ${named(met)}`, 'not more than its limit', rows.length);
  return true;
}

/** Lists with every filter, one by one and together, with interns that fit and others. */
async function meet(ctx: Ctx): Promise<void> {
  const { api, interns, target } = ctx;
  const { workspaceId: workspace_id } = target;
  await interns.running();
  await interns.stopped();
  if (target.foreignWorkspaceId !== undefined) await interns.foreign();
  const queries = [{}, { status: 'running' }, { status: 'stopped,failed' }, { workspace_id }, { limit: 1 }];
  const both = ['running', 'stopped,running'].map((status) => ({ workspace_id, status }));
  for (const query of [...queries, ...both, { status: 'stopped,running', limit: 1 }])
    for (const as of ['api_key', 'peer_api_key', 'foreign_api_key'] as const) await api.list(query, { as });
}

/** LIST-1: the lists that a run met. */
export const LISTS_AS_MET = checksOf('LIST-1', {
  'as-met/list-order': {
    title: 'Every list that the run met has each intern once, newest first.',
    needs: [],
    watch: () => ({ sees: inOrder }),
    run: meet,
  },
  'as-met/list-filters': {
    requirement: 'LIST-2',
    title: 'Every filtered list that the run met has only what its filters name.',
    needs: [],
    // A status may be shown late.
    watch: () => ({ lasts: true, sees: filtered }),
    run: meet,
  },
  'as-met/list-visible': {
    requirement: 'AUTH-2',
    title: 'No list that the run met shows a key the interns of another workspace.',
    needs: [],
    watch: visible,
    run: meet,
  },
  'as-met/list-limit': {
    requirement: 'LIST-3',
    title: 'No list that the run met is longer than its limit.',
    needs: [],
    watch: () => ({ sees: within }),
    run: meet,
  },
});
