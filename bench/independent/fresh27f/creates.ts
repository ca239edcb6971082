import { failed } from '../answers.js';
import { withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, CAP, idOf } from './common.js';

const RETRY = 'A retry with the same idempotency key and the same body resumes unfinished work.';
const TYPE = 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.';

export const creates: readonly Way[] = [
  {
    name: 'key-ignored',
    quote: RETRY,
    wrong: ({ asked }) =>
      asked('create', (call) =>
        call.request.headers.has('idempotency-key') ? withHeaders(call, { 'idempotency-key': null }) : undefined,
      ),
  },
  {
    name: 'key-forgotten-after-the-next',
    quote: RETRY,
    wrong: ({ hit }) => {
      const latest = new Map<string, string>();
      const seen = new Set<string>();
      return async (call, next) => {
        const key = call.request.headers.get('idempotency-key');
        if (call.op !== 'create' || key === null) return next();
        const forgotten = seen.has(`${call.who} ${key}`) && latest.get(call.who) !== key;
        seen.add(`${call.who} ${key}`);
        latest.set(call.who, key);
        if (!forgotten) return next();
        hit();
        return next(withHeaders(call, { 'idempotency-key': null }));
      };
    },
  },
  {
    name: 'key-not-yet-known-while-creating',
    quote: RETRY,
    wrong: ({ hit }) => {
      const under = new Set<string>();
      return async (call, next) => {
        const key = call.request.headers.get('idempotency-key');
        if (call.op !== 'create' || key === null) return next();
        if (under.has(key)) {
          hit();
          return next(withHeaders(call, { 'idempotency-key': null }));
        }
        under.add(key);
        try {
          return await next();
        } finally {
          under.delete(key);
        }
      };
    },
  },
  {
    name: 'key-forgotten-in-half-a-minute',
    quote: RETRY,
    wrong: ({ hit, setting: { host } }) => {
      const first = new Map<string, number>();
      return async (call, next) => {
        const key = call.request.headers.get('idempotency-key');
        if (call.op !== 'create' || key === null) return next();
        const at = first.get(key) ?? host.now();
        first.set(key, at);
        if (host.now() - at < 30_000) return next();
        hit();
        return next(withHeaders(call, { 'idempotency-key': null }));
      };
    },
  },
  {
    name: 'key-of-another-caller',
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: ({ hit }) => {
      const made = new Map<string, { readonly who: string; readonly response: Response }>();
      return async (call, next) => {
        const key = call.request.headers.get('idempotency-key');
        if (call.op !== 'create' || key === null) return next();
        const kept = made.get(key);
        if (kept !== undefined && kept.who !== call.who && call.who === 'foreign_api_key') {
          hit();
          return kept.response.clone();
        }
        const response = await next();
        if (response.ok) made.set(key, { who: call.who, response: response.clone() });
        return response;
      };
    },
  },
  {
    name: 'retry-while-starting-500',
    quote: RETRY,
    wrong: (world) => {
      const made = new Map<string, string>();
      return async (call, next) => {
        const key = call.request.headers.get('idempotency-key');
        if (call.op !== 'create' || key === null) return next();
        const id = made.get(`${call.who} ${key}`);
        if (id !== undefined) {
          const { status } = await bodyOf(await world.ask('GET', `/interns/${id}`));
          if (typeof status === 'string' && status !== 'running' && status !== 'stopped') {
            world.hit();
            return failed(500, 'The request could not be completed', 'internal_error', true);
          }
        }
        const response = await next();
        if (response.ok) made.set(`${call.who} ${key}`, idOf(await bodyOf(response)));
        return response;
      };
    },
  },
  {
    name: 'create-wrong-type-400',
    quote: TYPE,
    wrong: ({ later }) =>
      later('create', ({ status }) =>
        status === 415 ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
      ),
  },
  {
    name: 'create-too-large-code-400',
    quote: 'The body is capped at 1048576 bytes, and a larger body is refused with 413.',
    wrong: ({ error }) =>
      error('create', 413, (said) => {
        said.code = 400;
      }),
  },
  {
    name: 'cap-counts-characters',
    quote: 'The body is capped at 1048576 bytes, and a larger body is refused with 413.',
    wrong: ({ later }) =>
      later('create update', ({ status }, { text }) =>
        status === 413 && text.length <= CAP ? failed(400, 'Invalid request body', 'invalid_body') : undefined,
      ),
  },
  {
    name: 'delete-at-the-cap-413',
    quote: 'The 1048576-byte cap, 413 and 415 rules apply.',
    wrong: ({ instead }) =>
      instead('delete', ({ text }) =>
        Buffer.byteLength(text) === CAP
          ? failed(413, 'Request body exceeds 1048576 bytes', 'payload_too_large')
          : undefined,
      ),
  },
  {
    name: 'create-untyped-taken',
    quote: TYPE,
    wrong: ({ asked }) =>
      asked('create', (call) =>
        call.request.headers.has('content-type') || call.text === ''
          ? undefined
          : withHeaders(call, { 'content-type': 'application/json' }),
      ),
  },
  {
    name: 'update-merge-patch-taken',
    quote: 'The 1048576-byte cap, 413 and 415 rules apply as for create.',
    wrong: ({ asked }) =>
      asked('update', (call) =>
        /^application\/[a-z-]+\+json/i.test(call.request.headers.get('content-type') ?? '')
          ? withHeaders(call, { 'content-type': 'application/json' })
          : undefined,
      ),
  },
  {
    name: 'delete-form-taken',
    quote: 'The 1048576-byte cap, 413 and 415 rules apply.',
    wrong: ({ asked }) =>
      asked('delete', (call) =>
        /^(application\/x-www-form-urlencoded|text\/)/i.test(call.request.headers.get('content-type') ?? '') &&
        call.text !== ''
          ? withHeaders(call, { 'content-type': 'application/json' })
          : undefined,
      ),
  },
  {
    name: 'update-type-in-capitals-415',
    quote: 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.',
    wrong: ({ instead }) =>
      instead('update create', ({ request }) => {
        const type = request.headers.get('content-type') ?? '';
        return /^application\/json/i.test(type) && !type.startsWith('application/json')
          ? failed(415, 'Request body must be sent as application/json', 'unsupported_media_type')
          : undefined;
      }),
  },
  {
    name: 'secrets-unknown-until-provisioned',
    quote: 'Creates the intern and its private vault.',
    wrong: ({ later, ask }) =>
      later('vault-list', async ({ ok }, { id }) => {
        if (!ok) return undefined;
        const { status } = await bodyOf(await ask('GET', `/interns/${id}`));
        return status !== undefined && status !== 'running' && status !== 'stopped'
          ? failed(404, 'Vault not found', 'not_found')
          : undefined;
      }),
  },
];
