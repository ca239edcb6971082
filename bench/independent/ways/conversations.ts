import { type Chunk, failed } from '../answers.js';
import { isJson, type Json, withBody } from '../call.js';
import type { Way } from '../world.js';
import { finish, finished, isFinal, reasoned, replies, says, toolOf } from './chunks.js';
import { counter, named } from './named.js';

const TOOL =
  'When the intern needs permission or an answer, the stream emits one tool call named `service.provide_input` and finishes with `finish_reason: tool_calls`.';
const ENDED =
  'the stream ends with a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`, then the final empty-choices chunk and `[DONE]`.';

export const conversations: readonly Way[] = [
  named(
    'an intern stays manual for a minute',
    "When omitted the run self-drives and consents on the caller's behalf.",
    (w) => {
      const manual = new Map<string, number>();
      return w.asked('chat', ({ id, body }) => {
        const now = w.setting.host.now();
        if (body.approval_mode === 'manual') manual.set(id, now);
        return !('approval_mode' in body) && now - (manual.get(id) ?? -1e9) < 60_000
          ? { ...body, approval_mode: 'manual' }
          : undefined;
      });
    },
  ),
  named('a reply says again what was said before', 'the stream continues from where it paused.', (w) => {
    const before = new Map<unknown, Chunk[]>();
    return w.stream((call) => {
      const said: Chunk[] = [];
      let first = replies(call);
      return (_, chunk) => {
        if (chunk && says(chunk)) said.push(chunk);
        if (isFinal(chunk)) before.set(chunk?.session_id, said);
        if (!first || !chunk || !says(chunk)) return undefined;
        first = false;
        return [
          ...(before.get(call.body.session_id) ?? []).map((old) => ({
            ...old,
            id: chunk.id,
            created: chunk.created,
            model: chunk.model,
          })),
          chunk,
        ];
      };
    });
  }),
  named(
    'an answer is always the first option',
    'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.',
    (w) => {
      const allow = (content: unknown) =>
        typeof content === 'string' && content.startsWith('reject') ? content.replace('reject', 'allow') : undefined;
      return w.asked('chat', (call) => {
        if (!replies(call)) return undefined;
        const messages = call.body.messages as Json[];
        const other = allow(messages.at(-1)?.content);
        return other === undefined
          ? undefined
          : { ...call.body, messages: [...messages.slice(0, -1), { ...messages.at(-1), content: other }] };
      });
    },
  ),
  named(
    'an answer may name any call',
    'Its `tool_call_id` is the id of that tool call, and its `content` is the answer.',
    (w) => {
      const asked = new Map<unknown, unknown>();
      const note = w.stream(() => {
        let id: unknown;
        return (_, chunk) => {
          const calls = toolOf(chunk);
          if (Array.isArray(calls) && isJson(calls[0])) id = calls[0].id;
          if (isFinal(chunk) && id !== undefined) asked.set(chunk?.session_id, id);
          return undefined;
        };
      });
      return (call, next) => {
        const id = asked.get(call.body.session_id);
        const last = replies(call) ? (call.body.messages as Json[]).at(-1) : undefined;
        if (call.op !== 'chat' || !last || id === undefined || last.tool_call_id === id) return note(call, next);
        w.hit();
        const messages = [...(call.body.messages as Json[]).slice(0, -1), { ...last, tool_call_id: id }];
        return note(call, () => next(withBody(call, { ...call.body, messages })));
      };
    },
  ),
  named('a reply that is rejected renews the question', 'Rejected replies do not extend the deadline.', (w) => {
    // The answer is given in time by the service itself, as if the deadline were later: kept open by an own clock.
    const rejected = new Map<unknown, number>();
    return w.later('chat', (r, call) => {
      if (!replies(call)) return undefined;
      const now = w.setting.host.now();
      if (r.status === 400) rejected.set(call.body.session_id, now);
      const at = rejected.get(call.body.session_id);
      if (r.ok || r.status === 400 || at === undefined || now - at > 300_000) return undefined;
      return lateAnswer(call.body.session_id);
    });
  }),
  named(
    'a question stays open for ten minutes',
    'A question asked through `service.provide_input` stays open for its interaction deadline, 5 minutes by default.',
    (w) => {
      const open = new Map<unknown, number>();
      const note = w.stream(() => {
        let asked = false;
        return (_, chunk) => {
          asked ||= finish(chunk) === 'tool_calls';
          if (asked && isFinal(chunk)) open.set(chunk?.session_id, w.setting.host.now());
          return undefined;
        };
      });
      return async (call, next) => {
        const r = await note(call, next);
        const at = open.get(call.body.session_id);
        if (!replies(call) || r.status !== 409 || at === undefined || w.setting.host.now() - at < 290_000) return r;
        w.hit();
        return lateAnswer(call.body.session_id);
      };
    },
  ),
  named(
    'a question is given up after a minute',
    'A question asked through `service.provide_input` stays open for its interaction deadline, 5 minutes by default.',
    (w) => {
      const open = new Map<unknown, number>();
      const note = w.stream(() => {
        let asked = false;
        return (_, chunk) => {
          asked ||= finish(chunk) === 'tool_calls';
          if (asked && isFinal(chunk)) open.set(chunk?.session_id, w.setting.host.now());
          return undefined;
        };
      });
      return async (call, next) => {
        const at = open.get(call.body.session_id);
        if (!replies(call) || at === undefined || w.setting.host.now() - at < 60_000) return note(call, next);
        w.hit();
        return failed(409, 'The question is no longer open', 'interaction_not_pending');
      };
    },
  ),
  named('suspend ends a stream by stop', ENDED, (w) => {
    const stopped = new Set<string>();
    const edit = w.stream((call) => (_, chunk) => {
      if (!chunk || !reasoned(chunk, 'run_ended') || !stopped.has(call.id)) return undefined;
      const { error: _error, ...rest } = chunk;
      return finished(rest as Chunk, 'stop');
    });
    return (call, next) => {
      if (call.op === 'suspend') stopped.add(call.id);
      return edit(call, next);
    };
  }),
  named('a second question of a run has the id of the first', TOOL, (w) => {
    const ids = new Map<unknown, string>();
    const times = counter();
    return w.stream((call) => (event, chunk) => {
      const calls = toolOf(chunk);
      if (!Array.isArray(calls) || !isJson(calls[0])) return undefined;
      const own = String(calls[0].id);
      const key = `${call.id} ${String(call.body.session_id)}`;
      if (!replies(call)) ids.set(call.id, own);
      const old = ids.get(call.id);
      return replies(call) && old !== undefined && old !== own && times(key) === 1
        ? event.replace(own, old)
        : undefined;
    });
  }),
];

function lateAnswer(session: unknown): Response {
  const chunk = (rest: Json) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-late', object: 'chat.completion.chunk', created: 1, model: 'openrouter/intern', ...rest })}\n\n`;
  const text =
    chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }) +
    chunk({ choices: [{ index: 0, delta: { content: 'Done.' }, finish_reason: null }] }) +
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
    chunk({ choices: [], session_id: session, usage: null });
  return new Response(`${text}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
}
