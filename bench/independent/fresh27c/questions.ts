import { failed } from '../answers.js';
import { isJson, type Json, parsed, withBody } from '../call.js';
import type { Way } from '../world.js';
import {
  callOf,
  finishOf,
  heard,
  isFinal,
  notPending,
  now,
  type Question,
  replying,
  replyOf,
  sessionOf,
} from './tools.js';

const ONE_CALL =
  'the stream emits one tool call named `service.provide_input` and finishes with `finish_reason: tool_calls`.';
const OPEN =
  'A question asked through `service.provide_input` stays open for its interaction deadline, 5 minutes by default.';
const DELIVERED = 'The answer is delivered to the run that asked, and the stream continues from where it paused.';
const REPLY =
  'send a second request with the same `session_id`, the assistant message that echoes the tool call, and the tool message.';
const lost = () => failed(409, notPending, 'interaction_not_pending');

/** The strings in it, changed. */
const lowered = (value: unknown): unknown =>
  typeof value === 'string'
    ? value.trim().toLowerCase()
    : isJson(value)
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, lowered(one)]))
      : value;
/** A prompt in place of a reply that came too late. */
const late = (call: { readonly body: Json }): Json => ({
  stream: true,
  session_id: call.body.session_id,
  messages: [{ role: 'user', content: 'continue' }],
});

export const questions: readonly Way[] = [
  // plain
  {
    name: 'pause-without-a-call',
    quote: ONE_CALL,
    wrong: (w) => w.stream(() => (_, chunk) => (callOf(chunk) === undefined ? undefined : [])),
  },
  // plain
  {
    name: 'call-sent-twice',
    quote: ONE_CALL,
    wrong: (w) => w.stream(() => (event, chunk) => (callOf(chunk) === undefined ? undefined : [event, event])),
  },
  // plain
  {
    name: 'omitted-mode-asks',
    quote: "When omitted the run self-drives and consents on the caller's behalf.",
    wrong: (w) =>
      w.asked('chat', (call) =>
        call.body.approval_mode === undefined && replyOf(call) === undefined && call.text !== ''
          ? { ...call.body, approval_mode: 'manual' }
          : undefined,
      ),
  },
  // subtle
  {
    name: 'rejected-reply-closes-the-question',
    quote: OPEN,
    wrong: (w) => {
      const rejected = new Set<string>();
      return async (call, next) => {
        if (replyOf(call) === undefined) return next();
        const session = sessionOf(call);
        if (rejected.has(session)) {
          w.hit();
          return lost();
        }
        const response = await next();
        if (response.status === 400) rejected.add(session);
        return response;
      };
    },
  },
  // subtle
  {
    name: 'rejected-reply-extends-the-deadline',
    quote: 'Rejected replies do not extend the deadline.',
    wrong: (w) => {
      const rejected = new Map<string, number>();
      return async (call, next) => {
        if (replyOf(call) === undefined) return next();
        const session = sessionOf(call);
        const at = rejected.get(session);
        const response = await next();
        if (response.status === 400) rejected.set(session, now(w));
        if (response.status !== 409 || at === undefined || now(w) - at > 300_000) return response;
        rejected.delete(session);
        w.hit();
        return next(withBody(call, late(call)));
      };
    },
  },
  // subtle
  {
    name: 'question-open-for-an-hour',
    quote: 'When the deadline passes the run is cancelled.',
    wrong: (w) => {
      const open = new Map<string, number>();
      const watch = heard(w, ({ session, at }) => open.set(session, at));
      return async (call, next) => {
        const at = replyOf(call) === undefined ? undefined : open.get(sessionOf(call));
        const response = await watch(call, next);
        if (response.ok || at === undefined || now(w) - at < 300_000 || now(w) - at > 3_600_000) return response;
        if (response.status !== 409) return response;
        open.delete(sessionOf(call));
        w.hit();
        return next(withBody(call, late(call)));
      };
    },
  },
  // state
  {
    name: 'any-session-answers',
    quote: REPLY,
    wrong: (w) => {
      const asked = new Map<string, string>();
      const watch = heard(w, ({ id, session, intern }) => asked.set(`${intern} ${id}`, session));
      return (call, next) => {
        const session = asked.get(`${call.id} ${replyOf(call)?.tool_call_id}`);
        if (session === undefined || session === sessionOf(call)) return watch(call, next);
        w.hit();
        return watch(call, () => next(withBody(call, { ...call.body, session_id: session })));
      };
    },
  },
  // subtle
  {
    name: 'newest-question-is-answered',
    quote: DELIVERED,
    wrong: (w) => {
      const open: Question[] = [];
      const watch = heard(w, (question) => open.push(question));
      return async (call, next) => {
        const reply = replyOf(call);
        const at = open.findIndex(({ id }) => id === reply?.tool_call_id);
        const asked = open[at];
        if (reply === undefined || asked === undefined || asked.session !== sessionOf(call)) return watch(call, next);
        const newest = open.findLast(
          ({ intern, who, at: since }) => intern === asked.intern && who === asked.who && now(w) - since < 300_000,
        );
        if (newest === undefined || newest === asked) {
          const response = await watch(call, next);
          if (response.ok) open.splice(open.indexOf(asked), 1);
          return response;
        }
        const body = JSON.parse(
          JSON.stringify({ ...call.body, session_id: newest.session }).replaceAll(asked.id, newest.id),
        ) as Json;
        const response = await watch(call, () => next(withBody(call, body)));
        if (response.ok) {
          open.splice(open.indexOf(newest), 1);
          w.hit();
        }
        return response;
      };
    },
  },
  // subtle
  {
    name: 'answers-in-small-letters',
    quote: 'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.',
    wrong: (w) =>
      w.asked('chat', (call) => {
        const content = replyOf(call)?.content;
        const answer = typeof content === 'string' ? parsed(content) : undefined;
        if (!isJson(answer)) return undefined;
        const other = JSON.stringify(lowered(answer));
        return other === JSON.stringify(answer) ? undefined : replying(call, { content: other });
      }),
  },
  // state
  {
    name: 'steering-closes-the-question',
    quote: OPEN,
    wrong: (w) => {
      const steered = new Set<string>();
      return async (call, next) => {
        if (replyOf(call) !== undefined && steered.has(sessionOf(call))) {
          w.hit();
          return lost();
        }
        const response = await next();
        if (call.op === 'chat' && response.status === 202) steered.add(sessionOf(call));
        return response;
      };
    },
  },
  // plain
  {
    name: 'session-on-the-finish-chunk',
    quote:
      'The `session_id` needed to reply arrives after the `tool_calls` finish chunk, so the client reads through `[DONE]`.',
    wrong: (w) =>
      w.stream(() => {
        let held: Json | undefined;
        return (_, chunk) => {
          if (chunk !== undefined && finishOf(chunk) === 'tool_calls') {
            held = chunk;
            return [];
          }
          if (!isFinal(chunk) || held === undefined) return undefined;
          const { session_id, ...rest } = chunk;
          return [`data: ${JSON.stringify({ ...held, session_id })}`, `data: ${JSON.stringify(rest)}`];
        };
      }),
  },
  // plain
  {
    name: 'pause-without-done',
    quote: 'so the client reads through `[DONE]`',
    wrong: (w) =>
      w.stream(() => {
        let asked = false;
        return (event, chunk) => {
          if (finishOf(chunk) === 'tool_calls') asked = true;
          return asked && event.startsWith('data: [DONE]') ? [] : undefined;
        };
      }),
  },
  // plain
  {
    name: 'reply-taken-without-a-stream',
    quote: DELIVERED,
    wrong: (w) =>
      w.later('chat', (response, call) => {
        if (replyOf(call) === undefined || !response.ok) return undefined;
        response.text().catch(() => undefined);
        return Response.json({ session_id: call.body.session_id, status: 'delivered' }, { status: 202 });
      }),
  },
  // plain
  {
    name: 'reply-must-repeat-the-mode',
    quote: REPLY,
    wrong: (w) =>
      w.instead('chat', (call) =>
        replyOf(call) !== undefined && call.body.approval_mode === undefined && call.who.endsWith('api_key')
          ? failed(400, 'Invalid request body: approval_mode: missing', 'bad_request')
          : undefined,
      ),
  },
  // subtle
  {
    name: 'second-question-shares-the-deadline',
    quote: OPEN,
    wrong: (w) => {
      const first = new Map<string, number>();
      const count = new Map<string, number>();
      const watch = heard(
        w,
        ({ session, at }) => {
          if (!first.has(session)) first.set(session, at);
          count.set(session, (count.get(session) ?? 0) + 1);
        },
        (session) => {
          first.delete(session);
          count.delete(session);
        },
      );
      return (call, next) => {
        const session = sessionOf(call);
        const since = now(w) - (first.get(session) ?? Number.POSITIVE_INFINITY);
        if (replyOf(call) === undefined || (count.get(session) ?? 0) < 2 || since < 300_000) return watch(call, next);
        w.hit();
        return Promise.resolve(lost());
      };
    },
  },
  // state
  {
    name: 'second-question-under-another-name',
    quote:
      'The stream pauses with a tool call named `service.provide_input` when the intern needs permission or an answer from the caller.',
    wrong: (w) =>
      w.stream((call) => (event, chunk) => {
        const said = callOf(chunk)?.function;
        if (replyOf(call) === undefined || !isJson(said)) return undefined;
        return event.replace(`"name":${JSON.stringify(said.name)}`, '"name":"provide_input"');
      }),
  },
  // state
  {
    name: 'peer-always-self-drives',
    quote: '`manual` makes the intern ask before approval-bearing tools such as the shell.',
    wrong: (w) =>
      w.asked('chat', (call) => {
        const { approval_mode, ...rest } = call.body;
        return call.who === 'peer_api_key' && approval_mode === 'manual' ? rest : undefined;
      }),
  },
];
