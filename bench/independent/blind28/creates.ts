import { failed } from '../answers.js';
import { withHeaders } from '../call.js';
import { bodyOf, bytes, CAP, isVisible, type Part, remade, typed, typeOf } from './parts.js';

const keyOf = (request: Request) => request.headers.get('idempotency-key');

export const creates: Part = {
  'create-without-workspace': {
    quote: 'There is no default workspace fallback.',
    wrong: (w) =>
      w.asked('create', ({ body }) =>
        'name' in body && !('workspace_id' in body) ? { ...body, workspace_id: w.workspaces.own } : undefined,
      ),
  },
  'create-null-workspace': {
    quote: 'There is no default workspace fallback.',
    wrong: (w) =>
      w.asked('create', ({ body }) =>
        body.workspace_id === null || body.workspace_id === ''
          ? { ...body, workspace_id: w.workspaces.own }
          : undefined,
      ),
  },
  'create-foreign-workspace-in-own': {
    quote: 'Creates an intern in an explicit workspace and its private vault.',
    wrong: (w) =>
      w.asked('create', ({ body, who }) =>
        who === 'api_key' && body.workspace_id === w.workspaces.foreign
          ? { ...body, workspace_id: w.workspaces.own }
          : undefined,
      ),
  },
  'create-answers-other-workspace': {
    quote: 'An intern is created in an explicit workspace.',
    wrong: (w) =>
      w.ok('create', (body) => {
        if (body.workspace_id === w.workspaces.own) body.workspace_id = w.workspaces.foreign;
      }),
  },
  'retry-after-a-minute-anew': {
    quote: 'A retry with the same idempotency key and the same body resumes unfinished work.',
    wrong: (w) => {
      const first = new Map<string, number>();
      return w.asked('create', (call) => {
        const key = keyOf(call.request);
        if (key === null) return undefined;
        const now = w.setting.host.now();
        const at = first.get(`${call.who} ${key}`);
        if (at === undefined) first.set(`${call.who} ${key}`, now);
        return at !== undefined && now - at > 60_000 ? withHeaders(call, { 'idempotency-key': null }) : undefined;
      });
    },
  },
  'retry-third-time-anew': {
    quote: 'A retry with the same idempotency key and the same body resumes unfinished work.',
    wrong: (w) => {
      const times = new Map<string, number>();
      return w.asked('create', (call) => {
        const key = keyOf(call.request);
        if (key === null) return undefined;
        const count = (times.get(`${call.who} ${key}`) ?? 0) + 1;
        times.set(`${call.who} ${key}`, count);
        return count > 2 ? withHeaders(call, { 'idempotency-key': `${key}-${count}` }) : undefined;
      });
    },
  },
  'retry-key-shared-by-workspaces': {
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    // Another workspace's caller gets the first caller's intern by the same key.
    wrong: (w) => {
      const made = new Map<string, { readonly who: string; readonly body: unknown }>();
      return async (call, next) => {
        const key = keyOf(call.request);
        if (call.op !== 'create' || key === null) return next();
        const earlier = made.get(key);
        const response = await next();
        if (!response.ok) return response;
        if (earlier !== undefined && [earlier.who, call.who].includes('foreign_api_key') && earlier.who !== call.who) {
          w.hit();
          return remade(response, earlier.body);
        }
        made.set(key, { who: call.who, body: await bodyOf(response) });
        return response;
      };
    },
  },
  'retry-case-folded-key': {
    quote: 'A retry with the same idempotency key and the same body resumes unfinished work.',
    // Keys that differ in case are one key.
    wrong: (w) =>
      w.asked('create', (call) => {
        const key = keyOf(call.request);
        return key === null || key === key.toLowerCase()
          ? undefined
          : withHeaders(call, { 'idempotency-key': key.toLowerCase() });
      }),
  },
  'create-get-lags': {
    quote: 'Returns the public lifecycle state and settings of one visible intern.',
    // The read comes from a copy that lags two seconds behind.
    wrong: (w) => {
      const made = new Map<string, number>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'create' && response.ok) made.set(String((await bodyOf(response)).id), w.setting.host.now());
        const at = made.get(call.id);
        if (call.op !== 'get' || !response.ok || at === undefined || w.setting.host.now() - at > 2000) return response;
        w.hit();
        return failed(404, 'Intern not found', 'not_found');
      };
    },
  },
  'cap-counts-characters': {
    quote: 'The body is capped at 1048576 bytes, and a larger body is refused with 413.',
    wrong: (w) =>
      w.later('create update', (response, { text }) =>
        response.status === 413 && text.length <= CAP && bytes(text) > CAP
          ? failed(400, 'Invalid request body', 'invalid_body')
          : undefined,
      ),
  },
  'create-cap-of-64-KiB': {
    quote: 'The body is capped at 1048576 bytes, and a larger body is refused with 413.',
    wrong: (w) =>
      w.later('create', (response, { text }) =>
        response.ok && bytes(text) > 65_536
          ? failed(413, 'Request body exceeds 65536 bytes', 'payload_too_large')
          : undefined,
      ),
  },
  'create-413-code-400': {
    quote: 'code: <integer HTTP status>',
    wrong: (w) =>
      w.error('create', 413, (error) => {
        error.code = 400;
      }),
  },
  'create-413-of-a-proxy': {
    quote: 'The error responses of every endpoint use the envelope given under Errors.',
    wrong: (w) =>
      w.later('create update delete', (response) =>
        response.status === 413
          ? new Response('<html><h1>413 Request Entity Too Large</h1></html>', {
              status: 413,
              headers: { 'content-type': 'text/html' },
            })
          : undefined,
      ),
  },
  'create-type-in-capitals-415': {
    quote: 'A non-empty body must declare `Content-Type: application/json`',
    // Media types have no case.
    wrong: (w) =>
      w.instead('create update', (call) =>
        /^application\/json/i.test(typeOf(call)) && !typeOf(call).startsWith('application/json')
          ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
          : undefined,
      ),
  },
  'create-type-by-its-beginning': {
    quote: 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.',
    wrong: (w) =>
      w.asked('create update delete', (call) =>
        /^application\/json[^;\s]/.test(typeOf(call)) ? typed(call) : undefined,
      ),
  },
  'create-form-type': {
    quote: 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.',
    wrong: (w) =>
      w.asked('create', (call) =>
        typeOf(call).startsWith('application/x-www-form-urlencoded') ? typed(call) : undefined,
      ),
  },
  'create-type-as-parameter': {
    quote: 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.',
    // The type is looked for anywhere in the header.
    wrong: (w) =>
      w.asked('create update delete', (call) =>
        /application\/json/.test(typeOf(call)) && !typeOf(call).startsWith('application/json')
          ? typed(call)
          : undefined,
      ),
  },
  'description-without-emoji': {
    quote: 'description | string | Changeable through `update_intern`.',
    // The column holds three bytes a character.
    wrong: (w) =>
      w.asked('create update', ({ body }) =>
        typeof body.description === 'string' && /[\u{10000}-\u{10ffff}]/u.test(body.description)
          ? { ...body, description: body.description.replace(/[\u{10000}-\u{10ffff}]/gu, '?') }
          : undefined,
      ),
  },
  'vault-late': {
    quote: 'Creating it also creates its private vault.',
    // The vault comes with the first boot alone.
    wrong: (w) => {
      const booted = new Set<string>();
      const made = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'create' && response.ok) made.add(String((await bodyOf(response)).id));
        if (call.op === 'provision' && response.ok) booted.add(call.id);
        if (call.op !== 'vault-list' || !response.ok || !made.has(call.id) || booted.has(call.id)) return response;
        w.hit();
        return failed(404, 'Vault not found', 'not_found');
      };
    },
  },
  'vault-outlives-its-intern': {
    quote: 'Starts safe teardown of the intern, its runtime and its private vault.',
    wrong: (w) => {
      const kept = new Map<string, string>();
      return w.later('vault-list', async (response, { id, who }) => {
        if (response.ok) kept.set(`${who} ${id}`, await response.clone().text());
        const last = kept.get(`${who} ${id}`);
        return response.status === 404 && last !== undefined && !(await isVisible(w, id, who))
          ? new Response(last, { status: 200, headers: { 'content-type': 'application/json' } })
          : undefined;
      });
    },
  },
  'vault-open-to-other-workspaces': {
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (w) => async (call, next) => {
      const response = await next();
      if (call.op !== 'vault-list' || call.who !== 'foreign_api_key' || response.ok) return response;
      const owners = await w.ask('GET', `/vault/interns/${call.id}/secrets`);
      if (owners.ok) w.hit();
      return owners.ok ? owners : response;
    },
  },
};
