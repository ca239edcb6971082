import { failed } from '../answers.js';
import { isJson } from '../call.js';
import type { Way } from '../world.js';
import { bearer, everyNth, isMember, runsOf, seen } from './helpers.js';

const LIFECYCLE = ['list', 'create', 'get', 'update', 'delete', 'provision', 'suspend'];

/** Words of its own for what neither text words. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  intern_busy: 'Another operation is in progress or the current state does not permit this one',
  intern_not_ready: 'The runtime of this intern is not up. Provision it first',
  intern_not_running: 'The runtime of this intern is not up',
  name_conflict: 'You already have an intern with that name',
  idempotency_key_reused: 'This Idempotency-Key belongs to a different request',
  busy: 'One turn at a time, please',
  interaction_unknown: 'We do not know that interaction',
  interaction_not_pending: 'That interaction was settled already',
  attachment_failed: 'Somebody else is reading this run',
  bad_request: 'Could not understand the request',
};

export const errors: readonly Way[] = [
  {
    // Reasons and statuses stay; only words that neither text gives change, and metadata may have further fields.
    name: 'errors have other words and further metadata',
    lawful: true,
    quote:
      'Error catalogue for the intern operations other than signing: not shown. … (a kit tolerates further fields)',
    wrong: (world) =>
      world.json('*', (body, call, response) => {
        const { error } = body;
        if (response.ok || !isJson(error) || !isJson(error.metadata)) return;
        const words = OTHER_WORDS[String(error.metadata.reason)];
        if (words !== undefined && !call.op.startsWith('sign')) error.message = words;
        Object.assign(error.metadata, { documentation_url: 'https://docs.example.com/errors', details: [] });
      }),
  },
  {
    // A proxy fails for a moment, in the envelope. Reads fail that would succeed; a prompt is lost before it was accepted.
    name: 'reads answer 503 and prompts 502 now and then',
    lawful: true,
    quote:
      'Error catalogue for the intern operations other than signing: not shown. … unreachable before that → 502 `intern_unreachable` (retryable)',
    wrong: (world) => {
      const readDue = everyNth(11);
      const promptDue = everyNth(7);
      return async (call, next) => {
        const { body, op, who, id } = call;
        const messages = Array.isArray(body.messages) ? body.messages : [];
        const prompts =
          (op === 'chat' && body.stream === true && isJson(messages.at(-1)) && messages.at(-1).role === 'user') ||
          (op === 'invoke' && typeof body.input === 'string' && body.session_id === undefined);
        if (prompts && isMember(who)) {
          const record = await seen(world, id, bearer(call.request));
          const open = (await runsOf(world, id)).some(({ status }) => status !== 'ended');
          if (record?.status === 'running' && !open && promptDue()) {
            world.hit();
            return failed(502, 'The intern cannot be reached', 'intern_unreachable', true);
          }
        }
        const response = await next();
        if ((op !== 'list' && op !== 'get') || !response.ok || !isMember(who) || !readDue()) return response;
        world.hit();
        const other = failed(503, 'The service is overloaded', 'service_unavailable', true);
        other.headers.set('retry-after', '1');
        return other;
      };
    },
  },
  {
    // The answer is lost after the work was done: a time-out says nothing about that. A create can be sent again.
    name: 'a write answers 504 now and then, though it was done',
    lawful: true,
    quote:
      'Error catalogue for the intern operations other than signing: not shown. … A retry with the same idempotency key and the same body resumes unfinished work.',
    wrong: (world) => {
      const due = everyNth(6);
      return world.later('create update provision suspend delete', ({ ok }, { who }) =>
        ok && isMember(who) && due() ? failed(504, 'The operation timed out', 'timeout', true) : undefined,
      );
    },
  },
  {
    // Other limits than that of chat turns are not excluded, and errors of these operations are not catalogued.
    name: 'lifecycle calls have a limiter too: 100 in ten seconds',
    lawful: true,
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    wrong: (world) => {
      const calls = new Map<string, number[]>();
      const { now } = world.setting.host;
      return async (call, next) => {
        if (!LIFECYCLE.includes(call.op) || !isMember(call.who)) return next();
        const times = (calls.get(call.who) ?? []).filter((at) => at + 10_000 > now());
        calls.set(call.who, times);
        const [first = 0] = times;
        if (times.length < 100) {
          times.push(now());
          return next();
        }
        world.hit();
        const other = failed(429, 'Too many requests', 'rate_limited', true);
        other.headers.set('retry-after', String(Math.ceil((first + 10_000 - now()) / 1_000)));
        return other;
      };
    },
  },
  {
    // How many turns are allowed is not shown; Retry-After may be a date, as RFC 9110 has it.
    name: 'eight chat turns a minute, with a date in Retry-After',
    lawful: true,
    quote: 'Numeric rate limits of the chat turn limiter: not shown.',
    factories: (usual) => ({
      createLimiter: (deps) =>
        usual.createLimiter({ ...deps, settings: () => ({ ...deps.settings(), turns_per_minute: 8 }) }),
    }),
    wrong: (world) =>
      world.head('*', (headers, _call, { status }) => {
        const seconds = Number(headers.get('retry-after'));
        if (status !== 429 || !(seconds > 0)) return;
        const at = Math.ceil(world.setting.host.now() / 1_000 + seconds) * 1_000;
        headers.set('retry-after', new Date(at).toUTCString());
      }),
  },
  {
    // Each of these is in the table of its route, word for word; how often a server fails is not.
    name: 'signing times out or fails now and then, a SCIM read fails',
    lawful: true,
    quote:
      '408 | Operation timed out after 10s | timeout | true … 500 | The request could not be completed | internal_error | true … 500 | Internal Server Error | Server failure.',
    wrong: (world) => {
      const signDue = everyNth(4);
      const alternate = everyNth(2);
      const scimDue = everyNth(4);
      return world.later('sign sign-alias scim', ({ ok }, { op }) => {
        if (!ok) return undefined;
        if (op === 'scim') return scimDue() ? failed(500, 'Internal Server Error') : undefined;
        if (!signDue()) return undefined;
        const other = alternate()
          ? failed(500, 'The request could not be completed', 'internal_error', true)
          : failed(408, 'Operation timed out after 10s', 'timeout', true);
        other.headers.set('cache-control', 'no-store');
        return other;
      });
    },
  },
];
