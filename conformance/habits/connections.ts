import { rewritten } from '../../emulator/wire/answer.js';
import { GATEWAY } from '../probe/gateway.js';
import { READS } from './dealings.js';
import type { Habit } from './habit.js';
import { excused, instead, takesPrompts } from './measured.js';
import { isBusy } from './not-now.js';
import { LATER, NOTICED_WITHIN } from './visit.js';

export const lostConnections: Habit = {
  id: 'lost-connections',
  what: 'drops a connection',
  kit: 'tries again; reports a connection that is lost each time',
  /** A connection may be lost on the way. */
  explains: ({ silence }) => (silence?.kind === 'dropped' ? { again: 0 } : undefined),
  silent: true,
};

const NOBODY: ReadonlySet<unknown> = new Set(['refused', 'dns', 'proxy']);

export const away: Habit = {
  id: 'away',
  what: 'is down for a while, so that no connection is made',
  kit: 'retries, 2 and 4 s later; skips the checks that reach nobody, and exits 3',
  /** No sentence of the interface forbids that a service is down for some seconds. */
  explains: ({ found, silence }) => {
    if (silence === undefined || !NOBODY.has(silence.kind)) return undefined;
    return {
      again: LATER,
      skip: { kind: 'stopped', because: { kind: 'unreached', request: found.of, got: silence } },
    };
  },
  silent: true,
};

/** Share of the requests that the gateway answers itself. */
const DOWN = 0.03;

/** ms before a request that the gateway answered is retried. */
const PAUSE = 500;

export const gatewayDown: Habit = {
  id: 'gateway-down',
  what: 'is behind a gateway that is down at times',
  kit: 'retries reads; repeats a check after a write that the gateway answered; reports an answer that comes at the same request each time',
  /** A gateway now and then gives up on its backend, before or after it has passed the request on. */
  serve:
    (next, { random }) =>
    async (request) => {
      if (random() >= DOWN) return next(request);
      const status = 502 + Math.floor(random() * 3);
      if (random() < 0.5) void (await next(request)).body?.cancel();
      return new Response(`<html><body><h1>${status}</h1></body></html>`, {
        status,
        headers: { 'content-type': 'text/html' },
      });
    },
  /** Reads are retried, and writes that have a replacement. */
  again: ({ send: { method = 'GET', renew }, status }) =>
    GATEWAY.has(status) && (READS.has(method) || renew !== undefined) ? PAUSE : undefined,
  /**
   * A gateway answered a write of the check. The write may have taken effect, which explains later contradictions. It does not
   * explain a finding about the gateway's answer itself.
   */
  explains: ({ began, got }, visit) => {
    const { lostWrite } = visit.dealings;
    if (lostWrite === undefined || lostWrite.at < began || GATEWAY.has(got?.status ?? 0)) return undefined;
    visit.forget();
    const { request, status } = lostWrite;
    return { again: LATER, skip: { kind: 'race', because: { kind: 'lost-write', request, status } } };
  },
};

/** Bytes of a body that a proxy may refuse unread. */
const LARGE = 1_000_000;

const JSON_TYPE = { 'content-type': 'application/json' };
const whyLost = (error: { readonly got?: { readonly kind?: unknown } }) => error.got?.kind;

/** Most attempts to send a large body: it may sometimes be answered. */
const TRIES = 4;

export const largeBodiesDropped: Habit = {
  id: 'large-bodies-dropped',
  what: 'is behind a proxy that drops large bodies',
  kit: 'sends such a body again, and skips the checks of the cap if the connection is dropped',
  /** A proxy drops empty headers, and ends the connection after an unread large body. */
  serve:
    (next, { random }) =>
    async (request) => {
      const bytes = request.body === null ? undefined : await request.arrayBuffer();
      if (bytes !== undefined && bytes.byteLength > 1_048_576 && random() < 0.7) {
        const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
        throw new TypeError('fetch failed', { cause });
      }
      const headers = new Headers([...request.headers].filter(([, value]) => value !== ''));
      const { url, method, signal } = request;
      return next(new Request(url, { method, headers, signal, ...(bytes === undefined ? {} : { body: bytes }) }));
    },
  /** A service that refuses a body unread may close the connection. That loses its answer, or the next one. */
  explains: async ({ silence, seen }, visit) => {
    const large = seen.findLast(({ bytes }) => bytes >= LARGE);
    if (silence?.kind !== 'dropped' || large === undefined) return undefined;
    const body = new Uint8Array(large.bytes).fill(0x20);
    const drops = async () => {
      for (let nth = 0; nth < TRIES; nth++) {
        const refused = instead(visit, large, { body, headers: JSON_TYPE });
        const kind = await refused.then(() => visit.send({ path: '/interns' })).then(() => undefined, whyLost);
        if (kind === 'dropped') return true;
      }
      return undefined;
    };
    return excused(visit, 'large-bodies-dropped', { skip: { kind: 'race', because: { kind: 'upload-cut' } } }, drops);
  },
  silent: true,
};

/** ms after which the service notices that a client has gone. */
const LATE = 20_000;

export const lateDisconnects: Habit = {
  id: 'late-disconnects',
  what: 'notices late that a client has gone',
  kit: 'allows the stated 30 s, and skips checks of an intern that may be busy until then',
  /** The service notices late that a client has left; `Retry-After` is a date. */
  serve:
    (next, { host }) =>
    async (request) => {
      const { url, method, headers } = request;
      const body = request.body === null ? {} : { body: await request.arrayBuffer() };
      return rewritten(await next(new Request(url, { method, headers, ...body })), {
        left: (cancel) => void host.later(LATE, cancel),
        headers(own) {
          const after = own.get('retry-after');
          if (after !== null) own.set('retry-after', new Date(host.now() + 1_000 * Number(after)).toUTCString());
        },
      });
    },
  /**
   * A client left a stream of the intern a short time ago, so that run may still go on. The habit explains the finding if the
   * intern takes a prompt after the stated time.
   */
  explains: async ({ got, leftAgo }, visit) => {
    const [id, ago = 0] = [...leftAgo].find(([, ago]) => ago < NOTICED_WITHIN) ?? [];
    if (id === undefined || !isBusy(got)) return undefined;
    return excused(
      visit,
      'late-disconnects',
      { skip: { kind: 'race', because: { kind: 'still-streams' } } },
      async () => {
        await visit.sleep(NOTICED_WITHIN - ago + 1_000);
        const taken = await takesPrompts(visit, id);
        return taken === 'busy' ? false : taken || undefined;
      },
    );
  },
};
