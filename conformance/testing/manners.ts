import type { Host } from '../framework/time.js';
import type { Fetch } from '../probe/client.js';
import { rewritten, type StreamText } from './rewrite.js';

/** What a manner has to work with. */
export interface Setting {
  readonly host: Host;
  random(): number;
  /** API key of another member of the workspace, one of somebody outside the programme, and each API key or own key beside it. */
  readonly keys: { readonly peer: string; readonly outsider: string; readonly api: readonly string[] };
  /** Puts a script on an intern, as its boot and its teardown are decided. */
  puts(id: string, script: string): Promise<void>;
}

/** A way of answering that no sentence of the interface forbids. Wraps the target. */
export type Manner = (next: Fetch, setting: Setting) => Fetch;

type Json = Record<string, unknown>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const bearer = (request: Request) => /^Bearer (.*)$/.exec(request.headers.get('authorization') ?? '')?.[1];
const pathOf = (request: Request) => new URL(request.url).pathname.replace(/^.*\/api\/v1/, '');
const refusal = (status: number, message: string, reason: string) =>
  Response.json({ error: { code: status, message, metadata: { reason, retryable: false } } }, { status });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every record of an answer, whether it stands alone or in a list. */
function eachRecord(json: unknown, change: (record: Json) => void): void {
  if (!isRecord(json)) return;
  if (typeof json.id === 'string' && 'vault_id' in json) change(json);
  if (Array.isArray(json.data)) for (const entry of json.data) if (isRecord(entry)) change(entry);
}

/** Fields of its own that change with each answer, among those it shares with everybody. */
export const fieldsOfItsOwn: Manner = (next, { random }) => {
  const any = () => Math.floor(random() * 1e9).toString(36);
  return async (request) =>
    rewritten(await next(request), {
      headers(headers) {
        headers.set('server', `edge-${Math.floor(random() * 3)}`);
        headers.set('x-served-by', any());
        headers.set('etag', `W/"${any()}"`);
        if (random() < 0.5) headers.set('x-cache', 'MISS');
      },
      json(json) {
        // A create is answered again as it was answered first.
        const changes = request.method === 'POST' ? () => {} : eachRecord;
        changes(json, (record) => {
          record.last_seen_at = any();
          record.updated_at = new Date(
            Date.parse(String(record.updated_at)) + Math.floor(random() * 1e6),
          ).toISOString();
          record.secret_count = Math.floor(random() * 9);
        });
        if (!isRecord(json)) return;
        if (typeof json.token === 'string' && typeof json.origin === 'string') json.expires_at = any();
        if (isRecord(json.error) && isRecord(json.error.metadata)) json.error.metadata.request = any();
      },
    });
};

/** Lines end in CR LF, events have types and ids, comments stand between them, chunks carry more fields. */
export const streamsItsWay: Manner = (next, { random }) => {
  let id = 0;
  const text: StreamText = (event) => {
    const data = /^data: (.*)$/s.exec(event)?.[1];
    if (data === undefined) return `${event.replaceAll('\n', '\r\n')}\r\n\r\n`;
    let said = data;
    if (data !== '[DONE]') {
      const chunk = JSON.parse(data) as Json;
      said = JSON.stringify({ ...chunk, system_fingerprint: `fp_${++id}`, service_tier: null });
    }
    const before = random() < 0.3 ? ': still here\r\n\r\n' : '';
    return `${before}event: message\r\nid: ${++id}\r\ndata: ${said}\r\n\r\n`;
  };
  return async (request) => rewritten(await next(request), { text });
};

/** Lists are short unless a limit is asked for, and pages may be shorter than it. */
export const shortPages: Manner =
  (next, { random }) =>
  (request) => {
    const url = new URL(request.url);
    const lists = request.method === 'GET' && pathOf(request) === '/interns';
    const limit = url.searchParams.get('limit');
    const asked = limit === null ? 3 : /^[1-9]\d{0,2}$/.test(limit) && Number(limit) <= 500 ? Number(limit) : undefined;
    if (!lists || asked === undefined) return next(request);
    url.searchParams.set('limit', String(limit !== null && asked > 2 && random() < 0.5 ? asked - 1 : asked));
    return next(new Request(url, request));
  };

/** The kind of the credential is judged before what it may see; a daemon token is made anew for each who asks. */
export const kindFirst: Manner = (next, { keys, random }) => {
  return async (request) => {
    const key = bearer(request);
    if (/\/interns\/[^/]+\/daemon/.test(pathOf(request)) && key !== undefined && keys.api.includes(key))
      return refusal(403, 'Personal connections require the OIDC login', 'personal_identity_required');
    return rewritten(await next(request), {
      json(json) {
        if (isRecord(json) && typeof json.token === 'string') json.token = `${json.token}.${random()}`;
      },
    });
  };
};

/** A member sees the interns that it made, and no others. */
export const peersApart: Manner = (next, { keys }) => {
  const peers = new Set<string>();
  return async (request) => {
    const id = /^\/interns\/([^/]+)/.exec(pathOf(request))?.[1];
    if (bearer(request) === keys.peer && id !== undefined && !peers.has(id))
      return refusal(404, 'Intern not found', 'not_found');
    const response = await next(request);
    if (bearer(request) === keys.peer && request.method === 'POST' && response.status === 201)
      peers.add(((await response.clone().json()) as { id: string }).id);
    return response;
  };
};

/** Texts are trimmed, none is null, and what no database keeps is refused. */
export const tidiesTexts: Manner = (next) => async (request) => {
  const json = /json/i.test(request.headers.get('content-type') ?? '');
  if (!json || !/^\/interns(\/[^/]+)?$/.test(pathOf(request)) || !/POST|PATCH/.test(request.method))
    return next(request);
  const text = await request.clone().text();
  const body = parsed(text);
  if (!isRecord(body) || text.length > 1_000_000) return next(request);
  for (const key of ['description', 'instructions']) {
    const said = body[key];
    if (typeof said !== 'string') continue;
    if (said.includes('\u0000')) return refusal(400, 'Invalid request body', 'invalid_body');
    body[key] = said.trim() === '' ? null : said.trim();
  }
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  return next(new Request(request, { headers, body: JSON.stringify(body) }));
};

/** A proxy in between: no empty header passes it, a large body that was not read ends the connection. */
export const dropsWhatIsLarge: Manner =
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

/** ms after which it is seen that a client has gone: within 30 s. */
const NOTICED = 20_000;

/** That a client has left its stream is noticed late; `Retry-After` is a date. */
export const noticesLate: Manner =
  (next, { host }) =>
  async (request) => {
    const { url, method, headers } = request;
    const body = request.body === null ? {} : { body: await request.arrayBuffer() };
    return rewritten(await next(new Request(url, { method, headers, ...body })), {
      left: (cancel) => void host.later(NOTICED, cancel),
      headers(own) {
        const after = own.get('retry-after');
        if (after !== null) own.set('retry-after', new Date(host.now() + 1_000 * Number(after)).toUTCString());
      },
    });
  };

/** A new intern is `queued` for a while before it is what it was created as. */
export const settlesFirst: Manner = (next, { host }) => {
  const until = new Map<string, number>();
  return async (request) =>
    rewritten(await next(request), {
      json(json) {
        // One that is suspended has been more than new.
        const suspended = /^\/interns\/([^/]+)\/suspend$/.exec(pathOf(request))?.[1];
        if (suspended !== undefined) until.delete(suspended);
        eachRecord(json, (record) => {
          const id = String(record.id);
          if (request.method === 'POST' && pathOf(request) === '/interns') until.set(id, host.now() + 1_500);
          if (record.status === 'stopped' && host.now() < (until.get(id) ?? 0)) record.status = 'queued';
        });
      },
    });
};

/** An intern that waits for its first provision is `queued`, however long. */
export const queuesForGood: Manner = (next) => {
  const waiting = new Set<string>();
  return async (request) => {
    const url = new URL(request.url);
    const statuses = url.searchParams.get('status')?.split(',') ?? [];
    const filters = pathOf(request) === '/interns' && statuses.includes('queued') && statuses.length < 8;
    if (filters) url.searchParams.set('status', [...statuses, 'stopped'].slice(-8).join(','));
    return rewritten(await next(filters ? new Request(url, request) : request), {
      json(json) {
        const id = /^\/interns\/([^/]+)\/provision$/.exec(pathOf(request))?.[1];
        if (id !== undefined && isRecord(json) && json.error === undefined) waiting.delete(id);
        eachRecord(json, (record) => {
          if (request.method === 'POST' && record.status === 'stopped') waiting.add(String(record.id));
          if (record.status === 'stopped' && waiting.has(String(record.id))) record.status = 'queued';
        });
        if (statuses.length > 0 && isRecord(json) && Array.isArray(json.data))
          json.data = json.data.filter((entry) => isRecord(entry) && statuses.includes(String(entry.status)));
      },
    });
  };
};

/** ms that a suspend goes on after its answer. */
const STOPPING = 1_200;

/** A suspend takes a moment: runs end and prompts are refused at once, the record is `running` a little longer. */
export const suspendsSlowly: Manner = (next, { host }) => {
  const until = new Map<string, number>();
  return async (request) => {
    const [, id = '', act] = /^\/interns\/([^/]+)(?:\/(provision|suspend))?$/.exec(pathOf(request)) ?? [];
    const stopping = (one: unknown) => host.now() < (until.get(String(one)) ?? 0);
    if (act !== undefined && stopping(id)) return refusal(409, 'The intern is busy', 'intern_busy');
    const response = await next(request);
    if (act === 'suspend' && response.ok) until.set(id, host.now() + STOPPING);
    return rewritten(response, {
      json: (json) =>
        eachRecord(json, (record) => {
          if (record.status === 'stopped' && stopping(record.id)) record.status = 'running';
        }),
    });
  };
};

/** Ids of vaults have a form of their own. */
export const vaultsOfItsOwn: Manner = (next) => async (request) => {
  const creates = request.method === 'POST' && pathOf(request) === '/interns';
  const text = creates ? await request.clone().text() : '';
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  const asked = text.includes('"vlt_')
    ? new Request(request, { headers, body: text.replaceAll('"vlt_', '"') })
    : request;
  return rewritten(await next(asked), {
    json: (json) =>
      eachRecord(json, (record) => {
        for (const key of ['vault_id', 'attached_vault_id'])
          if (typeof record[key] === 'string') record[key] = `vlt_${record[key]}`;
      }),
  });
};

/** An intern for which no model was chosen shows the one that it will run with. */
export const showsItsModel: Manner = (next) => async (request) =>
  rewritten(await next(request), {
    json: (json) =>
      eachRecord(json, (record) => {
        record.model ??= 'acme/default-1';
      }),
  });

/** A create boots the intern at once, whatever it asks for. */
export const bootsAtOnce: Manner = (next) => async (request) => {
  const response = await next(request);
  if (request.method !== 'POST' || pathOf(request) !== '/interns' || response.status !== 201) return response;
  const { id, status } = (await response.clone().json()) as { id: string; status: string };
  const headers = { authorization: request.headers.get('authorization') ?? '' };
  if (status === 'stopped')
    await next(new Request(`${request.url.replace(/\?.*/, '')}/${id}/provision`, { method: 'POST', headers }));
  return response;
};

/** ms after which an intern that nobody talks to is suspended. */
const IDLE = 4_000;

/** An intern that nobody has talked to for a while is suspended. */
export const suspendsWhatIsIdle: Manner = (next, { host, keys }) => {
  const idleSince = new Map<string, number>();
  return async (request) => {
    const [, id, act] = /^\/interns\/([^/]+)(?:\/(.*))?$/.exec(pathOf(request)) ?? [];
    if (id !== undefined && host.now() - (idleSince.get(id) ?? Number.POSITIVE_INFINITY) > IDLE) {
      idleSince.delete(id);
      const url = request.url.replace(/\/interns\/.*$/, `/interns/${id}/suspend`);
      await next(new Request(url, { method: 'POST', headers: { authorization: `Bearer ${keys.api[0]}` } }));
    }
    // Whoever talks to one may have left a question or a run open.
    if (id !== undefined && /^(chat|invoke)/.test(act ?? '')) idleSince.delete(id);
    const response = await next(request);
    if (response.status === 202 && act === 'provision' && id !== undefined) idleSince.set(id, host.now() + 1_000);
    if (response.status === 201 && request.method === 'POST')
      idleSince.set(((await response.clone().json()) as { id: string }).id, host.now() + 1_000);
    return response;
  };
};

/** The published statuses and what the deployment calls them. */
const WORDS: Readonly<Record<string, string>> = {
  queued: 'waiting_for_capacity',
  provisioning: 'booting',
  running: 'ready',
  failed: 'broken',
  stopped: 'asleep',
  destroying: 'removing',
};

/** Statuses have names of its own; one alone is stated. */
export const statusesOfItsOwn: Manner = (next) => async (request) => {
  const url = new URL(request.url);
  const status = url.searchParams.get('status');
  if (status !== null) {
    const canonical = (word: string) =>
      Object.entries(WORDS).find(([, own]) => own === word)?.[0] ?? (word in WORDS ? `no ${word}` : word);
    url.searchParams.set('status', status.split(',').map(canonical).join(','));
  }
  return rewritten(await next(status === null ? request : new Request(url, request)), {
    json: (json) =>
      eachRecord(json, (record) => {
        record.status = WORDS[String(record.status)] ?? record.status;
      }),
  });
};

/** What is published of the reasons of a 409 is not what it says. */
export const reasonsOfItsOwn: Manner = (next) => async (request) => {
  const response = await next(request);
  if (response.status !== 409) return response;
  return rewritten(response, {
    json(json) {
      if (isRecord(json) && isRecord(json.error) && isRecord(json.error.metadata))
        json.error.metadata.reason = 'not_now';
    },
  });
};

/** Each POST that is accepted is 201, each other write 202, but for chat, and for invoke, whose 202 is stated. */
export const successesOfItsOwn: Manner = (next) => async (request) => {
  const response = await next(request);
  const reads = /GET|HEAD/.test(request.method) || /\/(chat\/completions|invoke)$/.test(pathOf(request));
  if (reads || !response.ok) return response;
  const { headers } = response;
  return new Response(await response.arrayBuffer(), { status: request.method === 'POST' ? 201 : 202, headers });
};

/** One intern in seven does not come up, and of one in seven the teardown fails. */
export const failsAtTimes: Manner = (next, { random, puts }) => {
  const stays = new Set<string>();
  return async (request) => {
    const id = /\/interns\/([^/]+)$/.exec(pathOf(request))?.[1];
    // Until then it does what its prompts say.
    if (request.method === 'DELETE' && id !== undefined && stays.delete(id)) await puts(id, 'teardown-fails');
    const response = await next(request);
    if (request.method !== 'POST' || pathOf(request) !== '/interns' || response.status !== 201) return response;
    const made = (await response.clone().json()) as { id: string };
    const chance = random();
    if (chance < 0.15) await puts(made.id, 'boot-fails');
    else if (chance < 0.3) stays.add(made.id);
    return response;
  };
};
