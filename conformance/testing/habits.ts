import type { Manner } from './manners.js';
import { rewritten } from './rewrite.js';

/** What a manner knows of a request. */
const about = (request: Request) => {
  const { pathname } = new URL(request.url);
  const path = pathname.replace(/^.*\/api\/v1/, '');
  const [, id, act = ''] = /^\/interns\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
  const token = /^Bearer (.*)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  return { path, id, act, token, creates: request.method === 'POST' && path === '/interns' };
};
const refusal = (status: number, message: string, reason: string, retryable = false, headers = {}) =>
  Response.json({ error: { code: status, message, metadata: { reason, retryable } } }, { status, headers });
/** Its body, where that is a JSON object; else nothing is in it. */
const bodyOf = async (request: Request): Promise<Readonly<Record<string, unknown>>> => {
  const json: unknown = await request
    .clone()
    .json()
    .catch(() => undefined);
  return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
};
const unknown = () => refusal(404, 'Intern not found', 'not_found');

/** A request of another method to the intern, by who sent the one at hand, or by somebody else. */
const beside = (request: Request, id: string, method: string, rest = '', token?: string) =>
  new Request(`${request.url.replace(/\/interns\b.*$/, '')}/interns/${id}${rest}`, {
    method,
    headers: { authorization: token === undefined ? (request.headers.get('authorization') ?? '') : `Bearer ${token}` },
  });

/** ms that each replica is behind; a read is answered by any of them. */
const ONE_REPLICA = [1_000];
const REPLICAS = [0, 400, 1_200];
const behind = (replicas: readonly number[], random: () => number) =>
  replicas[Math.floor(random() * replicas.length)] ?? 0;

/** Reads come from replicas that are behind: what was made is not there yet, what was changed is as it was. */
const readsFrom =
  (replicas: readonly number[]): Manner =>
  (next, { host, random }) => {
    const before = new Map<string, { at: number; answer: Response }>();
    const late = (id: string, answer: Response) => before.set(id, { at: host.now(), answer });
    return async (request) => {
      const { id, act, creates } = about(request);
      const old = id === undefined ? undefined : before.get(id);
      const reads = id !== undefined && act === '' && request.method === 'GET';
      if (reads && old !== undefined && host.now() - old.at < behind(replicas, random)) return old.answer.clone();
      const changes = id !== undefined && act === '' && request.method === 'PATCH';
      const was = changes ? await next(beside(request, id, 'GET')) : undefined;
      const response = await next(request);
      if (id !== undefined && was?.ok && response.ok) late(id, was);
      if (creates && response.status === 201) late(((await response.clone().json()) as { id: string }).id, unknown());
      return response;
    };
  };
export const readsLate = readsFrom(ONE_REPLICA);

/** Lists come from replicas: what was made since is not there yet. */
const listsFrom =
  (replicas: readonly number[]): Manner =>
  (next, { host, random }) => {
    const made = new Map<string, number>();
    return async (request) => {
      const response = await next(request);
      const { creates, path } = about(request);
      if (creates && response.status === 201)
        made.set(((await response.clone().json()) as { id: string }).id, host.now());
      if (request.method !== 'GET' || path !== '/interns') return response;
      const late = behind(replicas, random);
      return rewritten(response, {
        json(json) {
          const list = json as { data?: { id: string }[] };
          if (list.data === undefined) return;
          list.data = list.data.filter(({ id }) => host.now() - (made.get(id) ?? 0) >= late);
        },
      });
    };
  };
export const listsLate = listsFrom(ONE_REPLICA);

/** Some replicas are further behind than others. */
export const readsReplicas: Manner = (next, setting) =>
  listsFrom(REPLICAS)(readsFrom(REPLICAS)(next, setting), setting);

/** Share of the requests that a gateway answers itself, and of those, which it has passed on. */
const DOWN = 0.03;

/** A gateway that gives up on what is behind it now and then, before it has passed a request on or after. */
export const failsInBetween: Manner =
  (next, { random }) =>
  async (request) => {
    if (random() >= DOWN) return next(request);
    const status = 502 + Math.floor(random() * 3);
    if (random() < 0.5) await (await next(request)).body?.cancel();
    return new Response(`<html><body><h1>${status}</h1></body></html>`, {
      status,
      headers: { 'content-type': 'text/html' },
    });
  };

/** ms from a provision on in which an intern takes no prompt, whether it runs by then or not. */
const WARMING = 5_000;

/** An intern that has come to run takes a moment until it takes prompts. */
export const needsAMoment: Manner = (next, { host }) => {
  const from = new Map<string, number>();
  return async (request) => {
    const { id, act, creates } = about(request);
    if (id !== undefined && /^(chat|invoke)/.test(act) && host.now() < (from.get(id) ?? 0)) {
      // What is wrong with the prompt itself is told first.
      const { messages, input } = await bodyOf(request);
      const seen = await next(beside(request, id, 'GET'));
      // What keeps it from looking keeps it from the prompt too.
      if (seen.status >= 500) return seen;
      if (seen.ok && (typeof input === 'string' || Array.isArray(messages)))
        return refusal(409, 'The intern is not ready', 'intern_not_ready', true);
    }
    const response = await next(request);
    if (!response.ok) return response;
    if (act === 'provision' && id !== undefined) from.set(id, host.now() + WARMING);
    // A create that is replayed boots nothing.
    if (creates && response.status === 201)
      from.set(((await response.clone().json()) as { id: string }).id, host.now() + WARMING);
    return response;
  };
};

/** How many interns one key may have at once. */
const ROOM = 5;

/** A workspace may have a few interns only. */
export const hasRoomForFew: Manner = (next) => {
  // Made to see what is wrong with the create itself, which is told first.
  const refused = new Set<string>();
  return async (request) => {
    const { creates } = about(request);
    if (!creates) return next(request);
    const { name } = await bodyOf(request);
    const list = await next(
      new Request(request.url, { headers: { authorization: request.headers.get('authorization') ?? '' } }),
    );
    const { data = [] } = (list.ok ? await list.json() : {}) as { data?: { id: string; name: string }[] };
    const full = data.filter(({ id, name }) => /^k.{4}-/.test(name) && !refused.has(id)).length >= ROOM;
    // One that is there already is answered as ever.
    if (!full || data.some((one) => one.name === name)) return next(request);
    const answer = await next(request.clone());
    if (!answer.ok) return answer;
    const { id } = (await answer.json()) as { id: string };
    refused.add(id);
    await next(beside(request, id, 'DELETE'));
    return refusal(403, `This workspace may have ${ROOM} interns`, 'quota_exceeded');
  };
};

/** ms after which somebody takes an intern away. */
const AGED = 15_000;

/** Somebody else deletes what has been there for a while. */
export const isTidiedUp: Manner = (next, { host, keys }) => {
  const born = new Map<string, number>();
  return async (request) => {
    for (const [id, at] of born) {
      if (host.now() - at < AGED) continue;
      born.delete(id);
      await next(beside(request, id, 'DELETE', '', keys.api[0]));
    }
    const response = await next(request);
    const { creates, token } = about(request);
    if (creates && response.status === 201 && token === keys.api[0])
      born.set(((await response.clone().json()) as { id: string }).id, host.now());
    return response;
  };
};

/** ms after which an OAuth token is refused. */
const LIFETIME = 5_000;

/** OAuth tokens are good for a while. */
export const tokensExpire: Manner = (next, { host, keys }) => {
  const began = host.now();
  return async (request) => {
    const { token, path } = about(request);
    const issued = [...keys.api, keys.outsider];
    const personal = token !== undefined && !issued.includes(token) && path.startsWith('/interns');
    if (personal && host.now() - began > LIFETIME)
      return Response.json({ error: { code: 401, message: 'Invalid or missing API key' } }, { status: 401 });
    return next(request);
  };
};

/** Others than the holder of the API key may only read. */
export const membersRead: Manner =
  (next, { keys }) =>
  async (request) => {
    const { creates, token } = about(request);
    return creates && token !== undefined && keys.api.slice(1).includes(token) && token !== keys.api[3]
      ? refusal(403, 'Your role may not create interns', 'forbidden')
      : next(request);
  };

/** A prompt boots the intern that it is for. */
export const wakesForAPrompt: Manner =
  (next, { host }) =>
  async (request) => {
    const { id, act } = about(request);
    if (id === undefined || !/^(chat|invoke)/.test(act)) return next(request);
    const first = await next(request.clone());
    if (first.status !== 409 || !(await first.clone().text()).includes('intern_not_ready')) return first;
    await next(beside(request, id, 'POST', '/provision'));
    for (let looks = 0; looks < 20; looks++) {
      const seen = await next(beside(request, id, 'GET'));
      if (seen.ok && ((await seen.json()) as { status: string }).status === 'running') break;
      await host.sleep(500);
    }
    return next(request);
  };

/** The object that names the route of a proof has another name; an unknown field is passed over. */
export const namesRoutesItsWay: Manner = (next) => async (request) => {
  const { act } = about(request);
  if (!act.endsWith('/sign') || request.method !== 'POST') return next(request);
  const text = await request.clone().text();
  if (!text.includes('"route"')) return next(request);
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  return next(new Request(request, { headers, body: text.replaceAll('"route"', '"unknown_field"') }));
};

/** Proofs are given for the routes that its daemons serve. */
export const signsForItsRoutes: Manner = (next) => async (request) => {
  const { act } = about(request);
  if (!act.endsWith('/sign') || request.method !== 'POST') return next(request);
  const text = await request.clone().text();
  const path = /"path":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  const response = await next(request);
  return response.ok && path !== undefined && path !== '/api/invoke'
    ? refusal(400, 'Invalid request body', 'invalid_body')
    : response;
};

/** What is null is left out of a record, and a list tells of each intern no more than which it is and how it does. */
export const saysNoMoreThanNeeded: Manner = (next) => async (request) =>
  rewritten(await next(request), {
    json(json) {
      const record = json as Record<string, unknown> | null;
      if (typeof record !== 'object' || record === null) return;
      if ('vault_id' in record) for (const key of Object.keys(record)) if (record[key] === null) delete record[key];
      if (Array.isArray(record.data) && about(request).path === '/interns')
        record.data = record.data.map(({ id, name, status }) => ({ id, name, status }));
    },
  });

/** A session that it has not given out is unknown to it, in chat too. */
export const knowsItsSessionsOnly: Manner = (next) => {
  const given = new Set<unknown>();
  return async (request) => {
    const { act } = about(request);
    if (act !== 'chat/completions' || request.method !== 'POST') return next(request);
    const { session_id: asked, messages } = await bodyOf(request);
    const last = Array.isArray(messages) ? (messages.at(-1) as { role?: unknown } | undefined) : undefined;
    if (typeof asked === 'string' && !given.has(asked) && last?.role === 'user')
      return refusal(404, 'Session not found', 'not_found');
    const told = (session?: string) => void (session !== undefined && given.add(JSON.parse(session)));
    return rewritten(await next(request), {
      json: (json) => told(JSON.stringify((json as { session_id?: unknown } | null)?.session_id)),
      heard: (sofar) => told(/"session_id":("(?:[^"\\]|\\.)*")/.exec(sofar)?.[1]),
    });
  };
};

/** Whatever an intern has to do keeps it from a prompt: what was invoked, a question that nobody answered. */
export const oneThingAtATime: Manner = (next) => {
  const engaged = new Set<string>();
  return async (request) => {
    const { id, act } = about(request);
    if (id === undefined) return next(request);
    if (/^(suspend|provision)$/.test(act)) engaged.delete(id);
    if (!/^(chat|invoke)/.test(act)) return next(request);
    const body = await request.clone().text();
    const prompts = !body.includes('"role":"tool"');
    if (prompts && engaged.has(id) && !body.includes('"session_id"'))
      return refusal(409, 'The intern is busy', 'busy', true, { 'retry-after': '1' });
    const response = await next(request);
    if (act === 'invoke' && response.ok) engaged.add(id);
    if (act === 'invoke' || !response.ok) return response;
    return rewritten(response, {
      heard(sofar) {
        if (sofar.includes('"finish_reason":"tool_calls"')) engaged.add(id);
        else if (sofar.includes('data: [DONE]')) engaged.delete(id);
      },
    });
  };
};

/** A stream opens, head and all, when there is something to say. */
export const opensLate: Manner = (next) => async (request) => {
  const response = await next(request);
  const { status, headers, body } = response;
  if (body === null || !/event-stream/.test(headers.get('content-type') ?? '')) return response;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const first: Uint8Array[] = [];
  for (let said = ''; !/"content":"[^"]|"finish_reason":"|: keepalive/.test(said); ) {
    const { done, value } = await reader.read();
    if (done) break;
    first.push(value);
    said += decoder.decode(value, { stream: true });
  }
  const rest = new ReadableStream<Uint8Array>({
    start: (controller) => first.forEach((bytes) => void controller.enqueue(bytes)),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => reader.cancel(),
  });
  return new Response(rest, { status, headers });
};
