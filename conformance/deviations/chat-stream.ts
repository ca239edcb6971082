import { acts, reads } from './change.js';
import { isObject } from './change-lifecycle.js';
import { choiceOf, choices, chunks, deltas, finals, texts } from './change-stream.js';
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
]);
