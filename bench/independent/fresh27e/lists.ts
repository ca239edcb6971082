import { type Json, withHeaders } from '../call.js';
import { bodyOf, edited, type Fresh, listed, now, record } from './shared.js';

export const lists: Fresh = {
  'list-last-updated-first': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) => {
      let clock = 0;
      const touched = new Map<unknown, number>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'update' && response.ok) touched.set(call.id, ++clock);
        if (call.op !== 'list' || !response.ok) return response;
        return edited(w, response, (body) => {
          const rank = ({ id }: Json) => touched.get(id) ?? 0;
          body.data = listed(body).sort((one, other) => rank(other) - rank(one));
        });
      };
    },
  },
  'list-knows-new-interns-once-read': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) => {
      const unread = new Set<unknown>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'create' && response.ok) unread.add((await bodyOf(response)).id);
        if (call.id !== '' && call.op !== 'scim') unread.delete(call.id);
        if (call.op !== 'list' || !response.ok) return response;
        return edited(w, response, (body) => {
          body.data = listed(body).filter(({ id }) => !unread.has(id));
        });
      };
    },
  },
  'list-page-repeats-its-cursor': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) => async (call, next) => {
      const response = await next();
      const cursor = call.url.searchParams.get('starting_after');
      if (call.op !== 'list' || !response.ok || cursor === null) return response;
      const again = await record(w, cursor, call.who);
      return edited(w, response, (body) => {
        if (typeof again.id === 'string') body.data = [again, ...listed(body)];
      });
    },
  },
  'list-later-pages-oldest-first': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) =>
      w.ok('list', (body, { url }) => {
        if (url.searchParams.has('starting_after')) body.data = listed(body).reverse();
      }),
  },
  'list-status-of-creation': {
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: (w) => {
      const stopped = new Set<unknown>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) stopped.add(call.id);
        if (call.op !== 'list' || !response.ok || !call.url.searchParams.has('status')) return response;
        return edited(w, response, (body) => {
          body.data = listed(body).filter(({ id, status }) => !stopped.has(id) || status === 'running');
        });
      };
    },
  },
  'list-two-statuses-grouped': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) =>
      w.ok('list', (body, { url }) => {
        const wanted = url.searchParams.getAll('status').flatMap((one) => one.split(','));
        if (wanted.length < 2) return;
        const rank = ({ status }: Json) => wanted.indexOf(String(status));
        body.data = listed(body).sort((one, other) => rank(one) - rank(other));
      }),
  },
  'list-status-keeps-the-newest': {
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: (w) => {
      let newest = '';
      return async (call, next) => {
        const response = await next();
        if (call.op === 'create' && response.ok) newest = String((await bodyOf(response)).id);
        if (call.op !== 'list' || !response.ok || !call.url.searchParams.has('status') || newest === '')
          return response;
        const one = await record(w, newest, call.who);
        return edited(w, response, (body) => {
          const others = listed(body);
          if (typeof one.id === 'string' && others.every(({ id }) => id !== one.id)) body.data = [one, ...others];
        });
      };
    },
  },
  'list-cached-by-query': {
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (w) => {
      const kept = new Map<string, { at: number; who: string; text: string }>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'list' || !response.ok) return response;
        const text = await response.clone().text();
        const last = kept.get(call.url.search);
        if (last !== undefined && last.who !== call.who && now(w) - last.at < 5000) {
          if (last.text !== text) w.hit();
          return new Response(last.text, { headers: { 'content-type': 'application/json' } });
        }
        kept.set(call.url.search, { at: now(w), who: call.who, text });
        return response;
      };
    },
  },
  'list-cached-three-seconds': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) => {
      const kept = new Map<string, { at: number; text: string }>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'list' || !response.ok) return response;
        const key = `${call.who} ${call.url.search}`;
        const text = await response.clone().text();
        const last = kept.get(key);
        if (last !== undefined && now(w) - last.at < 3000) {
          if (last.text !== text) w.hit();
          return new Response(last.text, { headers: { 'content-type': 'application/json' } });
        }
        kept.set(key, { at: now(w), text });
        return response;
      };
    },
  },
  'list-unknown-workspace-unfiltered': {
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: (w) =>
      w.asked('list', (call) => {
        const asked = call.url.searchParams.get('workspace_id');
        if (asked === null || asked === w.workspaces.own || asked === w.workspaces.foreign) return undefined;
        const url = new URL(call.url);
        url.searchParams.delete('workspace_id');
        return withHeaders(call, {}, url);
      }),
  },
  'list-resumed-twice': {
    quote: 'Lists the interns visible to the key, newest first.',
    wrong: (w) => {
      const stopped = new Set<unknown>();
      const resumed = new Set<unknown>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) stopped.add(call.id);
        if (call.op === 'provision' && response.ok && stopped.has(call.id)) resumed.add(call.id);
        if (call.op !== 'list' || !response.ok) return response;
        return edited(w, response, (body) => {
          body.data = listed(body).flatMap((one) => (resumed.has(one.id) ? [one, one] : [one]));
        });
      };
    },
  },
  'list-filtered-page-unfiltered-next': {
    quote: 'Filters: workspace, and one or more lifecycle statuses.',
    wrong: (w) =>
      w.asked('list', (call) => {
        const { searchParams } = call.url;
        if (!searchParams.has('status') || !searchParams.has('starting_after')) return undefined;
        const url = new URL(call.url);
        url.searchParams.delete('status');
        return withHeaders(call, {}, url);
      }),
  },
};
