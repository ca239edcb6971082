import { failed } from '../answers.js';
import { type Call, type Json, withBody } from '../call.js';
import type { World } from '../world.js';
import { callsOf, contentOf, type Fresh, finishOf, isFinal, isReply, messagesOf, now } from './shared.js';

const CONTINUES = 'The answer is delivered to the run that asked, and the stream continues from where it paused.';
const DEADLINE =
  'A question asked through `service.provide_input` stays open for its interaction deadline, 5 minutes by default.';
const MODE = 'The mode belongs to the run started by that prompt and must be repeated on later prompts.';
const isPrompt = (call: Call): boolean => call.op === 'chat' && !isReply(call.body);

/** The memory of a wrong service: the sessions that it answered. */
interface Paused {
  readonly at: number;
  readonly call: unknown;
}
/** Reads the streams as they pass. */
const noting = (w: World, note: (session: string, paused: Paused | undefined, call: Call) => void) =>
  w.stream((call) => {
    let asked = false;
    let id: unknown;
    return (_, chunk) => {
      id = callsOf(chunk)[0]?.id ?? id;
      if (finishOf(chunk) === 'tool_calls') asked = true;
      if (isFinal(chunk)) note(String(chunk.session_id), asked ? { at: now(w), call: id } : undefined, call);
      return undefined;
    };
  });

export const sessions: Fresh = {
  'omitted-mode-asks': {
    quote: "When omitted the run self-drives and consents on the caller's behalf.",
    wrong: (w) =>
      w.asked('chat', ({ body }) =>
        body.approval_mode === undefined && body.session_id === undefined && !isReply(body)
          ? { ...body, approval_mode: 'manual' }
          : undefined,
      ),
  },
  'manual-mode-unknown': {
    quote: '`manual` makes the intern ask before approval-bearing tools such as the shell.',
    wrong: (w) =>
      w.asked('chat', ({ body }) => {
        if (body.approval_mode !== 'manual') return undefined;
        const { approval_mode: _, ...rest } = body;
        return rest;
      }),
  },
  'approved-once-approved-always': {
    quote: MODE,
    wrong: (w) => {
      const approved = new Set<string>();
      return async (call, next) => {
        const at = `${call.who} ${call.id}`;
        if (isPrompt(call) && call.body.approval_mode === 'manual' && approved.has(at)) {
          const { approval_mode: _, ...rest } = call.body;
          w.hit();
          return next(withBody(call, rest));
        }
        const response = await next();
        if (call.op === 'chat' && isReply(call.body) && response.ok) approved.add(at);
        return response;
      };
    },
  },
  'mode-sticks-to-session': {
    quote: MODE,
    wrong: (w) => {
      const manual = new Set<unknown>();
      const note = noting(w, (session, _, { body }) => {
        if (body.approval_mode === 'manual') manual.add(session);
      });
      return async (call, next) => {
        if (!isPrompt(call) || call.body.approval_mode !== undefined || !manual.has(call.body.session_id))
          return note(call, next);
        w.hit();
        return next(withBody(call, { ...call.body, approval_mode: 'manual' }));
      };
    },
  },
  'reply-replays-what-came-before': {
    quote: CONTINUES,
    wrong: (w) => {
      const said = new Map<unknown, Json[]>();
      return w.stream((call) => {
        const before = isReply(call.body) ? said.get(call.body.session_id) : undefined;
        const here: Json[] = [];
        let first = before !== undefined && before.length > 0;
        return (event, chunk) => {
          if (chunk !== undefined && contentOf(chunk) !== '') here.push(chunk);
          if (isFinal(chunk)) said.set(chunk.session_id, here);
          if (!first || chunk === undefined) return undefined;
          first = false;
          return [...(before ?? []).map((one) => `data: ${JSON.stringify(one)}`), event];
        };
      });
    },
  },
  'reply-asks-the-question-again': {
    quote: CONTINUES,
    wrong: (w) => {
      const asked = new Map<unknown, Json>();
      return w.stream((call) => {
        const before = isReply(call.body) ? asked.get(call.body.session_id) : undefined;
        let question: Json | undefined;
        let first = before !== undefined;
        return (event, chunk) => {
          if (chunk !== undefined && callsOf(chunk).length > 0) question = chunk;
          if (isFinal(chunk) && question !== undefined) asked.set(chunk.session_id, question);
          if (!first || before === undefined || chunk === undefined) return undefined;
          first = false;
          return [`data: ${JSON.stringify(before)}`, event];
        };
      });
    },
  },
  'second-question-with-the-first-id': {
    quote: 'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.',
    wrong: (w) => {
      const first = new Map<unknown, string>();
      return w.stream((call) => {
        const before = isReply(call.body) ? first.get(call.body.session_id) : undefined;
        let id: string | undefined;
        return (event, chunk) => {
          const [asked] = callsOf(chunk);
          if (typeof asked?.id === 'string') id = asked.id;
          if (isFinal(chunk) && id !== undefined && !first.has(chunk.session_id)) first.set(chunk.session_id, id);
          return typeof asked?.id === 'string' && before !== undefined ? event.replace(asked.id, before) : undefined;
        };
      });
    },
  },
  'question-deadline-from-the-first-prompt': {
    quote: DEADLINE,
    wrong: (w) => {
      const since = new Map<unknown, number>();
      const note = noting(w, (session) => {
        if (!since.has(session)) since.set(session, now(w));
      });
      return async (call, next) => {
        const start = since.get(call.body.session_id);
        if (call.op !== 'chat' || !isReply(call.body) || start === undefined || now(w) - start < 300_000)
          return note(call, next);
        w.hit();
        return failed(409, 'Interaction is not pending', 'interaction_not_pending');
      };
    },
  },
  'question-closed-after-four-minutes': {
    quote: DEADLINE,
    wrong: (w) => {
      const paused = new Map<unknown, Paused>();
      const note = noting(w, (session, one) => {
        if (one) paused.set(session, one);
      });
      return async (call, next) => {
        const one = paused.get(call.body.session_id);
        if (call.op !== 'chat' || !isReply(call.body) || one === undefined || now(w) - one.at < 240_000)
          return note(call, next);
        w.hit();
        return failed(409, 'Interaction is not pending', 'interaction_not_pending');
      };
    },
  },
  'late-answer-taken-as-a-prompt': {
    quote: 'When the deadline passes the run is cancelled.',
    wrong: (w) => {
      const paused = new Map<unknown, Paused>();
      const note = noting(w, (session, one) => {
        if (one) paused.set(session, one);
      });
      return async (call, next) => {
        const one = paused.get(call.body.session_id);
        const response = await note(call, next);
        if (!isReply(call.body) || response.ok || one === undefined || now(w) - one.at < 300_000) return response;
        const content = messagesOf(call.body).at(-1)?.content;
        const again = await next(withBody(call, { ...call.body, messages: [{ role: 'user', content }] }));
        if (again.ok) w.hit();
        return again.ok ? again : response;
      };
    },
  },
  'rejected-reply-closes-the-question': {
    quote: DEADLINE,
    wrong: (w) => {
      const closed = new Set<unknown>();
      return async (call, next) => {
        if (call.op !== 'chat' || !isReply(call.body)) return next();
        const { session_id } = call.body;
        if (closed.has(session_id)) {
          w.hit();
          return failed(409, 'Interaction is not pending', 'interaction_not_pending');
        }
        const response = await next();
        if (response.status >= 400 && response.status !== 401) closed.add(session_id);
        return response;
      };
    },
  },
  'prompt-on-the-side-closes-the-question': {
    quote: 'The run stays open on the intern.',
    wrong: (w) => {
      const paused = new Map<unknown, string>();
      const closed = new Set<unknown>();
      const note = noting(w, (session, one, { id, who }) => {
        if (one) paused.set(session, `${who} ${id}`);
      });
      return async (call, next) => {
        const { session_id } = call.body;
        if (isPrompt(call) && session_id === undefined)
          for (const [session, at] of paused) if (at === `${call.who} ${call.id}`) closed.add(session);
        if (call.op !== 'chat' || !isReply(call.body) || !closed.has(session_id)) return note(call, next);
        w.hit();
        return failed(409, 'Interaction is not pending', 'interaction_not_pending');
      };
    },
  },
  'new-chat-reports-the-old-session': {
    quote: 'To answer a question: send a second request with the same `session_id`',
    wrong: (w) => {
      const first = new Map<string, unknown>();
      return w.stream((call) => (_, chunk) => {
        if (!isFinal(chunk) || call.body.session_id !== undefined) return undefined;
        const at = `${call.who} ${call.id}`;
        if (!first.has(at)) first.set(at, chunk.session_id);
        return { ...chunk, session_id: first.get(at) };
      });
    },
  },
  'chat-busy-409': {
    quote: 'the prompt is delivered into that run, and the reported status is steered',
    wrong: (w) =>
      w.later('chat', (response) =>
        response.status === 202 ? failed(409, 'The session is busy', 'session_busy', true) : undefined,
      ),
  },
  'prompt-beside-a-question-called-started': {
    quote: 'the prompt is delivered into that run, and the reported status is steered',
    wrong: (w) => {
      const open = new Set<unknown>();
      const note = noting(w, (session, paused) => {
        if (paused) open.add(session);
        else open.delete(session);
      });
      return async (call, next) => {
        const { session_id } = call.body;
        if (!isPrompt(call) || !open.has(session_id)) return note(call, next);
        w.hit();
        return Response.json({ session_id, status: 'started' }, { status: 202 });
      };
    },
  },
};
