import type { Chunk } from '../answers.js';
import { failed } from '../answers.js';
import { type Call, isJson, type Json, withBody } from '../call.js';
import type { Way } from '../world.js';
import { way } from './form.js';

const AFTER = 'one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`';
const USAGE = 'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`.';
const DONE = 'data: [DONE]';

const finish = (chunk: Chunk | undefined) => chunk?.choices[0]?.finish_reason ?? undefined;
const last = (chunk: Chunk | undefined): chunk is Chunk => chunk?.choices.length === 0;
const finishing = (chunk: Chunk, reason: string): Chunk => ({
  ...chunk,
  choices: chunk.choices.map((choice) => ({ ...choice, finish_reason: reason })),
});

const messages = ({ body }: Call): Json[] => (Array.isArray(body.messages) ? body.messages.filter(isJson) : []);
const answers = (call: Call): Json[] => messages(call).filter(({ role }) => role === 'tool');

const callsOf = (chunk: Chunk | undefined): Json[] =>
  (chunk?.choices ?? []).flatMap(({ delta }) =>
    Array.isArray(delta?.tool_calls) ? delta.tool_calls.filter(isJson) : [],
  );

const withCalls = (chunk: Chunk, edit: (call: Json) => Json): Chunk => ({
  ...chunk,
  choices: chunk.choices.map((choice) => {
    const { tool_calls } = choice.delta;
    if (!Array.isArray(tool_calls)) return choice;
    return {
      ...choice,
      delta: { ...choice.delta, tool_calls: tool_calls.map((one) => (isJson(one) ? edit(one) : one)) },
    };
  }),
});

const renamed = (chunk: Chunk, name: string): Chunk =>
  withCalls(chunk, (one) =>
    isJson(one.function) && one.function.name === 'service.provide_input'
      ? { ...one, function: { ...one.function, name } }
      : one,
  );

export const streams: readonly Way[] = [
  way(
    'a stream that fails has no [DONE]',
    'After every response, whether it ends with `stop`, `tool_calls` or `error`',
    (w) =>
      w.stream(() => {
        let ended: string | undefined;
        return (event, chunk) => {
          ended = finish(chunk) ?? ended;
          return event === DONE && ended === 'error' ? [] : undefined;
        };
      }),
  ),
  way('a stream that pauses has no [DONE]', 'so the client reads through `[DONE]`', (w) =>
    w.stream(() => {
      let ended: string | undefined;
      return (event, chunk) => {
        ended = finish(chunk) ?? ended;
        return event === DONE && ended === 'tool_calls' ? [] : undefined;
      };
    }),
  ),
  way('the session is named only after a pause', AFTER, (w) =>
    w.stream(() => {
      let ended: string | undefined;
      return (_, chunk) => {
        ended = finish(chunk) ?? ended;
        if (!last(chunk) || ended === 'tool_calls') return undefined;
        const { session_id: _gone, ...rest } = chunk;
        return rest as Chunk;
      };
    }),
  ),
  way('a failed run has no final chunk', AFTER, (w) =>
    w.stream(() => {
      let ended: string | undefined;
      return (_, chunk) => {
        ended = finish(chunk) ?? ended;
        return last(chunk) && ended === 'error' ? [] : undefined;
      };
    }),
  ),
  way('the final chunk has a choice without content', AFTER, (w) =>
    w.stream(
      () => (_, chunk) =>
        last(chunk) ? { ...chunk, choices: [{ delta: {}, finish_reason: null }] as Chunk['choices'] } : undefined,
    ),
  ),
  way('the final chunk comes before the finish', 'arrives after the `tool_calls` finish chunk', (w) =>
    w.stream(() => {
      let held: Chunk | undefined;
      return (_, chunk) => {
        if (finish(chunk) === 'tool_calls') {
          held = chunk;
          return [];
        }
        if (last(chunk) && held) return [chunk, held];
        return undefined;
      };
    }),
  ),
  way('a pause has usage', 'After `tool_calls` its `usage` is `null`, because the turn is not over.', (w) =>
    w.stream(() => {
      let ended: string | undefined;
      return (_, chunk) => {
        ended = finish(chunk) ?? ended;
        return last(chunk) && ended === 'tool_calls'
          ? { ...chunk, usage: { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 } }
          : undefined;
      };
    }),
  ),
  way('usage that is null is left out', 'It carries `null` when the intern reported none.', (w) =>
    w.stream(() => (_, chunk) => {
      if (!last(chunk) || chunk.usage !== null) return undefined;
      const { usage: _gone, ...rest } = chunk;
      return rest as Chunk;
    }),
  ),
  way('usage that nobody reported is zero', 'It carries `null` when the intern reported none.', (w) =>
    w.stream(() => {
      let ended: string | undefined;
      return (_, chunk) => {
        ended = finish(chunk) ?? ended;
        return last(chunk) && chunk.usage === null && ended !== 'tool_calls'
          ? { ...chunk, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }
          : undefined;
      };
    }),
  ),
  way('a failed run has no usage', USAGE, (w) =>
    w.stream(() => {
      let ended: string | undefined;
      return (_, chunk) => {
        ended = finish(chunk) ?? ended;
        return last(chunk) && ended === 'error' ? { ...chunk, usage: null } : undefined;
      };
    }),
  ),
  way(
    'a run ends with the reason length',
    'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.',
    (w) => w.stream(() => (_, chunk) => (chunk && finish(chunk) === 'stop' ? finishing(chunk, 'end_turn') : undefined)),
  ),
  way('a pause stops', 'finishes with `finish_reason: tool_calls`', (w) =>
    w.stream(() => (_, chunk) => (chunk && finish(chunk) === 'tool_calls' ? finishing(chunk, 'stop') : undefined)),
  ),
  way('a comment of another text keeps the stream alive', 'A comment line `: keepalive` is written', (w) =>
    w.stream(() => (event) => (event.startsWith(': keepalive') ? ': ping' : undefined)),
  ),
  way('an empty event keeps the stream alive', 'A comment line `: keepalive` is written', (w) =>
    w.stream(() => (event) => (event.startsWith(': keepalive') ? 'data: {}' : undefined)),
  ),
  way('a run that was ended has code 499', 'that carries code 410 and reason `run_ended`', (w) =>
    w.stream(
      () => (_, chunk) => (chunk?.error?.code === 410 ? { ...chunk, error: { ...chunk.error, code: 499 } } : undefined),
    ),
  ),
  way('a run that was ended says that it was cancelled', 'that carries code 410 and reason `run_ended`', (w) =>
    w.stream(
      () => (_, chunk) =>
        chunk?.error?.metadata?.reason === 'run_ended'
          ? { ...chunk, error: { ...chunk.error, metadata: { ...chunk.error.metadata, reason: 'run_cancelled' } } }
          : undefined,
    ),
  ),
  way(
    'a severed stream says that the run ended',
    'A connection that breaks without that confirmation ends with reason `stream_severed`.',
    (w) =>
      w.stream(
        () => (_, chunk) =>
          chunk?.error?.metadata?.reason === 'stream_severed'
            ? {
                ...chunk,
                error: { ...chunk.error, code: 410, metadata: { ...chunk.error.metadata, reason: 'run_ended' } },
              }
            : undefined,
      ),
  ),
  way('a run that was ended just stops', 'the stream ends with a chunk with `finish_reason: error`', (w) =>
    w.stream(() => (_, chunk) => {
      if (chunk?.error?.metadata?.reason !== 'run_ended') return undefined;
      const { error: _gone, ...rest } = chunk;
      return finishing(rest as Chunk, 'stop');
    }),
  ),
  way('a stream calls itself plain text', '`Content-Type` of a server-sent event stream', (w) =>
    w.head('chat', (headers, _, response) => {
      if (response.ok) headers.set('content-type', 'text/plain; charset=utf-8');
    }),
  ),
];

export const conversations: readonly Way[] = [
  way(
    'a question has the name without its prefix',
    'the stream emits one tool call named `service.provide_input`',
    (w) =>
      w.stream(() => (_, chunk) => (callsOf(chunk).length > 0 && chunk ? renamed(chunk, 'provide_input') : undefined)),
  ),
  way('a question is asked twice', 'the stream emits one tool call named `service.provide_input`', (w) =>
    w.stream(() => (_, chunk) => {
      if (!chunk || !callsOf(chunk).some((one) => typeof one.id === 'string')) return undefined;
      const again = withCalls(chunk, (one) => ({ ...one, id: `${String(one.id)}-2`, index: 1 }));
      const first = { ...chunk, choices: chunk.choices.map((choice) => ({ ...choice, finish_reason: null })) };
      return [first, again];
    }),
  ),
  way('the session changes with every response', 'send a second request with the same `session_id`', (w) =>
    w.stream(() => (_, chunk) => (last(chunk) ? { ...chunk, session_id: crypto.randomUUID() } : undefined)),
  ),
  way(
    'a session stays manual',
    'The mode belongs to the run started by that prompt and must be repeated on later prompts.',
    (w) => {
      const manual = new Set<string>();
      const learn = w.stream((call) => (_, chunk) => {
        if (last(chunk) && call.body.approval_mode === 'manual') manual.add(String(chunk.session_id));
        return undefined;
      });
      return (call, next) => {
        const { session_id, approval_mode } = call.body;
        const sticks =
          call.op === 'chat' &&
          approval_mode === undefined &&
          answers(call).length === 0 &&
          manual.has(String(session_id));
        if (!sticks) return learn(call, next);
        w.hit();
        return next(withBody(call, { ...call.body, approval_mode: 'manual' }));
      };
    },
  ),
  way(
    'a manual run consents by itself',
    '`manual` makes the intern ask before approval-bearing tools such as the shell.',
    (w) =>
      w.asked('chat', ({ body }) => {
        if (body.approval_mode !== 'manual') return undefined;
        const { approval_mode: _gone, ...rest } = body;
        return rest;
      }),
  ),
  way('a run asks unless the mode says not to', 'When omitted the run self-drives and consents', (w) =>
    w.asked('chat', (call) =>
      call.body.approval_mode === undefined && answers(call).length === 0
        ? { ...call.body, approval_mode: 'manual' }
        : undefined,
    ),
  ),
  way('an answer to any call is taken', 'Its `tool_call_id` is the id of that tool call', (w) => {
    const open = new Map<string, string>();
    const learn = w.stream(() => {
      let asked: string | undefined;
      return (_, chunk) => {
        for (const { id } of callsOf(chunk)) if (typeof id === 'string') asked = id;
        if (last(chunk) && asked !== undefined) open.set(String(chunk.session_id), asked);
        return undefined;
      };
    });
    return async (call, next) => {
      const id = open.get(String(call.body.session_id));
      const wrong = call.op === 'chat' && id !== undefined && answers(call).some((one) => one.tool_call_id !== id);
      if (!wrong) return learn(call, next);
      const said = messages(call).map((one) => (one.role === 'tool' ? { ...one, tool_call_id: id } : one));
      const echoed = said.map((one) =>
        one.role === 'assistant' && Array.isArray(one.tool_calls)
          ? { ...one, tool_calls: one.tool_calls.map((each) => (isJson(each) ? { ...each, id } : each)) }
          : one,
      );
      w.hit();
      return learn(call, () => next(withBody(call, { ...call.body, messages: echoed })));
    };
  }),
  way(
    'a paused run ends with its connection',
    'Closing the connection after the `[DONE]` that follows `finish_reason: tool_calls` keeps the run alive.',
    (w) =>
      w.later('chat', (r, call) =>
        r.ok && answers(call).length > 0 && typeof call.body.session_id === 'string'
          ? failed(410, 'The run has ended', 'run_ended')
          : undefined,
      ),
  ),
  way('an answer loses what it says', 'its `content` is the answer', (w) =>
    w.asked('chat', (call) =>
      answers(call).some(({ content }) => typeof content === 'string' && content !== '')
        ? { ...call.body, messages: messages(call).map((one) => (one.role === 'tool' ? { ...one, content: '' } : one)) }
        : undefined,
    ),
  ),
  way('an answer is put in lower case', 'its `content` is the answer', (w) =>
    w.asked('chat', (call) => {
      const said = messages(call).map((one) =>
        one.role === 'tool' && typeof one.content === 'string' ? { ...one, content: one.content.toLowerCase() } : one,
      );
      return JSON.stringify(said) === JSON.stringify(messages(call)) ? undefined : { ...call.body, messages: said };
    }),
  ),
  way(
    'an answer is a prompt of its own',
    'The answer is delivered to the run that asked, and the stream continues from where it paused.',
    (w) =>
      w.asked('chat', (call) => {
        const [answer] = answers(call);
        if (answer === undefined || call.body.session_id === undefined) return undefined;
        const { session_id: _gone, ...rest } = call.body;
        return { ...rest, messages: [{ role: 'user', content: answer.content }] };
      }),
  ),
  way('a continued stream repeats the question', 'the stream continues from where it paused', (w) => {
    const asked = new Map<string, Chunk>();
    return w.stream((call) => {
      let question: Chunk | undefined;
      const before = answers(call).length > 0 ? asked.get(String(call.body.session_id)) : undefined;
      let repeated = false;
      return (_, chunk) => {
        if (callsOf(chunk).length > 0) question ??= chunk;
        if (last(chunk) && question) asked.set(String(chunk.session_id), question);
        if (before === undefined || repeated || !chunk) return undefined;
        repeated = true;
        const quiet = before.choices.map((choice) => ({ ...choice, finish_reason: null }));
        return [{ ...before, choices: quiet }, chunk];
      };
    });
  }),
];
