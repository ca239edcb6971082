import type { Habit } from './habit.js';
import type { Serve } from './serve.js';

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

export const largeBodiesDropped: Habit = {
  id: 'large-bodies-dropped',
  what: 'is behind a proxy that drops what is large',
  kit: 'takes a connection that ends for a refusal of a body over the cap',
  serve,
};
