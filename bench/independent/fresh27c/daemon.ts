import { randomUUID } from 'node:crypto';
import { failed } from '../answers.js';
import { parsed } from '../call.js';
import type { Answer, Way, World } from '../world.js';
import { bodyOf, now, seen } from './tools.js';

const RUNNING =
  'Returns the origin and the daemon token that attach the terminal client in host mode to one visible, running intern.';
const ONCE = 'The intern accepts it once.';
const BOTH = 'daemon daemon-alias';

/** A daemon's refusals by their reason, where `takes` has it otherwise. */
const taking =
  (w: World, reason: string, takes: (request: Request) => boolean): Answer =>
  async (call, next) => {
    const response = await next();
    const takesIt = takes(call.request);
    if (response.status !== 401 || !takesIt) return response;
    const error = (parsed(await response.clone().text()) as { error?: { metadata?: { reason?: unknown } } } | undefined)
      ?.error;
    if (error?.metadata?.reason !== reason) return response;
    w.hit();
    return Response.json({ ok: true }, { headers: { 'cache-control': 'no-store' } });
  };
const nonceOf = (request: Request) => [...request.headers].find(([name]) => name.endsWith('-invoke-nonce'))?.[1] ?? '';

const state = (w: World, status: string): Answer => {
  const last = new Map<string, unknown>();
  return async (call, next) => {
    const response = await next();
    if (!BOTH.split(' ').includes(call.op)) return response;
    if (response.ok) last.set(call.id, await bodyOf(response));
    if (response.status !== 409 || (await seen(w, call.id)).status !== status) return response;
    w.hit();
    return Response.json(last.get(call.id) ?? { origin: w.target.daemon_origin, token: `dtok-${randomUUID()}` }, {
      headers: { 'cache-control': 'no-store' },
    });
  };
};

export const daemon: readonly Way[] = [
  // plain
  {
    name: 'daemon-of-a-bare-host',
    quote: RUNNING,
    wrong: (w) =>
      w.ok(BOTH, (body) => {
        body.origin = new URL(String(body.origin)).host;
      }),
  },
  // plain
  {
    name: 'daemon-by-key-401',
    quote: 'API keys get 403 with reason `personal_identity_required`.',
    wrong: (w) =>
      w.later('daemon', (response) =>
        response.status === 403 ? failed(401, 'Sign in to attach', 'personal_identity_required') : undefined,
      ),
  },
  // state
  { name: 'daemon-while-booting', quote: RUNNING, wrong: (w) => state(w, 'provisioning') },
  // state
  { name: 'daemon-while-torn-down', quote: RUNNING, wrong: (w) => state(w, 'destroying') },
  // subtle
  {
    name: 'daemon-token-shown-once',
    quote: 'It carries an origin and a daemon token.',
    wrong: (w) => {
      const shown = new Set<unknown>();
      return w.ok(BOTH, (body) => {
        if (shown.has(body.token)) body.token = `${String(body.token).slice(0, 9)}…`;
        else shown.add(body.token);
      });
    },
  },
  // subtle
  {
    name: 'daemon-token-of-the-last-intern',
    quote: RUNNING,
    wrong: (w) => {
      let last: { readonly id: string; readonly token: unknown; readonly at: number } | undefined;
      return w.ok(BOTH, (body, { id }) => {
        const before = last;
        last = { id, token: body.token, at: now(w) };
        if (before !== undefined && before.id !== id && now(w) - before.at < 60_000) body.token = before.token;
      });
    },
  },
  // subtle
  {
    name: 'daemon-token-outlives-its-runtime',
    quote: RUNNING,
    wrong: (w) => {
      const tokens = new Map<string, unknown>();
      return w.ok(BOTH, (body, { id }) => {
        if (tokens.has(id)) body.token = tokens.get(id);
        else tokens.set(id, body.token);
      });
    },
  },
  // state
  {
    name: 'daemon-wants-the-vault-grant',
    quote: 'Only an OAuth-token caller (from the OIDC login) may read it.',
    wrong: (w) =>
      w.later(BOTH, (response, { who }) =>
        response.ok && who === 'oauth_interns_only_token'
          ? failed(403, 'Personal connections require the OIDC login', 'personal_identity_required')
          : undefined,
      ),
  },
  // plain
  {
    name: 'daemon-alias-gone',
    quote: 'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.',
    wrong: (w) =>
      w.later('daemon-alias', (response) =>
        response.ok ? failed(410, 'Use GET /interns/{internId}/daemon', 'gone') : undefined,
      ),
  },
  // subtle
  {
    name: 'nonces-forgotten-in-ten-seconds',
    quote: ONCE,
    daemons: (w) => {
      const first = new Map<string, number>();
      return taking(w, 'nonce_reused', (request) => {
        const nonce = nonceOf(request);
        const at = first.get(nonce);
        if (at === undefined) first.set(nonce, now(w));
        return at !== undefined && now(w) - at > 10_000;
      });
    },
  },
  // state
  {
    name: 'nonces-forgotten-with-a-resume',
    quote: ONCE,
    daemons: (w) => {
      const first = new Map<string, string>();
      return taking(w, 'nonce_reused', (request) => {
        const nonce = nonceOf(request);
        const token = request.headers.get('authorization') ?? '';
        const before = first.get(nonce);
        if (before === undefined) first.set(nonce, token);
        return before !== undefined && before !== token;
      });
    },
  },
  // plain
  {
    name: 'daemon-takes-old-proofs',
    quote: 'The daemon refuses proofs older than its window.',
    daemons: (w) => taking(w, 'proof_expired', () => true),
  },
];
