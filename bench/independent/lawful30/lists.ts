import { parsed, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { everyNth } from './helpers.js';

const MOST = 5;
const USUAL = 2;

export const lists: readonly Way[] = [
  {
    // The default size is chosen; a `limit` is an upper bound, and paging on yields the rest.
    name: 'pages hold two interns by default and five at most',
    lawful: true,
    quote: '`limit` 1–500 (C: default 500) … Paging with any limit yields every intern … exactly once',
    wrong: (world) => async (call, next) => {
      if (call.op !== 'list') return next();
      const asked = call.url.searchParams.getAll('limit');
      const limit = asked.length === 0 ? USUAL : Number(asked[0]);
      const smaller = asked.length === 0 || (/^\d+$/.test(asked[0] ?? '') && limit > MOST && limit <= 500);
      if (!smaller || asked.length > 1) return next();
      const url = new URL(call.url);
      url.searchParams.set('limit', String(Math.min(limit, MOST)));
      const response = await next(withHeaders(call, {}, url));
      if (response.ok && ((await response.clone().json()) as { has_more: boolean }).has_more) world.hit();
      return response;
    },
  },
  {
    // A cursor is opaque: Base64 with `+`, `/` and `=`, made anew for each answer, and valid each time.
    name: 'cursors are salted Base64, another at each list',
    lawful: true,
    quote: '`starting_after` an opaque cursor',
    wrong: (world) => async (call, next) => {
      if (call.op !== 'list') return next();
      const url = new URL(call.url);
      const given = url.searchParams.get('starting_after');
      if (given !== null) {
        const inner = parsed(Buffer.from(given, 'base64').toString()) as { at?: unknown } | undefined;
        url.searchParams.set('starting_after', typeof inner?.at === 'string' ? inner.at : 'no cursor');
      }
      const response = await next(given === null ? undefined : withHeaders(call, {}, url));
      const other = world.ok('list', (body) => {
        if (typeof body.next_cursor !== 'string') return;
        const salt = `~?>${world.setting.random()}`;
        body.next_cursor = Buffer.from(JSON.stringify({ salt, at: body.next_cursor })).toString('base64');
      });
      return other(call, async () => response);
    },
  },
  {
    // Others of the workspace may create, rename and delete interns of their own at any time.
    name: 'a colleague creates, renames and deletes interns meanwhile',
    lawful: true,
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (world) => {
      const due = everyNth(4);
      let turn = 0;
      let count = 0;
      const theirs: string[] = [];
      return async (_call, next) => {
        if (!due()) return next();
        const as = 'peer_api_key';
        const newest = theirs.at(-1);
        turn += 1;
        if (turn % 3 === 1 || newest === undefined) {
          count += 1;
          const body = { name: `team-notes-${count}`, workspace_id: world.workspaces.own, provision: count % 2 === 0 };
          const made = await world.ask('POST', '/interns', { as, body });
          if (made.ok) theirs.push(((await made.json()) as { id: string }).id);
        } else if (turn % 3 === 2) {
          await world.ask('PATCH', `/interns/${newest}`, { as, body: { name: `our-notes-${count}` } });
        } else if (theirs.length > 2) {
          await world.ask('DELETE', `/interns/${theirs.shift()}`, { as });
        }
        world.hit();
        return next();
      };
    },
  },
];
