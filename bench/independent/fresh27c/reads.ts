import { isJson, type Json } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, now } from './tools.js';

export const reads: readonly Way[] = [
  // plain
  {
    name: 'get-without-instructions',
    quote: 'Returns the public lifecycle state and settings of one visible intern.',
    wrong: (w) =>
      w.ok('get', (body) => {
        delete body.instructions;
      }),
  },
  // plain
  {
    name: 'get-status-as-object',
    quote: '| status | string (lifecycle status) |',
    wrong: (w) =>
      w.ok('get', (body) => {
        body.status = { state: body.status };
      }),
  },
  // state
  {
    name: 'failed-teardown-called-failed',
    quote: 'Known status value of an intern: `destroy_failed`.',
    wrong: (w) =>
      w.ok('get list', (body) => {
        for (const one of Array.isArray(body.data) ? body.data.filter(isJson) : [body])
          if (one.status === 'destroy_failed') one.status = 'failed';
      }),
  },
  // subtle
  {
    name: 'get-cached-for-each-caller',
    quote: 'Returns the public lifecycle state and settings of one visible intern.',
    wrong: (w) => {
      const kept = new Map<string, { readonly at: number; readonly body: Json }>();
      return async (call, next) => {
        const response = await next();
        const key = `${call.who} ${call.id}`;
        if (call.op !== 'get') kept.delete(key);
        if (call.op !== 'get' || !response.ok) return response;
        const body = await bodyOf(response);
        const known = kept.get(key);
        if (known === undefined || now(w) - known.at > 30_000) {
          kept.set(key, { at: now(w), body });
          return response;
        }
        // Its own progress it shows.
        if (known.body.status !== body.status) {
          kept.set(key, { at: now(w), body });
          return response;
        }
        if (JSON.stringify(known.body) === JSON.stringify(body)) return response;
        w.hit();
        return Response.json(known.body);
      };
    },
  },
  // state
  {
    name: 'get-running-while-it-boots',
    quote: 'Returns the public lifecycle state and settings of one visible intern.',
    wrong: (w) =>
      w.ok('get', (body) => {
        if (body.status === 'provisioning') body.status = 'running';
      }),
  },
  // state
  {
    name: 'get-hides-instructions-from-the-intern',
    quote: 'Returns the public lifecycle state and settings of one visible intern.',
    wrong: (w) =>
      w.ok('get', (body, { who }) => {
        if (who === 'own_key') body.instructions = null;
      }),
  },
];
