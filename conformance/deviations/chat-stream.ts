import { Refusal } from '../../emulator/contract/errors.js';
import { acts, parses, reads } from './change.js';
import { isObject } from './change-lifecycle.js';
import { choiceOf, choices, chunks, deltas, errorChunks, finals, texts } from './change-stream.js';
import { defineDeviations } from './deviation.js';

export const CHAT_STREAM = defineDeviations([
  {
    name: 'stream-without-done',
    requirement: 'CHAT-1',
    description: 'A stream ends without [DONE].',
    alters: texts(() => (text) => text.replace('data: [DONE]\n\n', '')),
    caughtBy: ['chat-stream/grammar', 'chat-content/no-output', 'model/conversations', 'disconnect/after-done'],
  },
  {
    name: 'stream-done-before-the-final-chunk',
    requirement: 'CHAT-3',
    description: '[DONE] comes before the final chunk.',
    alters: texts(
      () => (text, stage) => (stage === 'final' ? `data: [DONE]\n\n${text.replace('data: [DONE]\n\n', '')}` : text),
    ),
    caughtBy: ['chat-stream/grammar', 'chat-content/no-output'],
  },
  {
    name: 'stream-says-more-after-done',
    requirement: 'CHAT-3',
    description: 'An empty chunk comes after [DONE].',
    alters: texts(() => (text, stage) => (stage === 'final' ? `${text}data: {"choices":[]}\n\n` : text)),
    caughtBy: ['chat-stream/grammar'],
  },
  {
    name: 'stream-without-final-chunk',
    requirement: 'CHAT-3',
    description: 'No chunk with empty choices comes after the finish reason.',
    alters: finals(() => undefined),
    caughtBy: ['chat-stream/grammar', 'chat-final/no-usage-is-null', 'suspend/ends-runs', 'delete/ends-runs'],
  },
  {
    name: 'stream-with-two-final-chunks',
    requirement: 'CHAT-3',
    description: 'Session and usage come in a chunk each.',
    alters: finals(({ usage, ...chunk }) => [chunk, { ...chunk, session_id: undefined, usage }]),
    caughtBy: ['chat-stream/grammar'],
  },
  {
    name: 'stream-final-chunk-first',
    requirement: 'CHAT-3',
    description: 'The final chunk comes before the finish reason.',
    alters: texts(() => {
      let held = '';
      return (text, stage) => {
        if (stage === 'open') return text;
        if (stage === 'event') {
          const at = text.indexOf('"finish_reason":"');
          if (at < 0) return text;
          const start = text.lastIndexOf('data: ', at);
          held = text.slice(start);
          return text.slice(0, start) || ': \n\n';
        }
        const [final = ''] = text.split('data: [DONE]');
        return `${final}${held}data: [DONE]\n\n`;
      };
    }),
    caughtBy: ['chat-stream/grammar'],
  },
  {
    name: 'stream-without-session-id',
    requirement: 'CHAT-3',
    description: 'The final chunk carries no session_id.',
    alters: finals(({ session_id: _, ...chunk }) => chunk),
    caughtBy: ['chat-stream/grammar', 'chat-sessions/continue', 'chat-questions/one-tool-call', 'model/conversations'],
  },
  {
    name: 'stream-session-id-with-the-choice',
    requirement: 'CHAT-3',
    description: 'Every chunk carries session_id.',
    alters: chunks((options) => (chunk) => ({ ...chunk, session_id: options.sessionId })),
    caughtBy: ['chat-final/session-id-only-final'],
  },
  {
    name: 'stream-usage-with-the-finish',
    requirement: 'CHAT-3',
    description: 'The chunk with the finish reason carries usage too.',
    alters: chunks(() => (chunk) => (choiceOf(chunk)?.finish_reason ? { ...chunk, usage: null } : chunk)),
    caughtBy: ['chat-final/session-id-only-final'],
  },
  {
    name: 'stream-session-id-null-after-an-error',
    requirement: 'CHAT-3',
    description: 'After an error session_id is null.',
    alters: finals((chunk, finish) => (finish === 'error' ? { ...chunk, session_id: null } : chunk)),
    caughtBy: ['chat-endings/session-stays'],
  },
  {
    name: 'stream-session-id-changes',
    requirement: 'CHAT-3',
    description: 'The session_id of a continued session is another.',
    alters: finals((chunk) => ({ ...chunk, session_id: `${String(chunk.session_id)}x` })),
    caughtBy: ['chat-sessions/continue', 'chat-sessions/unseen-id'],
  },
  {
    name: 'stream-stops-at-length',
    requirement: 'CHAT-2',
    description: 'A run that stops says finish_reason `end_turn`.',
    alters: choices((choice) => (choice.finish_reason === 'stop' ? { ...choice, finish_reason: 'end_turn' } : choice)),
    caughtBy: ['chat-stream/grammar', 'chat-content/no-output', 'provision/first-boot'],
  },
  {
    name: 'stream-finishes-twice',
    requirement: 'CHAT-2',
    description: 'The finish reason comes twice.',
    alters: chunks(() => (chunk) => (choiceOf(chunk)?.finish_reason ? [chunk, chunk] : chunk)),
    caughtBy: ['chat-stream/grammar', 'chat-content/long'],
  },
  {
    name: 'stream-finish-before-the-last-word',
    requirement: 'CHAT-2',
    description: 'The last piece of content comes after the finish reason.',
    alters: texts(() => {
      let last = '';
      return (text, stage) => {
        if (stage === 'final' || stage === 'open') return text;
        if (!text.includes('"finish_reason":"')) {
          const before = last;
          last = text;
          return before || ': \n\n';
        }
        return text + last;
      };
    }),
    caughtBy: ['chat-stream/grammar', 'chat-content/long'],
  },
  {
    name: 'stream-silent-run-never-finishes',
    requirement: 'CHAT-2',
    description: 'A run without a word ends without a finish reason.',
    alters: chunks(() => {
      let said = false;
      return (chunk) => {
        const choice = choiceOf(chunk);
        if (choice?.delta.content || choice?.delta.tool_calls || choice?.delta.reasoning) said = true;
        return choice?.finish_reason === 'stop' && !said ? undefined : chunk;
      };
    }),
    caughtBy: ['chat-content/no-output'],
  },
  {
    name: 'stream-of-messages',
    requirement: 'CHAT-1',
    description: 'Choices carry message in place of delta.',
    alters: choices(({ delta, ...choice }) => ({ ...choice, message: delta }) as never),
    caughtBy: ['chat-stream/grammar'],
  },
  {
    name: 'stream-of-plain-text',
    requirement: 'CHAT-1',
    description: 'Content comes as plain data lines.',
    alters: texts(() => (text, stage) => {
      const content = /^data: (.*)\n\n$/.exec(text)?.[1];
      if (stage !== 'event' || !content?.includes('"content"')) return text;
      const delta = choiceOf(JSON.parse(content) as never)?.delta;
      return `data: ${JSON.stringify(delta?.content)}\n\n`;
    }),
    caughtBy: ['chat-stream/grammar'],
  },
  {
    name: 'stream-object-is-the-completions',
    requirement: 'CHAT-1',
    description: 'object is `chat.completion`.',
    alters: chunks(() => (chunk) => ({ ...chunk, object: 'chat.completion' })),
    caughtBy: ['chat-stream/published-shape', 'chat-stream/shape-across-pauses'],
  },
  {
    name: 'stream-id-of-each-chunk',
    requirement: 'CHAT-1',
    description: 'Every chunk has an id of its own.',
    alters: chunks(() => {
      let count = 0;
      return (chunk) => ({ ...chunk, id: `${String(chunk.id)}-${count++}` });
    }),
    caughtBy: ['chat-stream/published-shape'],
  },
  {
    name: 'stream-final-chunk-without-identity',
    requirement: 'CHAT-1',
    description: 'The final chunk of a response that asks has no id.',
    alters: finals(({ id, ...chunk }, finish) => (finish === 'tool_calls' ? chunk : { id, ...chunk })),
    caughtBy: ['chat-stream/shape-across-pauses'],
  },
  {
    name: 'stream-without-role',
    requirement: 'CHAT-1',
    description: 'No chunk carries the role.',
    alters: deltas(({ role: _, ...delta }) => delta),
    caughtBy: ['chat-stream/published-shape', 'chat-stream/shape-across-pauses'],
  },
  {
    name: 'stream-two-choices',
    requirement: 'CHAT-1',
    description: 'Choices are numbered from 1.',
    alters: choices((choice) => ({ ...choice, index: 1 })),
    caughtBy: ['chat-stream/published-shape'],
  },
  {
    name: 'stream-as-json-lines',
    requirement: 'CHAT-1',
    description: 'A stream is declared as application/x-ndjson.',
    alters: acts('chat', (answer) =>
      answer.headers['content-type'] === 'text/event-stream'
        ? { ...answer, headers: { ...answer.headers, 'content-type': 'application/x-ndjson' } }
        : answer,
    ),
    caughtBy: ['chat-stream/published-shape'],
  },
  {
    name: 'stream-created-in-milliseconds',
    requirement: 'CHAT-1',
    description: 'created counts milliseconds.',
    alters: chunks(() => (chunk) => ({ ...chunk, created: Number(chunk.created) * 1_000 })),
    caughtBy: ['chat-stream/created-in-seconds'],
  },
  {
    name: 'stream-begins-with-content',
    requirement: 'CHAT-1',
    description: 'The first chunk carries the role only.',
    alters: chunks(
      () => (chunk, stage) =>
        stage === 'open'
          ? { ...chunk, choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] }
          : chunk,
    ),
    caughtBy: ['chat-stream/empty-first-content'],
  },
  {
    name: 'stream-model-of-the-request',
    requirement: 'CHAT-1',
    description: 'Chunks carry the model of the request.',
    alters: () => {
      let model: unknown;
      return {
        ...reads('chat', (value) => {
          model = isObject(value) ? value.model : undefined;
          return value;
        }),
        ...chunks(() => {
          const wanted = model;
          return (chunk) => (typeof wanted === 'string' ? { ...chunk, model: wanted } : chunk);
        }),
      };
    },
    caughtBy: ['chat-stream/model-not-the-requests'],
  },
  {
    name: 'stream-reasoning-as-content',
    requirement: 'CHAT-1',
    description: 'Thinking comes as content.',
    alters: deltas(({ reasoning, ...delta }) => (reasoning === undefined ? delta : { ...delta, content: reasoning })),
    caughtBy: ['chat-content/reasoning-apart', 'chat-answers/any-turn'],
  },
  {
    name: 'stream-reasoning-by-another-name',
    requirement: 'CHAT-1',
    description: 'Thinking comes as delta.reasoning_content.',
    alters: deltas(({ reasoning, ...delta }) =>
      reasoning === undefined ? delta : { ...delta, reasoning_content: reasoning },
    ),
    caughtBy: ['chat-content/reasoning-apart'],
  },
  {
    name: 'stream-splits-lines',
    requirement: 'CHAT-1',
    description: 'Line ends in content are sent as they are.',
    alters: texts(() => (text, stage) => (stage === 'event' ? text.replaceAll('\\n', '\n') : text)),
    caughtBy: ['chat-content/content-intact', 'chat-content/awkward-lines'],
  },
  {
    name: 'stream-ends-at-done-in-content',
    requirement: 'CHAT-1',
    description: 'Content that is [DONE] is dropped.',
    alters: chunks(() => (chunk) => (choiceOf(chunk)?.delta.content === '[DONE]' ? undefined : chunk)),
    caughtBy: ['chat-content/awkward-lines'],
  },
  {
    name: 'stream-drops-control-characters',
    requirement: 'CHAT-1',
    description: 'Control characters of content are left out.',
    alters: deltas((delta) =>
      typeof delta.content === 'string'
        ? { ...delta, content: [...delta.content].filter((unit) => unit >= ' ' || unit === '\n').join('') }
        : delta,
    ),
    caughtBy: ['chat-content/awkward-lines', 'chat-content/content-intact'],
  },
  {
    name: 'stream-trims-pieces',
    requirement: 'CHAT-1',
    description: 'White space at the end of a piece of content is lost.',
    alters: deltas((delta) =>
      typeof delta.content === 'string' ? { ...delta, content: delta.content.trimEnd() } : delta,
    ),
    caughtBy: ['chat-content/content-intact', 'chat-content/long', 'chat-stream/echo-is-the-prompt'],
  },
  {
    name: 'stream-mends-surrogates',
    requirement: 'CHAT-1',
    description: 'Halves of surrogate pairs become replacement characters.',
    alters: deltas((delta) =>
      typeof delta.content === 'string'
        ? { ...delta, content: Buffer.from(delta.content, 'utf8').toString('utf8') }
        : delta,
    ),
    caughtBy: ['chat-content/lone-surrogates'],
  },
  {
    name: 'stream-loses-the-thousandth',
    requirement: 'CHAT-2',
    description: 'Of a long reply what comes after 1,000 chunks is lost.',
    alters: chunks(() => {
      let count = 0;
      return (chunk) => {
        if (choiceOf(chunk)?.delta.content) count++;
        return count > 1_000 && choiceOf(chunk)?.delta.content ? undefined : chunk;
      };
    }),
    caughtBy: ['chat-content/long'],
  },
  {
    name: 'stream-out-of-order',
    requirement: 'CHAT-2',
    description: 'Two neighbouring pieces of content change places.',
    alters: texts(() => {
      let held = '';
      let done = false;
      return (text, stage) => {
        if (stage !== 'event' || done || !text.includes('"content"')) {
          const before = held;
          held = '';
          return before + text;
        }
        if (held === '') {
          held = text;
          return ': \n\n';
        }
        const before = held;
        held = '';
        done = true;
        return text + before;
      };
    }),
    caughtBy: ['chat-content/long', 'chat-content/content-intact'],
  },
  {
    name: 'usage-not-told',
    requirement: 'CHAT-4',
    description: 'usage is always null.',
    alters: finals((chunk) => ({ ...chunk, usage: null })),
    caughtBy: [
      'chat-final/usage-as-reported',
      'chat-final/usage-shape',
      'chat-stream/echo-is-the-prompt',
      'chat-final/usage-after-pause',
    ],
  },
  {
    name: 'usage-only-after-stop',
    requirement: 'CHAT-4',
    description: 'After an error usage is null.',
    alters: finals((chunk, finish) => (finish === 'error' ? { ...chunk, usage: null } : chunk)),
    caughtBy: ['chat-final/usage-as-reported'],
  },
  {
    name: 'usage-of-nothing',
    requirement: 'CHAT-4',
    description: 'Where none was reported usage counts nought.',
    alters: finals((chunk, finish) =>
      finish === 'tool_calls'
        ? chunk
        : { ...chunk, usage: chunk.usage ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
    ),
    caughtBy: ['chat-final/no-usage-is-null'],
  },
  {
    name: 'usage-left-out',
    requirement: 'CHAT-4',
    description: 'Where none was reported the final chunk has no usage.',
    alters: finals(({ usage, ...chunk }) => (usage === null ? chunk : { ...chunk, usage })),
    caughtBy: ['chat-final/no-usage-is-null'],
  },
  {
    name: 'usage-after-tool-calls',
    requirement: 'CHAT-4',
    description: 'After tool_calls usage tells what was used so far.',
    alters: finals((chunk, finish) =>
      finish === 'tool_calls'
        ? { ...chunk, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }
        : chunk,
    ),
    caughtBy: ['chat-final/usage-after-pause'],
  },
  {
    name: 'usage-without-details',
    requirement: 'CHAT-4',
    description: 'usage leaves out details and cost.',
    alters: finals((chunk) => {
      const usage = chunk.usage as Record<string, unknown> | null;
      if (!usage) return chunk;
      const { prompt_tokens, completion_tokens, total_tokens } = usage;
      return { ...chunk, usage: { prompt_tokens, completion_tokens, total_tokens } };
    }),
    caughtBy: ['chat-final/usage-shape'],
  },
  {
    name: 'usage-by-other-names',
    requirement: 'CHAT-4',
    description: 'usage counts input_tokens and output_tokens.',
    alters: finals((chunk) => {
      const usage = chunk.usage as Record<string, unknown> | null;
      return usage
        ? { ...chunk, usage: { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens } }
        : chunk;
    }),
    caughtBy: ['chat-final/usage-as-reported', 'chat-final/usage-shape'],
  },
  {
    name: 'error-code-of-its-own',
    requirement: 'CHAT-12',
    description: 'The error of a run that the intern ended has code 500.',
    alters: errorChunks((chunk, error) =>
      error.metadata.reason === 'run_ended' ? { ...chunk, error: { ...error, code: 500 } } : chunk,
    ),
    caughtBy: [
      'chat-endings/cancelled',
      'chat-endings/deadline',
      'chat-endings/suspend-while-streaming',
      'chat-endings/delete-while-streaming',
      'suspend/ends-runs',
      'delete/ends-runs',
    ],
  },
  {
    name: 'error-reason-of-the-deadline',
    requirement: 'CHAT-12',
    description: 'A run that meets its deadline ends with the reason deadline_exceeded.',
    alters: {
      encoder: (create) => (options) => {
        const usual = create(options);
        return {
          ...usual,
          event(event) {
            const text = usual.event(event);
            return event.type === 'end' && event.ended === 'deadline'
              ? text.replace('"reason":"run_ended"', '"reason":"deadline_exceeded"')
              : text;
          },
        };
      },
    },
    caughtBy: ['chat-endings/deadline', 'chat-endings/any'],
  },
  {
    name: 'cancelled-is-a-stop',
    requirement: 'CHAT-12',
    description: 'A run that the intern cancels finishes with stop.',
    alters: chunks(() => (chunk) => {
      const error = chunk.error as { metadata: { reason: string } } | undefined;
      if (error?.metadata.reason !== 'run_ended') return chunk;
      const { error: _, ...rest } = chunk;
      return { ...rest, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
    }),
    caughtBy: ['chat-endings/cancelled', 'chat-endings/deadline', 'chat-endings/any', 'suspend/ends-runs'],
  },
  {
    name: 'severed-is-run-ended',
    requirement: 'CHAT-13',
    description: 'A connection that breaks is told as run_ended.',
    alters: errorChunks((chunk, error) =>
      error.metadata.reason === 'stream_severed'
        ? { ...chunk, error: { ...error, code: 410, metadata: { ...error.metadata, reason: 'run_ended' } } }
        : chunk,
    ),
    caughtBy: ['chat-endings/severed', 'chat-endings/any'],
  },
  {
    name: 'severed-is-not-retryable',
    requirement: 'CHAT-13',
    description: 'stream_severed says that trying again does not help.',
    alters: errorChunks((chunk, error) =>
      error.metadata.reason === 'stream_severed'
        ? { ...chunk, error: { ...error, metadata: { ...error.metadata, retryable: false } } }
        : chunk,
    ),
    caughtBy: ['chat-endings/severed-published'],
  },
  {
    name: 'severed-has-no-ending',
    requirement: 'CHAT-13',
    description: 'A severed stream ends without final chunk and [DONE].',
    alters: chunks(() => {
      let severed = false;
      return (chunk) => {
        const error = chunk.error as { metadata: { reason: string } } | undefined;
        severed ||= error?.metadata.reason === 'stream_severed';
        return severed && choiceOf(chunk) === undefined ? undefined : chunk;
      };
    }),
    caughtBy: ['chat-endings/severed', 'chat-final/usage-as-reported'],
  },
  {
    name: 'error-in-the-choice',
    requirement: 'CHAT-12',
    description: 'The error stands in the choice.',
    alters: errorChunks(({ error, ...chunk }) => {
      const choice = choiceOf(chunk);
      return { ...chunk, choices: [{ ...choice, error }] };
    }),
    caughtBy: ['chat-endings/error-in-place'],
  },
  {
    name: 'error-in-a-chunk-of-its-own',
    requirement: 'CHAT-12',
    description: 'The error comes in a chunk before the one with the finish reason.',
    alters: errorChunks(({ error, ...chunk }) => [
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: null }], error },
      chunk,
    ]),
    caughtBy: ['chat-endings/error-in-place'],
  },
  {
    name: 'error-erases-what-was-said',
    requirement: 'CHAT-12',
    description: 'What was said before an error is not sent.',
    alters: texts(() => {
      let held = '';
      return (text, stage) => {
        if (stage === 'open') return text;
        if (stage === 'event' && !text.includes('"finish_reason":"')) {
          held += text;
          return ': \n\n';
        }
        const all = text.includes('"error"') ? text : held + text;
        held = '';
        return all;
      };
    }),
    caughtBy: ['chat-endings/any', 'chat-endings/fails'],
  },
  {
    name: 'failed-is-run-ended',
    requirement: 'CHAT-2',
    description: 'A run that fails midway ends as run_ended.',
    alters: errorChunks((chunk, error) =>
      error.metadata.reason === 'turn_failed'
        ? { ...chunk, error: { ...error, code: 410, metadata: { ...error.metadata, reason: 'run_ended' } } }
        : chunk,
    ),
    caughtBy: ['chat-endings/fails'],
  },
  {
    name: 'failed-is-a-stop',
    requirement: 'CHAT-2',
    description: 'A run that fails midway finishes with stop.',
    alters: errorChunks(({ error, ...chunk }, { metadata }) =>
      metadata.reason === 'turn_failed'
        ? { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
        : { ...chunk, error },
    ),
    caughtBy: ['chat-endings/fails', 'chat-final/usage-as-reported'],
  },
  {
    name: 'chat-reads-all-messages',
    requirement: 'CHAT-15',
    description: 'The prompt is made of all messages of the user.',
    alters: reads('chat', (value) => {
      if (!isObject(value) || !Array.isArray(value.messages)) return value;
      const messages = value.messages as { role?: unknown; content?: unknown }[];
      const last = messages.at(-1);
      if (last?.role !== 'user' || typeof last.content !== 'string') return value;
      const earlier = messages
        .slice(0, -1)
        .filter(({ role, content }) => role === 'user' && typeof content === 'string');
      const content = [...earlier.map((one) => one.content), last.content].join('\n');
      return { ...value, messages: [{ ...last, content }] };
    }),
    caughtBy: ['chat-stream/only-last-message'],
  },
  {
    name: 'chat-keeps-the-first-part',
    requirement: 'CHAT-15',
    description: 'Of text parts only the first is read.',
    alters: reads('chat', (value) => {
      if (!isObject(value) || !Array.isArray(value.messages)) return value;
      const last = value.messages.at(-1) as { content?: unknown } | undefined;
      if (!last || !Array.isArray(last.content) || last.content.length < 2) return value;
      return { ...value, messages: [...value.messages.slice(0, -1), { ...last, content: last.content.slice(0, 1) }] };
    }),
    caughtBy: ['chat-stream/only-last-message', 'chat-requests/length-of-parts'],
  },
  {
    name: 'chat-judges-earlier-messages',
    requirement: 'CHAT-15',
    description: 'A request with an earlier message of an unknown form is refused.',
    alters: parses('chat', (parse, parts) => {
      const value = parts.json();
      if (isObject(value) && Array.isArray(value.messages))
        for (const message of value.messages.slice(0, -1))
          if (!isObject(message) || !['user', 'assistant', 'system', 'tool'].includes(String(message.role)))
            throw new Refusal('bad_request');
      return parse(parts);
    }),
    caughtBy: ['chat-stream/only-last-message'],
  },
  {
    name: 'echo-without-usage',
    requirement: 'EMU-9',
    description: 'echo reports no usage.',
    alters: finals((chunk, finish) => (finish === 'stop' ? { ...chunk, usage: null } : chunk)),
    caughtBy: ['chat-stream/echo-is-the-prompt'],
  },
]);
