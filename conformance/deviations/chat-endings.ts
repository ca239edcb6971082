import { choiceOf, chunks, errorChunks, finals, texts } from './change-stream.js';
import { defineDeviations } from './deviation.js';

export const CHAT_ENDINGS = defineDeviations([
  {
    name: 'stream-session-id-null-after-an-error',
    requirement: 'CHAT-3',
    description: 'After an error session_id is null.',
    alters: finals((chunk, finish) => (finish === 'error' ? { ...chunk, session_id: null } : chunk)),
    caughtBy: ['chat-endings/session-stays'],
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
    name: 'usage-of-the-session',
    requirement: 'CHAT-4',
    description: 'A run that reports no usage tells that of the run before it in the session.',
    alters: () => {
      const last = new Map<unknown, unknown>();
      return finals((chunk, finish) => {
        if (finish === 'tool_calls') return chunk;
        const usage = chunk.usage ?? last.get(chunk.session_id) ?? null;
        last.set(chunk.session_id, usage);
        return { ...chunk, usage };
      });
    },
    caughtBy: ['chat-final/usage-of-its-own-run'],
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
    name: 'echo-without-usage',
    requirement: 'EMU-9',
    description: 'echo reports no usage.',
    alters: finals((chunk, finish) => (finish === 'stop' ? { ...chunk, usage: null } : chunk)),
    caughtBy: ['chat-stream/echo-is-the-prompt'],
  },
]);
