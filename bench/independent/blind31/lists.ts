import { withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, isMember, rowsOf, statusesOf, tokenOf, withJson } from './helpers.js';

const NEWEST = 'Lists the interns visible to the key, newest first.';
const FILTERS = 'Filters: workspace, and one or more lifecycle statuses.';

const newestFirst = (one: { created_at?: unknown }, other: { created_at?: unknown }) =>
  String(other.created_at).localeCompare(String(one.created_at));

export const lists: readonly Way[] = [
  {
    // Times are kept in whole seconds, and the database gives equal ones as they were inserted.
    name: 'interns that were created in the same second come oldest first',
    quote: NEWEST,
    wrong: (world) =>
      world.ok('list', (body) => {
        const rows = rowsOf(body);
        const second = (at: number) => String(rows[at]?.created_at).slice(0, 19);
        const sorted: unknown[] = [];
        for (let from = 0; from < rows.length; ) {
          let to = from;
          while (to < rows.length && second(to) === second(from)) to++;
          sorted.push(...rows.slice(from, to).reverse());
          from = to;
        }
        body.data = sorted;
      }),
  },
  {
    // A query for each status, one after the other.
    name: 'a list filtered by several statuses has the interns of one status after those of another',
    quote: NEWEST,
    wrong: (world) =>
      world.ok('list', (body, call) => {
        const order = statusesOf(call);
        if (order.length < 2) return;
        const at = ({ status }: { status?: unknown }) => order.indexOf(String(status));
        body.data = rowsOf(body).sort((one, other) => at(one) - at(other));
      }),
  },
  {
    // The index that the filter asks follows half a minute later.
    name: 'for half a minute the filter takes a suspended intern for a running one',
    quote: FILTERS,
    wrong: (world) => {
      const suspended = new Map<string, number>();
      const { now } = world.setting.host;
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) suspended.set(call.id.toLowerCase(), now() + 30_000);
        if (call.op === 'provision' && response.ok) suspended.delete(call.id.toLowerCase());
        const { searchParams } = call.url;
        const statuses = statusesOf(call);
        if (call.op !== 'list' || !response.ok || statuses.length === 0 || searchParams.has('starting_after'))
          return response;
        const all = rowsOf(await bodyOf(await world.ask('GET', '/interns', { as: tokenOf(call) })));
        const stale = (id: unknown) => (suspended.get(String(id)) ?? 0) > now();
        const limit = Number(searchParams.get('limit') ?? 500);
        const found = all.filter(({ id, status }) => statuses.includes(stale(id) ? 'running' : String(status)));
        const body = await bodyOf(response);
        const data = found.slice(0, limit);
        if (JSON.stringify(data) === JSON.stringify(body.data)) return response;
        world.hit();
        return withJson(response, { ...body, data });
      };
    },
  },
  {
    // One `where` takes the place of the other.
    name: 'a list filtered by workspace and status is filtered by workspace alone',
    quote: FILTERS,
    wrong: (world) =>
      world.asked('list', (call) => {
        if (!call.url.searchParams.has('workspace_id') || statusesOf(call).some((status) => status === '')) return;
        if (!call.url.searchParams.has('status')) return undefined;
        const url = new URL(call.url);
        url.searchParams.delete('status');
        return withHeaders(call, {}, url);
      }),
  },
  {
    // The filtered query has lost its workspace.
    name: 'a list filtered by status has interns of other workspaces too',
    quote: 'The API key selects caller, workspace and visible interns.',
    wrong: (world) => async (call, next) => {
      const response = await next();
      const { searchParams } = call.url;
      if (call.op !== 'list' || !response.ok || !isMember(call) || !searchParams.has('status')) return response;
      if (['starting_after', 'limit', 'workspace_id'].some((name) => searchParams.has(name))) return response;
      const as = call.who.startsWith('foreign') ? 'api_key' : 'foreign_api_key';
      const others = rowsOf(await bodyOf(await world.ask('GET', `/interns${call.url.search}`, { as })));
      if (others.length === 0) return response;
      const body = await bodyOf(response);
      world.hit();
      return withJson(response, { ...body, data: [...rowsOf(body), ...others].sort(newestFirst) });
    },
  },
  {
    // The list is sorted by when its runtime was started last.
    name: 'an intern that is resumed comes first in the list',
    quote: NEWEST,
    wrong: (world) => {
      const resumed: string[] = [];
      return async (call, next) => {
        const response = await next();
        if (call.op === 'provision' && response.ok) resumed.unshift(call.id.toLowerCase());
        if (call.op !== 'list' || !response.ok || call.url.searchParams.has('starting_after')) return response;
        const body = await bodyOf(response);
        const rank = ({ id }: { id?: unknown }) => (resumed.indexOf(String(id)) + 1 || resumed.length + 1) as number;
        const data = rowsOf(body).sort((one, other) => rank(one) - rank(other));
        if (JSON.stringify(data) === JSON.stringify(body.data)) return response;
        world.hit();
        return withJson(response, { ...body, data });
      };
    },
  },
];
