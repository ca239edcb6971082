import { withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, entries, everyIntern, filtered, now, saying } from './service.js';

export const lists: readonly Way[] = [
  {
    name: 'list-limit-before-filter',
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: (w) =>
      w.later('list', async (response, call) => {
        const limit = Number(call.url.searchParams.get('limit') ?? 0);
        const wanted = filtered(call);
        if (!response.ok || limit === 0 || wanted.length === 0) return undefined;
        const url = new URL(call.url);
        url.searchParams.delete('status');
        const page = await w.next(withHeaders(call, {}, url));
        if (!page.ok) return undefined;
        const data = entries(await bodyOf(page)).filter((entry) => wanted.includes(String(entry.status)));
        const lawful = entries(await bodyOf(response));
        return data.length === lawful.length ? undefined : saying(response, { data, has_more: false });
      }),
  },
  {
    name: 'list-by-last-update',
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) =>
      w.ok('list', (body) => {
        entries(body).sort((a, b) => String(b.updated_at).localeCompare(String(a.updated_at)));
      }),
  },
  {
    name: 'list-running-with-torn-down',
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: (w) =>
      w.later('list', async (response, call) => {
        const wanted = filtered(call);
        if (!response.ok || !wanted.includes('running') || wanted.includes('destroying')) return undefined;
        const more = await w.ask('GET', `/interns?limit=500&status=${[...wanted, 'destroying'].join(',')}`, {
          as: call.who,
        });
        const all = entries(await bodyOf(more));
        return all.some(({ status }) => status === 'destroying')
          ? saying(response, { data: all, has_more: false })
          : undefined;
      }),
  },
  {
    name: 'list-status-named-twice-lists-twice',
    quote:
      'Lists the interns visible to the key, newest first. Filters: workspace, and one or more lifecycle statuses.',
    wrong: (w) =>
      w.ok('list', (body, call) => {
        const wanted = filtered(call);
        if (new Set(wanted).size < wanted.length)
          body.data = entries(body).flatMap((entry) => wanted.filter((one) => one === entry.status).map(() => entry));
      }),
  },
  {
    name: 'list-second-page-unfiltered',
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: (w) =>
      w.later('list', async (response, call) => {
        if (!response.ok || !call.url.searchParams.has('starting_after') || filtered(call).length === 0)
          return undefined;
        const page = entries(await bodyOf(response));
        const all = await everyIntern(w, call.who);
        const from = all.findIndex(({ id }) => id === page[0]?.id);
        const data = all.slice(from, from + page.length);
        const same = JSON.stringify(data) === JSON.stringify(page);
        return from < 0 || same ? undefined : saying(response, { ...(await bodyOf(response)), data });
      }),
  },
  {
    name: 'list-forgets-those-in-teardown',
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) =>
      w.ok('list', (body, call) => {
        if (filtered(call).length === 0) body.data = entries(body).filter(({ status }) => status !== 'destroying');
      }),
  },
  {
    name: 'list-of-member-only-made-by-member',
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (w) => {
      const maker = new Map<string, string>();
      const member = (who: string) => (who.startsWith('peer') ? 'peer' : 'first');
      return async (call, next) => {
        const response = await next();
        if (!response.ok || (call.op !== 'create' && call.op !== 'list')) return response;
        const body = await bodyOf(response);
        if (call.op === 'create') {
          maker.set(String(body.id), member(call.who));
          return response;
        }
        const data = entries(body).filter(({ id }) => {
          const made = maker.get(String(id));
          return made === undefined || made === member(call.who);
        });
        if (data.length === entries(body).length) return response;
        w.hit();
        return saying(response, { ...body, data });
      };
    },
  },
  {
    name: 'list-kept-until-own-write',
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) => {
      const kept = new Map<string, Map<string, { at: number; response: Response; text: string }>>();
      return async (call, next) => {
        if (call.request.method !== 'GET') kept.delete(call.who);
        const response = await next();
        if (call.op !== 'list' || !response.ok) return response;
        const mine = kept.get(call.who) ?? new Map<string, { at: number; response: Response; text: string }>();
        kept.set(call.who, mine);
        const before = mine.get(call.url.search);
        const text = await response.clone().text();
        if (before && now(w) - before.at < 30_000) {
          if (before.text !== text) w.hit();
          return before.response.clone();
        }
        mine.set(call.url.search, { at: now(w), response: response.clone(), text });
        return response;
      };
    },
  },
];
