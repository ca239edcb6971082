import { type Chunk, failed } from '../answers.js';
import { isJson, type Json, withBody } from '../call.js';
import type { Way } from '../world.js';
import { contentOf, finishOf, isAnswer, isFinal, toolCallsOf, withChoice } from './common.js';

const DEADLINE =
  'A question asked through `service.provide_input` stays open for its interaction deadline, 5 minutes by default.';
const DELIVERED = 'The answer is delivered to the run that asked, and the stream continues from where it paused.';

const messagesOf = ({ messages }: Json): Json[] => (Array.isArray(messages) ? messages.filter(isJson) : []);
const refused = () => failed(409, 'Interaction is not pending', 'interaction_not_pending');

export const turns: readonly Way[] = [
  {
    name: 'answer-finds-run-gone',
    quote: 'Closing the connection after the `[DONE]` that follows `finish_reason: tool_calls` keeps the run alive.',
    wrong: ({ instead }) => instead('chat', (call) => (isAnswer(call) ? refused() : undefined)),
  },
  {
    name: 'default-is-manual',
    quote: "When omitted the run self-drives and consents on the caller's behalf.",
    wrong: ({ asked }) =>
      asked('chat', (call) =>
        isAnswer(call) || call.body.approval_mode !== undefined || call.body.session_id !== undefined
          ? undefined
          : { ...call.body, approval_mode: 'manual' },
      ),
  },
  {
    name: 'manual-never-asks',
    quote: '`manual` makes the intern ask before approval-bearing tools such as the shell.',
    wrong: ({ asked }) =>
      asked('chat', ({ body: { approval_mode: mode, ...rest } }) => (mode === 'manual' ? rest : undefined)),
  },
  {
    name: 'manual-forgotten-once-allowed',
    quote: '`manual` makes the intern ask before approval-bearing tools such as the shell.',
    wrong: ({ hit }) => {
      const answered = new Set<string>();
      return async (call, next) => {
        if (call.op !== 'chat') return next();
        if (isAnswer(call)) {
          const response = await next();
          if (response.ok) answered.add(`${call.who} ${call.id}`);
          return response;
        }
        const { approval_mode: mode, ...rest } = call.body;
        if (mode !== 'manual' || !answered.has(`${call.who} ${call.id}`)) return next();
        hit();
        return next(withBody(call, rest));
      };
    },
  },
  {
    name: 'second-answer-is-the-first',
    quote: DELIVERED,
    wrong: ({ asked }) => {
      const first = new Map<unknown, unknown>();
      return asked('chat', (call) => {
        if (!isAnswer(call)) return undefined;
        const messages = messagesOf(call.body);
        const last = messages.at(-1) ?? {};
        if (!first.has(call.body.session_id)) {
          first.set(call.body.session_id, last.content);
          return undefined;
        }
        const content = first.get(call.body.session_id);
        return content === last.content
          ? undefined
          : { ...call.body, messages: [...messages.slice(0, -1), { ...last, content }] };
      });
    },
  },
  {
    name: 'answer-goes-by-call-id-alone',
    quote: 'To answer a question: send a second request with the same `session_id`',
    wrong: ({ hit, stream }) => {
      const sessions = new Map<string, string>();
      return async (call, next) => {
        const watched = stream(() => {
          let id = '';
          return (_, chunk) => {
            const [first] = toolCallsOf(chunk);
            if (typeof first?.id === 'string') id = first.id;
            if (isFinal(chunk) && id !== '') sessions.set(id, String(chunk.session_id));
            return undefined;
          };
        });
        if (call.op !== 'chat' || !isAnswer(call)) return watched(call, next);
        const session = sessions.get(String(messagesOf(call.body).at(-1)?.tool_call_id));
        if (session === undefined || session === call.body.session_id) return watched(call, next);
        hit();
        return watched(call, () => next(withBody(call, { ...call.body, session_id: session })));
      };
    },
  },
  {
    name: 'rejected-answer-closes-question',
    quote: 'Rejected replies do not extend the deadline.',
    wrong: ({ hit }) => {
      const closed = new Set<unknown>();
      return async (call, next) => {
        if (call.op !== 'chat' || !isAnswer(call)) return next();
        if (closed.has(call.body.session_id)) {
          hit();
          return refused();
        }
        const response = await next();
        if (response.status >= 400 && response.status < 500 && response.status !== 404)
          closed.add(call.body.session_id);
        return response;
      };
    },
  },
  {
    name: 'question-closed-at-four-minutes',
    quote: DEADLINE,
    wrong: ({ hit, stream, setting: { host } }) => {
      const asked = new Map<unknown, number>();
      const watched = stream(() => {
        let open = false;
        return (_, chunk) => {
          open ||= finishOf(chunk) === 'tool_calls';
          if (open && isFinal(chunk)) asked.set(chunk.session_id, host.now());
          return undefined;
        };
      });
      return async (call, next) => {
        const at = asked.get(call.body.session_id);
        if (call.op !== 'chat' || !isAnswer(call) || at === undefined || host.now() - at < 240_000)
          return watched(call, next);
        hit();
        return refused();
      };
    },
  },
  {
    name: 'late-answer-still-taken',
    quote: 'When the deadline passes the run is cancelled.',
    wrong: ({ hit, stream, setting: { host } }) => {
      const asked = new Map<unknown, number>();
      const watched = stream(() => {
        let open = false;
        return (_, chunk) => {
          open ||= finishOf(chunk) === 'tool_calls';
          if (open && isFinal(chunk)) asked.set(chunk.session_id, host.now());
          return undefined;
        };
      });
      return async (call, next) => {
        const response = await watched(call, next);
        const at = asked.get(call.body.session_id);
        if (call.op !== 'chat' || !isAnswer(call) || response.ok || at === undefined || host.now() - at < 300_000)
          return response;
        const messages = [{ role: 'user', content: 'Go on.' }];
        const other = await next(withBody(call, { ...call.body, messages }));
        if (!other.ok) return response;
        hit();
        return other;
      };
    },
  },
  {
    name: 'answer-repeats-what-was-said',
    quote: DELIVERED,
    wrong: ({ stream }) => {
      const said = new Map<unknown, readonly Chunk[]>();
      return stream((call) => {
        const mine: Chunk[] = [];
        let before = isAnswer(call) ? (said.get(call.body.session_id) ?? []) : [];
        let open = false;
        return (event, chunk) => {
          open ||= finishOf(chunk) === 'tool_calls';
          if (chunk !== undefined && contentOf(chunk) !== '') mine.push(chunk);
          if (open && isFinal(chunk)) said.set(chunk.session_id, mine);
          if (before.length === 0 || chunk === undefined) return undefined;
          const again = before;
          before = [];
          return [...again, chunk ?? event];
        };
      });
    },
  },
  {
    name: 'answer-repeats-question',
    quote: DELIVERED,
    wrong: ({ stream }) => {
      const asked = new Map<unknown, Chunk>();
      return stream((call) => {
        let question: Chunk | undefined;
        let before = isAnswer(call) ? asked.get(call.body.session_id) : undefined;
        return (_, chunk) => {
          if (toolCallsOf(chunk).length > 0) question = chunk;
          if (isFinal(chunk) && question !== undefined) asked.set(chunk.session_id, question);
          if (before === undefined || chunk === undefined) return undefined;
          const again = withChoice(before, { finish_reason: null });
          before = undefined;
          return [again, chunk];
        };
      });
    },
  },
  {
    name: 'answer-said-as-json',
    quote: 'and the stream continues from where it paused.',
    wrong: ({ later }) =>
      later('chat', (response, call) =>
        isAnswer(call) && response.status === 200 && response.headers.get('content-type')?.includes('event-stream')
          ? Response.json({ session_id: call.body.session_id, status: 'delivered' })
          : undefined,
      ),
  },
  {
    name: 'question-named-plainly',
    quote:
      'The stream pauses with a tool call named `service.provide_input` when the intern needs permission or an answer from the caller.',
    wrong: ({ stream }) =>
      stream(() => (event) => {
        const changed = event.replace(/"name":"[a-z]+\.provide_input"/, '"name":"provide_input"');
        return changed === event ? undefined : changed;
      }),
  },
  {
    name: 'second-question-shows-the-first-id',
    quote: 'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.',
    wrong: ({ stream }) => {
      const first = new Map<unknown, unknown>();
      return stream(({ body: { session_id: session } }) => {
        let id: unknown;
        return (_, chunk) => {
          if (isFinal(chunk) && id !== undefined && !first.has(chunk.session_id)) first.set(chunk.session_id, id);
          const [call] = toolCallsOf(chunk);
          if (chunk === undefined || typeof call?.id !== 'string') return undefined;
          id = call.id;
          if (session === undefined || !first.has(session)) return undefined;
          const tool_calls = [{ ...call, id: first.get(session) }];
          return withChoice(chunk, { delta: { ...chunk.choices[0]?.delta, tool_calls } });
        };
      });
    },
  },
];
