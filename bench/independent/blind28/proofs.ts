import { failed } from '../answers.js';
import type { Answer, World } from '../world.js';
import { HEADER, type Part } from './parts.js';

/** A daemon that takes what it should refuse, where the refusal's text matches. */
const taking =
  (w: World, refusal: RegExp, when: (call: Parameters<Answer>[0]) => boolean = () => true): Answer =>
  async (call, next) => {
    const response = await next();
    if (response.status !== 401 || !refusal.test(await response.clone().text()) || !when(call)) return response;
    w.hit();
    return Response.json({ ok: true });
  };
const header = ({ request }: Parameters<Answer>[0], name: string) => request.headers.get(HEADER + name) ?? '';

export const proofs: Part = {
  'daemon-takes-a-nonce-twice': {
    quote: 'The intern accepts it once.',
    daemons: (w) => taking(w, /nonce_reused|nonce/i),
  },
  'daemon-forgets-nonces-in-20-seconds': {
    quote: 'The intern accepts it once.',
    daemons: (w) => {
      const first = new Map<string, number>();
      return (call, next) => {
        const nonce = header(call, 'nonce');
        const now = w.setting.host.now();
        const at = first.get(nonce) ?? now;
        first.set(nonce, at);
        return taking(w, /nonce_reused|nonce/i, () => now - at >= 20_000)(call, next);
      };
    },
  },
  'daemon-takes-old-proofs': {
    quote: 'The daemon refuses proofs older than its window.',
    daemons: (w) => taking(w, /expired|stale|window|too old|timestamp/i),
  },
  'daemon-takes-old-v2-proofs': {
    quote: 'The daemon refuses proofs older than its window.',
    // The nonce is thought to be enough.
    daemons: (w) => taking(w, /expired|stale|window|too old|timestamp/i, (call) => header(call, 'signature-v2') !== ''),
  },
  'daemon-skips-the-signature': {
    quote: 'Ed25519 signature over the intern id, timestamp, user and body digest.',
    daemons: (w) => taking(w, /signature/i, (call) => header(call, 'signature') !== ''),
  },
  'daemon-skips-digest-of-nothing': {
    quote: 'Lower-case hex SHA-256 of the exact bytes that the terminal client will send as the daemon request body.',
    daemons: (w) => taking(w, /digest/i, ({ text }) => text === ''),
  },
  'daemon-takes-gets-anywhere': {
    quote: 'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest.',
    daemons: (w) => taking(w, /route/i, ({ request }) => request.method === 'GET'),
  },
  'daemon-one-v2-a-second': {
    quote: 'The single-use id to which the v2 proof is bound.',
    // Another nonce of the same second counts as used.
    daemons: (w) => {
      const last = new Map<string, string>();
      return async (call, next) => {
        const nonce = header(call, 'nonce');
        const key = `${header(call, 'timestamp')} ${header(call, 'user')} ${call.url.host}`;
        const used = last.get(key);
        const response = await next();
        if (nonce === '' || !response.ok) return response;
        if (used !== undefined && used !== nonce) {
          w.hit();
          return failed(401, 'Nonce reused', 'nonce_reused');
        }
        last.set(key, nonce);
        return response;
      };
    },
  },
};
