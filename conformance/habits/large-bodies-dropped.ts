import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { instead } from './instead.js';
import { excused } from './measured.js';

/** A proxy in between: no empty header passes it, a large body that was not read ends the connection. */
const serve: Serve =
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
  };

/** Bytes that a body has to have for its refusal to come before it is read. */
const LARGE = 1_000_000;

const JSON_TYPE = { 'content-type': 'application/json' };
const whyLost = (error: { readonly got?: { readonly kind?: unknown } }) => error.got?.kind;

/** How often a large body is sent: it may get its answer at times. */
const TRIES = 4;

/** A service that refuses a body unread may close the connection, and its answer is lost, or that to the next request. */
const explains: Habit['explains'] = async ({ silence, seen }, visit) => {
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
};

export const largeBodiesDropped: Habit = {
  id: 'large-bodies-dropped',
  what: 'is behind a proxy that drops what is large',
  kit: 'sends such a body again, and skips the checks of the cap where the connection ends',
  serve,
  explains,
  silent: true,
};
