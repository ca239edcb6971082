import { failed } from '../answers.js';
import { isJson, parsed, withHeaders } from '../call.js';
import { isMember } from '../lawful30/helpers.js';
import { chained, memberOf } from '../lawful31/helpers.js';
import { timesById } from '../lawful34/helpers.js';
import { peeked } from '../lawful35/helpers.js';
import type { Way } from '../world.js';
import { isOfMember, ofNobody } from './helpers.js';

const SUMMARY = ['id', 'name', 'status', 'workspace_id', 'created_at', 'updated_at'];

export const crowded: Way = {
  name: 'a workspace has eighty interns of colleagues to begin with',
  lawful: true,
  quote: 'Lists the interns visible to the key, newest first.',
  wrong(world) {
    let made: Promise<void> | undefined;
    const make = async () => {
      for (let at = 0; at < 80; at++) {
        const body = { name: `crowd-${at}`, workspace_id: world.workspaces.own, provision: false };
        await world.ask('POST', '/interns', { as: 'peer_api_key', body });
      }
    };
    return async (_, next) => {
      if (made === undefined) world.hit();
      made ??= make();
      await made;
      return next();
    };
  },
};

export const summaries: Way = {
  name: 'a list has of each intern what a table shows, and no texts',
  lawful: true,
  unpublished: true,
  quote: 'Fields of the responses of list, delete, provision and suspend: not shown.',
  wrong: (world) =>
    world.ok('list', (body) => {
      if (!Array.isArray(body.data)) return;
      body.data = body.data.map((intern: object) =>
        Object.fromEntries(Object.entries(intern).filter(([name]) => SUMMARY.includes(name))),
      );
    }),
};

export const counted: Way = {
  name: 'a list says in its body how many there are, null where no page follows, and links in a header',
  lawful: true,
  unpublished: true,
  quote: 'Fields of the responses of list, delete, provision and suspend: not shown.',
  wrong(world) {
    const bodies = world.ok('list', (body) => {
      body.next_cursor ??= null;
      Object.assign(body, {
        object: 'list',
        prev_cursor: null,
        count: Array.isArray(body.data) ? body.data.length : 0,
      });
    });
    const links = world.head('list', (headers, { url }, { ok }) => {
      if (ok) headers.append('link', `<${url.pathname}>; rel="first"`);
    });
    return chained(bodies, links);
  },
};

export const lists: readonly Way[] = [
  crowded,
  summaries,
  counted,
  {
    name: 'a cursor is good for thirty seconds',
    lawful: true,
    unpublished: true,
    quote: 'Method, path and parameter names: not shown.',
    wrong(world) {
      const given = new Map<string, number>();
      const { now } = world.setting.host;
      return async (call, next) => {
        const cursor = call.url.searchParams.get('starting_after');
        const since = cursor === null ? undefined : given.get(cursor);
        if (call.op === 'list' && since !== undefined && now() - since > 30_000 && isMember(call.who)) {
          world.hit();
          return failed(400, 'The cursor has expired', 'invalid_body');
        }
        const response = await next();
        if (call.op !== 'list' || !response.ok) return response;
        const { next_cursor } = await peeked(response);
        if (typeof next_cursor === 'string') given.set(next_cursor, now());
        return response;
      };
    },
  },
  {
    // That every key of a workspace sees all its interns is chosen, so also when it does.
    name: 'a colleague sees a new intern two seconds later',
    lawful: true,
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong(world) {
      const times = timesById();
      const makers = new Map<string, string>();
      const hidden = (who: string, id: string) =>
        isMember(who) &&
        makers.get(id.toLowerCase()) !== memberOf(who) &&
        world.setting.host.now() - times.get(id) < 2_000;
      const reads = world.ok('list', (body, { who }) => {
        if (Array.isArray(body.data))
          body.data = body.data.filter((one) => !isJson(one) || !hidden(who, String(one.id)));
      });
      return async (call, next) => {
        if (call.id !== '' && isOfMember(call) && hidden(call.who, call.id)) {
          world.hit();
          return next(ofNobody(call));
        }
        const response = await reads(call, next);
        if (call.op !== 'create' || response.status !== 201) return response;
        const { id } = parsed(await response.clone().text()) as { id: string };
        times.set(id, world.setting.host.now());
        makers.set(id.toLowerCase(), memberOf(call.who));
        return response;
      };
    },
  },
  {
    name: 'a page has one intern fewer than was asked for where that was three or more',
    lawful: true,
    unpublished: true,
    quote: 'Method, path and parameter names: not shown.',
    wrong: (world) =>
      world.asked('list', (call) => {
        const limit = Number(call.url.searchParams.get('limit') ?? '0');
        if (!Number.isInteger(limit) || limit < 3 || limit > 500) return undefined;
        const url = new URL(call.url);
        url.searchParams.set('limit', String(limit - 1));
        return withHeaders(call, {}, url);
      }),
  },
];
