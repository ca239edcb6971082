import { type Chunk, failed } from '../answers.js';
import { type Json, withBody } from '../call.js';
import { type Area, by, isReply, messagesOf, sessionOf } from './form.js';

const MANUAL =
  "`manual` makes the intern ask before approval-bearing tools such as the shell. When omitted the run self-drives and consents on the caller's behalf.";
const REPLY =
  'To answer a question: send a second request with the same `session_id`, the assistant message that echoes the tool call, and the tool message.';

export const finishOf = (chunk: Chunk | undefined) => chunk?.choices?.[0]?.finish_reason;
export const isFinal = (chunk: Chunk | undefined): chunk is Chunk =>
  Array.isArray(chunk?.choices) && chunk.choices.length === 0;
export const callsOf = (chunk: Chunk | undefined): Json[] => {
  const calls = chunk?.choices?.[0]?.delta?.tool_calls;
  return Array.isArray(calls) ? (calls as Json[]) : [];
};

export const chat: Area = {
  'omitted-mode-asks': {
    quote: MANUAL,
    wrong: ({ asked }) =>
      asked('chat', (call) =>
        call.body.approval_mode === undefined && sessionOf(call) === undefined && !isReply(call) && call.text !== ''
          ? { ...call.body, approval_mode: 'manual' }
          : undefined,
      ),
  },
  'mode-follows-the-caller-to-other-interns': {
    quote: 'The mode belongs to the run started by that prompt and must be repeated on later prompts.',
    wrong: (world) => {
      const where = new Map<string, string>();
      return world.asked('chat', (call) => {
        if (isReply(call)) return undefined;
        if (call.body.approval_mode === 'manual') where.set(call.who, call.id);
        const at = where.get(call.who);
        return call.body.approval_mode === undefined && at !== undefined && at !== call.id
          ? { ...call.body, approval_mode: 'manual' }
          : undefined;
      });
    },
  },
  'mode-of-peers-ignored': {
    quote: MANUAL,
    wrong: ({ asked }) =>
      asked('chat', ({ who, body }) => {
        if (who === 'api_key' || body.approval_mode !== 'manual') return undefined;
        const { approval_mode: _, ...rest } = body;
        return rest;
      }),
  },
  'mode-of-the-second-run-ignored': {
    quote: MANUAL,
    wrong: (world) => {
      const runs = new Map<string, number>();
      return world.asked('chat', (call) => {
        if (call.body.approval_mode !== 'manual' || isReply(call)) return undefined;
        const count = (runs.get(call.id) ?? 0) + 1;
        runs.set(call.id, count);
        const { approval_mode: _, ...rest } = call.body;
        return count === 2 ? rest : undefined;
      });
    },
  },
  'answer-starts-another-run': {
    quote: 'The answer is delivered to the run that asked, and the stream continues from where it paused.',
    wrong: ({ asked }) =>
      asked('chat', (call) => {
        if (!isReply(call)) return undefined;
        const { session_id: _, ...rest } = call.body;
        return { ...rest, messages: [{ role: 'user', content: String(messagesOf(call).at(-1)?.content) }] };
      }),
  },
  'second-answer-in-a-session-lost': {
    quote: 'The answer is delivered to the run that asked, and the stream continues from where it paused.',
    wrong: (world) => {
      const answered = new Map<string, number>();
      return world.later('chat', (response, call) => {
        const session = sessionOf(call);
        if (!isReply(call) || session === undefined || !response.ok) return undefined;
        answered.set(session, (answered.get(session) ?? 0) + 1);
        return (answered.get(session) ?? 0) > 1
          ? failed(409, 'Interaction is not pending', 'interaction_not_pending')
          : undefined;
      });
    },
  },
  'first-answer-given-again': {
    quote: 'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.',
    wrong: (world) => {
      const first = new Map<string, unknown>();
      return world.asked('chat', (call) => {
        const session = sessionOf(call);
        const last = messagesOf(call).at(-1);
        if (!isReply(call) || session === undefined || last === undefined) return undefined;
        if (!first.has(session)) first.set(session, last.content);
        return first.get(session) === last.content
          ? undefined
          : { ...call.body, messages: [...messagesOf(call).slice(0, -1), { ...last, content: first.get(session) }] };
      });
    },
  },
  'answer-of-any-session-taken': {
    quote: REPLY,
    wrong: (world) => {
      const owner = new Map<string, string>();
      const watch = world.stream(() => {
        let id: string | undefined;
        return (_, chunk) => {
          id = callsOf(chunk).map((call) => call.id as string | undefined)[0] ?? id;
          if (isFinal(chunk) && id !== undefined) owner.set(id, String(chunk.session_id));
          return undefined;
        };
      });
      return (call, next) => {
        const right = owner.get(String(messagesOf(call).at(-1)?.tool_call_id));
        if (call.op !== 'chat' || !isReply(call) || right === undefined || right === sessionOf(call))
          return watch(call, next);
        world.hit();
        return watch(call, () => next(withBody(call, { ...call.body, session_id: right })));
      };
    },
  },
  'answer-by-another-caller-taken': {
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    wrong: (world) => async (call, next) => {
      if (call.op !== 'chat' || !isReply(call) || call.who !== 'foreign_api_key') return next();
      const response = await next(by(call, world, 'api_key'));
      if (response.ok) world.hit();
      return response;
    },
  },
  'echo-without-content-400': {
    quote: 'assistant message: Echoes the `service.provide_input` tool call.',
    wrong: ({ instead }) =>
      instead('chat', (call) => {
        const echo = messagesOf(call).find(({ role }) => role === 'assistant');
        return isReply(call) && echo !== undefined && (echo.content === null || echo.content === undefined)
          ? failed(400, 'Invalid request body', 'invalid_body')
          : undefined;
      }),
  },
  'call-id-shown-short': {
    quote: 'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.',
    wrong: ({ stream }) =>
      stream(() => (_, chunk) => {
        const calls = callsOf(chunk);
        if (chunk === undefined || calls.length === 0) return undefined;
        for (const call of calls) if (typeof call.id === 'string') call.id = call.id.slice(0, -4);
        return chunk;
      }),
  },
  'call-id-the-same-in-each-question': {
    quote: 'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.',
    wrong: (world) => {
      const shown = new Map<string, string>();
      return world.stream((call) => (_, chunk) => {
        const session = sessionOf(call);
        const calls = callsOf(chunk);
        if (chunk === undefined || calls.length === 0 || session === undefined) return undefined;
        for (const one of calls) {
          if (typeof one.id !== 'string') continue;
          shown.set(session, shown.get(session) ?? one.id);
          one.id = shown.get(session);
        }
        return chunk;
      });
    },
  },
  'rejected-answer-closes-the-question': {
    quote:
      'A question asked through `service.provide_input` stays open for its interaction deadline, 5 minutes by default.',
    wrong: (world) => {
      const closed = new Set<string>();
      return async (call, next) => {
        const session = sessionOf(call);
        if (call.op !== 'chat' || !isReply(call) || session === undefined) return next();
        if (closed.has(session)) {
          world.hit();
          return failed(409, 'Interaction is not pending', 'interaction_not_pending');
        }
        const response = await next();
        if (response.status >= 400 && response.status < 500 && response.status !== 401) closed.add(session);
        return response;
      };
    },
  },
  'late-answer-runs-on': {
    quote: 'When the deadline passes the run is cancelled.',
    wrong: (world) => {
      const paused = new Map<string, number>();
      const { host } = world.setting;
      const watch = world.stream(() => {
        let asks = false;
        return (_, chunk) => {
          if (finishOf(chunk) === 'tool_calls') asks = true;
          if (asks && isFinal(chunk)) paused.set(String(chunk.session_id), host.now());
          return undefined;
        };
      });
      return async (call, next) => {
        const at = paused.get(sessionOf(call) ?? '');
        if (call.op !== 'chat' || !isReply(call) || at === undefined || host.now() - at < 300_000)
          return watch(call, next);
        world.hit();
        const { session_id: _, ...rest } = call.body;
        return next(withBody(call, { ...rest, messages: [{ role: 'user', content: 'Please go on.' }] }));
      };
    },
  },
  'question-open-for-four-minutes': {
    quote:
      'Interaction deadline: 5 minutes by default: A question asked by a chat run; the run is cancelled when it passes.',
    wrong: (world) => {
      const paused = new Map<string, number>();
      const { host } = world.setting;
      const watch = world.stream(() => {
        let asks = false;
        return (_, chunk) => {
          if (finishOf(chunk) === 'tool_calls') asks = true;
          if (asks && isFinal(chunk)) paused.set(String(chunk.session_id), host.now());
          return undefined;
        };
      });
      return async (call, next) => {
        const at = paused.get(sessionOf(call) ?? '');
        if (call.op !== 'chat' || !isReply(call) || at === undefined || host.now() - at < 240_000)
          return watch(call, next);
        world.hit();
        return failed(409, 'Interaction is not pending', 'interaction_not_pending');
      };
    },
  },
  'steered-text-lost': {
    quote:
      'When a prompt is sent to a session that already has a run going, the prompt is delivered into that run, and the reported status is steered.',
    wrong: (world) => {
      const open = new Set<string>();
      const watch = world.stream((call) => {
        const session = sessionOf(call);
        if (session !== undefined) open.add(session);
        return (event) => {
          if (session !== undefined && event.startsWith('data: [DONE]')) open.delete(session);
          return undefined;
        };
      });
      return (call, next) => {
        if (call.op !== 'chat' || isReply(call) || !open.has(sessionOf(call) ?? '')) return watch(call, next);
        world.hit();
        return next(withBody(call, { ...call.body, messages: [{ role: 'user', content: 'ok' }] }));
      };
    },
  },
  'steering-ends-the-open-stream': {
    quote:
      'When a prompt is sent to a session that already has a run going, the prompt is delivered into that run, and the reported status is steered.',
    wrong: (world) => {
      const steered = new Set<string>();
      const watch = world.stream((call) => {
        const session = sessionOf(call);
        return (_, chunk) => {
          if (session === undefined || !steered.has(session) || finishOf(chunk) !== 'stop') return undefined;
          steered.delete(session);
          return {
            ...(chunk as Chunk),
            choices: [{ index: 0, delta: {}, finish_reason: 'error' }],
            error: { code: 410, message: 'The run ended', metadata: { reason: 'run_ended' } },
          } as unknown as Chunk;
        };
      });
      return async (call, next) => {
        const response = await watch(call, next);
        const session = sessionOf(call);
        if (call.op === 'chat' && response.status === 202 && session !== undefined) steered.add(session);
        return response;
      };
    },
  },
  'steering-names-no-status': {
    quote:
      'When a prompt is sent to a session that already has a run going, the prompt is delivered into that run, and the reported status is steered.',
    wrong: ({ ok }) =>
      ok('chat', (body) => {
        if (body.status === 'steered') body.status = 'queued';
      }),
  },
  'unknown-intern-reported-in-the-stream': {
    quote: "An intern's own key sees only that intern, and everything else answers 404.",
    wrong: ({ later }) =>
      later('chat', (response, call) => {
        if (response.status !== 404 || sessionOf(call) !== undefined || call.who !== 'own_key') return undefined;
        const error = { code: 404, message: 'Intern not found', metadata: { reason: 'not_found', retryable: false } };
        const chunk = { choices: [{ index: 0, delta: {}, finish_reason: 'error' }], error };
        return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
          headers: { 'content-type': 'text/event-stream' },
        });
      }),
  },
  'stream-declared-json': {
    quote: 'The chat stream (`Content-Type` of a server-sent event stream) carries these elements in order.',
    wrong: ({ head }) =>
      head('chat', (headers) => {
        if (/event-stream/.test(headers.get('content-type') ?? '')) headers.set('content-type', 'application/json');
      }),
  },
};
