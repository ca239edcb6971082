import { failed } from '../answers.js';
import { withBody, withHeaders } from '../call.js';
import { bodyOf, bytesOf, CAP, type Fresh, now, OTHER_ID, shortened } from './shared.js';

const RETRY = 'A retry with the same idempotency key and the same body resumes unfinished work.';
const TYPE = 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.';
const KEY = 'idempotency-key';

export const creates: Fresh = {
  'idempotency-ignored': {
    quote: RETRY,
    wrong: (w) =>
      w.asked('create', (call) => (call.request.headers.has(KEY) ? withHeaders(call, { [KEY]: null }) : undefined)),
  },
  'idempotency-good-for-one-retry': {
    quote: RETRY,
    wrong: (w) => {
      const times = new Map<string, number>();
      return w.asked('create', (call) => {
        const key = call.request.headers.get(KEY);
        if (key === null) return undefined;
        const at = `${call.who} ${key}`;
        const so = (times.get(at) ?? 0) + 1;
        times.set(at, so);
        return so > 2 ? withHeaders(call, { [KEY]: `${key}-${so}` }) : undefined;
      });
    },
  },
  'idempotency-forgotten-after-a-minute': {
    quote: RETRY,
    wrong: (w) => {
      const first = new Map<string, number>();
      return w.asked('create', (call) => {
        const key = call.request.headers.get(KEY);
        if (key === null) return undefined;
        const at = `${call.who} ${key}`;
        const since = first.get(at) ?? now(w);
        first.set(at, since);
        return now(w) - since > 60_000 ? withHeaders(call, { [KEY]: `${key}-late` }) : undefined;
      });
    },
  },
  'idempotency-last-key-only': {
    quote: RETRY,
    wrong: (w) => {
      const last = new Map<string, string>();
      const known = new Set<string>();
      let fresh = 0;
      return w.asked('create', (call) => {
        const key = call.request.headers.get(KEY);
        if (key === null) return undefined;
        const before = last.get(call.who);
        last.set(call.who, key);
        const at = `${call.who} ${key}`;
        if (known.has(at) && before !== key) return withHeaders(call, { [KEY]: `${key}-${++fresh}` });
        known.add(at);
        return undefined;
      });
    },
  },
  'created-404-once': {
    quote: 'Returns the public lifecycle state and settings of one visible intern.',
    wrong: (w) => {
      const fresh = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'create' && response.ok) fresh.add(String((await bodyOf(response)).id));
        if (call.op !== 'get' || !response.ok || !fresh.delete(call.id)) return response;
        w.hit();
        return failed(404, 'Intern not found', 'not_found');
      };
    },
  },
  'create-instructions-trimmed': {
    quote: '| instructions | string | Changeable through `update_intern`. |',
    wrong: (w) =>
      w.asked('create update', ({ body }) =>
        typeof body.instructions === 'string' && body.instructions !== body.instructions.trim()
          ? { ...body, instructions: body.instructions.trim() }
          : undefined,
      ),
  },
  'create-forgets-model-without-instructions': {
    quote: 'Returns the public lifecycle state and settings of one visible intern.',
    wrong: (w) =>
      w.asked('create', ({ body }) => {
        if (typeof body.model !== 'string' || body.instructions !== undefined) return undefined;
        const { model: _, ...rest } = body;
        return rest;
      }),
  },
  'create-cap-in-characters': {
    quote: 'The body is capped at 1048576 bytes, and a larger body is refused with 413.',
    wrong: (w) =>
      w.asked('create', (call) =>
        bytesOf(call.text) > CAP && call.text.length <= CAP ? shortened(call, 1000) : undefined,
      ),
  },
  'create-cap-off-by-one': {
    quote: 'The body is capped at 1048576 bytes, and a larger body is refused with 413.',
    wrong: (w) => w.asked('create', (call) => (bytesOf(call.text) === CAP + 1 ? shortened(call, 1000) : undefined)),
  },
  'create-type-by-prefix': {
    quote: TYPE,
    wrong: (w) =>
      w.asked('create', (call) =>
        /^application\/json[^;\s]/i.test(call.request.headers.get('content-type') ?? '')
          ? withHeaders(call, { 'content-type': 'application/json' })
          : undefined,
      ),
  },
  'create-refused-type-yet-made': {
    quote: TYPE,
    wrong: (w) =>
      w.later('create', async (response, { who, body }) => {
        if (response.status !== 415 || who !== 'api_key') return undefined;
        if ((await w.ask('POST', '/interns', { body })).ok) w.hit();
        return undefined;
      }),
  },
  'create-form-taken': {
    quote: TYPE,
    wrong: (w) =>
      w.asked('create', (call) =>
        /^(application\/x-www-form-urlencoded|multipart\/)/i.test(call.request.headers.get('content-type') ?? '')
          ? withHeaders(call, { 'content-type': 'application/json' })
          : undefined,
      ),
  },
  'vault-made-at-first-boot': {
    quote: 'Creating it also creates its private vault.',
    wrong: (w) => {
      const unborn = new Set<string>();
      return async (call, next) => {
        const response = await next();
        if (call.op === 'create' && response.ok) unborn.add(String((await bodyOf(response)).id));
        if (call.op === 'provision' && response.ok) unborn.delete(call.id);
        if (call.op !== 'vault-list' || !response.ok || !unborn.has(call.id)) return response;
        w.hit();
        return failed(404, 'Vault not found', 'not_found');
      };
    },
  },
  'vault-of-another-id-in-the-record': {
    quote: 'Creating it also creates its private vault.',
    wrong: (w) =>
      w.ok('create', (body) => {
        if (typeof body.vault_id === 'string') body.vault_id = OTHER_ID;
      }),
  },
  'create-inherits-the-last-description': {
    quote: '| create_intern | Valid body | Creates the intern and its private vault.',
    wrong: (w) => {
      let last: unknown;
      return async (call, next) => {
        const { name } = call.body;
        if (call.op !== 'create' || typeof name !== 'string') return next();
        const before = last;
        last = call.body.description;
        if (typeof before !== 'string' || call.body.description !== undefined) return next();
        w.hit();
        return next(withBody(call, { ...call.body, description: before }));
      };
    },
  },
};
