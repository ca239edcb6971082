import { type Call, withHeaders } from '../call.js';
import { isMember } from '../lawful30/helpers.js';
import type { Way } from '../world.js';
import { peeked } from './helpers.js';

const STATUSES = ['queued', 'provisioning', 'running', 'failed', 'stopped', 'destroying', 'destroy_failed'];

/** The same list with other parameters; null deletes one. */
function listed(call: Call, changes: Readonly<Record<string, string | null>>): Request {
  const url = new URL(call.url);
  for (const [name, value] of Object.entries(changes))
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  return withHeaders(call, {}, url);
}

export const byOffset: Way = {
  name: 'pages are counted by offset, so that they move when interns come and go',
  lawful: true,
  unpublished: true,
  quote: 'Method, path and parameter names: not shown.',
  wrong: (world) => async (call, next) => {
    const query = call.url.searchParams;
    const limit = Number(query.get('limit') ?? '500');
    const from = /^o(\d+)$/.exec(query.get('starting_after') ?? 'o0')?.[1];
    if (call.op !== 'list' || !Number.isInteger(limit) || limit < 1 || limit > 500 || from === undefined) return next();
    const all = await next(listed(call, { limit: null, starting_after: null }));
    const { data } = await peeked(all);
    if (!all.ok || !Array.isArray(data)) return all;
    const end = Number(from) + limit;
    if (end < data.length || from !== '0') world.hit();
    const more = end < data.length ? { has_more: true, next_cursor: `o${end}` } : { has_more: false };
    return Response.json({ data: data.slice(Number(from), end), ...more }, { headers: { 'cache-control': 'private' } });
  },
};

export const lists: readonly Way[] = [
  byOffset,
  {
    name: 'a full page has a next one, which may be empty',
    lawful: true,
    unpublished: true,
    quote: 'Fields of the responses of list, delete, provision and suspend: not shown.',
    wrong: (world) => async (call, next) => {
      if (call.op !== 'list') return next();
      const query = call.url.searchParams;
      const over = query.get('starting_after')?.startsWith('over-') === true;
      const response = await next(over ? listed(call, { starting_after: null }) : undefined);
      const body = await peeked(response);
      if (!response.ok || !Array.isArray(body.data)) return response;
      if (over) return Response.json({ data: [], has_more: false });
      if (body.has_more !== false || body.data.length !== Number(query.get('limit') ?? '500')) return response;
      world.hit();
      return Response.json({ ...body, has_more: true, next_cursor: `over-${body.data.length}` });
    },
  },
  {
    name: 'junk in the query of a list is ignored',
    lawful: true,
    unpublished: true,
    quote: 'Method, path and parameter names: not shown.',
    wrong: (world) =>
      world.asked('list', (call) => {
        const query = call.url.searchParams;
        const limit = query.get('limit');
        const status = query.get('status');
        const known = [...new Set((status ?? '').split(','))].filter((one) => STATUSES.includes(one));
        const size = /^\d{1,9}$/.test(limit ?? '') ? String(Math.min(500, Math.max(1, Number(limit)))) : null;
        const statuses = known.length === 0 ? null : known.join(',');
        // A filter without any known status is not ignored.
        if (status !== null && statuses === null) return undefined;
        return size === limit && statuses === status ? undefined : listed(call, { limit: size, status: statuses });
      }),
  },
  {
    name: 'a workspace that is not that of the key has no interns to list, and an unknown status neither',
    lawful: true,
    unpublished: true,
    quote:
      'Lists the interns visible to the key, newest first. Filters: workspace, and one or more lifecycle statuses.',
    wrong: (world) => async (call, next) => {
      if (call.op !== 'list' || !isMember(call.who)) return next();
      const query = call.url.searchParams;
      const status = query.get('status') ?? STATUSES[0];
      const own = call.who.startsWith('foreign') ? world.workspaces.foreign : world.workspaces.own;
      const elsewhere = query.has('workspace_id') && query.get('workspace_id') !== own;
      if (!elsewhere && status?.split(',').some((one) => one === '' || STATUSES.includes(one))) return next();
      world.hit();
      const response = await next(listed(call, { status: null, workspace_id: null }));
      return response.ok ? Response.json({ data: [], has_more: false }) : response;
    },
  },
];
