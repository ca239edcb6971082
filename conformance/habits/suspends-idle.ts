import type { Habit } from './habit.js';
import type { Serve } from './serve.js';
import { idIn, pathOf } from './wire.js';

/** ms after which an intern that nobody talks to is suspended. */
const IDLE = 4_000;

/** An intern that nobody has talked to for a while is suspended. */
const serve: Serve = (next, { host, keys }) => {
  const idleSince = new Map<string, number>();
  return async (request) => {
    const [, id, act] = /^\/interns\/([^/]+)(?:\/(.*))?$/.exec(pathOf(request)) ?? [];
    if (id !== undefined && host.now() - (idleSince.get(id) ?? Number.POSITIVE_INFINITY) > IDLE) {
      idleSince.delete(id);
      const url = request.url.replace(/\/interns\/.*$/, `/interns/${id}/suspend`);
      await next(new Request(url, { method: 'POST', headers: { authorization: `Bearer ${keys.api[0]}` } }));
    }
    // Another client may have left a question or a run open.
    if (id !== undefined && /^(chat|invoke)/.test(act ?? '')) idleSince.delete(id);
    const response = await next(request);
    if (response.status === 202 && act === 'provision' && id !== undefined) idleSince.set(id, host.now() + 1_000);
    if (response.status === 201 && request.method === 'POST') idleSince.set(await idIn(response), host.now() + 1_000);
    return response;
  };
};

/** An intern that the check uses runs no more, and nobody here stopped it. */
const explains: Habit['explains'] = async (_, { conditions, inHand, pathOf, send, shared }) => {
  for (const id of [...inHand, shared() ?? []].flat()) {
    if (conditions.runs(id)) await send({ path: pathOf(id) }).catch(() => undefined);
    const status = conditions.went(id);
    if (status !== undefined) return { skip: { kind: 'race', because: { kind: 'went', status } } };
  }
  return undefined;
};

export const suspendsIdle: Habit = {
  id: 'suspends-idle',
  what: 'suspends what is idle',
  kit: 'provisions again, three times at most; skips the checks that needed it to run on',
  serve,
  explains,
  silent: true,
};
