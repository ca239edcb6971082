import { failed } from '../answers.js';
import { type Json, withBody, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, now, SETTINGS, seen, withStatus } from './tools.js';

const RETRY = 'A retry with the same idempotency key and the same body resumes unfinished work.';

export const creates: readonly Way[] = [
  // plain
  {
    name: 'create-answers-without-settings',
    quote:
      'The intern operations return these named types: `InternListResponse` (list), `Intern` (create, get, update)',
    wrong: (w) =>
      w.ok('create', (body) => {
        for (const setting of SETTINGS) delete body[setting];
      }),
  },
  // state
  {
    name: 'vault-only-from-first-boot',
    quote: 'Creating it also creates its private vault.',
    wrong: (w) =>
      w.later('vault-list', async (response, { id }) =>
        response.ok && (await seen(w, id)).hostname === null ? failed(404, 'Intern not found', 'not_found') : undefined,
      ),
  },
  // subtle
  {
    name: 'idempotency-keys-of-all-callers',
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (w) => {
      const kept = new Map<string, { readonly who: string; readonly body: Json }>();
      return async (call, next) => {
        const key = call.request.headers.get('idempotency-key');
        if (call.op !== 'create' || key === null) return next();
        const known = kept.get(key);
        const response = await next();
        if (known !== undefined && known.who !== call.who && response.status !== 401) {
          w.hit();
          return Response.json(known.body, { status: 201 });
        }
        if (response.ok) kept.set(key, { who: call.who, body: await bodyOf(response) });
        return response;
      };
    },
  },
  // subtle
  {
    name: 'second-retry-starts-anew',
    quote: RETRY,
    wrong: (w) => {
      const times = new Map<string, number>();
      return w.asked('create', (call) => {
        const key = `${call.who} ${call.request.headers.get('idempotency-key')} ${call.text}`;
        if (!call.request.headers.has('idempotency-key')) return undefined;
        times.set(key, (times.get(key) ?? 0) + 1);
        return (times.get(key) ?? 0) > 2 ? withHeaders(call, { 'idempotency-key': null }) : undefined;
      });
    },
  },
  // subtle
  {
    name: 'idempotency-key-forgotten-in-30-seconds',
    quote: RETRY,
    wrong: (w) => {
      const first = new Map<string, number>();
      return w.asked('create', (call) => {
        if (!call.request.headers.has('idempotency-key')) return undefined;
        const key = `${call.who} ${call.request.headers.get('idempotency-key')}`;
        const at = first.get(key);
        if (at === undefined) first.set(key, now(w));
        return at !== undefined && now(w) - at > 30_000 ? withHeaders(call, { 'idempotency-key': null }) : undefined;
      });
    },
  },
  // state
  {
    name: 'create-elsewhere-lands-at-home',
    quote: 'An intern is created in an explicit workspace.',
    wrong: (w) => async (call, next) => {
      const response = await next();
      const { workspace_id } = call.body;
      if (call.op !== 'create' || response.status !== 404 || typeof workspace_id !== 'string') return response;
      const home = call.who === 'foreign_api_key' ? w.workspaces.foreign : w.workspaces.own;
      const other = await next(withBody(call, { ...call.body, workspace_id: home }));
      if (!other.ok) return response;
      w.hit();
      return other;
    },
  },
  {
    name: 'create-answers-200',
    quote: 'Success status codes other than 202 for invoke: not shown.',
    lawful: true,
    wrong: (w) => w.later('create', (response) => (response.status === 201 ? withStatus(response, 200) : undefined)),
  },
];
