import { yields } from '../combinators/behaviours.js';
import { choiceOf, chunkOf, rewriteChunks, rewriteFinal, rewriteFrames, streamErrors } from '../combinators/streams.js';
import { defineDeviations } from '../mutant.js';

export const CHAT_ENDINGS = defineDeviations({
  'stream-session-id-null-after-an-error': {
    description: 'After an error session_id is null.',
    mutant: rewriteFinal((chunk, finish) => (finish === 'error' ? { ...chunk, session_id: null } : chunk)),
  },
  'usage-not-reported': {
    description: 'usage is always null.',
    mutant: rewriteFinal((chunk) => ({ ...chunk, usage: null })),
  },
  'usage-of-the-session': {
    description: 'A run without usage reports that of the run before it in the session.',
    mutant: () => {
      const last = new Map<unknown, unknown>();
      return rewriteFinal((chunk, finish) => {
        if (finish === 'tool_calls') return chunk;
        const usage = chunk.usage ?? last.get(chunk.session_id) ?? null;
        last.set(chunk.session_id, usage);
        return { ...chunk, usage };
      });
    },
  },
  'usage-only-after-stop': {
    description: 'After an error usage is null.',
    mutant: rewriteFinal((chunk, finish) => (finish === 'error' ? { ...chunk, usage: null } : chunk)),
  },
  'usage-of-nothing': {
    description: 'Where none was reported usage counts nought.',
    mutant: rewriteFinal((chunk, finish) =>
      finish === 'tool_calls'
        ? chunk
        : { ...chunk, usage: chunk.usage ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
    ),
  },
  'usage-after-tool-calls': {
    description: 'After tool_calls usage reports what was used so far.',
    mutant: rewriteFinal((chunk, finish) =>
      finish === 'tool_calls'
        ? { ...chunk, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }
        : chunk,
    ),
  },
  'error-code-of-its-own': {
    description: 'The error of a run that the intern ended has code 500.',
    mutant: streamErrors('run_ended', { code: 500 }),
  },
  'error-reason-of-the-deadline': {
    description: 'A run that meets its deadline ends as severed.',
    mutant: yields(() => (event) => ('end' in event && event.end === 'deadline' ? { end: 'severed' } : event)),
  },
  'severed-is-run-ended': {
    description: 'A connection that breaks is reported as run_ended.',
    mutant: streamErrors('stream_severed', { code: 410, reason: 'run_ended' }),
  },
  'severed-is-not-retryable': {
    description: 'stream_severed says that trying again does not help.',
    mutant: streamErrors('stream_severed', { retryable: false }),
  },
  'severed-has-no-ending': {
    description: 'A severed stream ends without final chunk and [DONE].',
    mutant: rewriteChunks(() => {
      let severed = false;
      return (chunk) => {
        const error = chunk.error as { metadata: { reason: string } } | undefined;
        severed ||= error?.metadata.reason === 'stream_severed';
        return severed && choiceOf(chunk) === undefined ? undefined : chunk;
      };
    }),
  },
  'error-in-the-choice': {
    description: 'The error stands in the choice.',
    mutant: rewriteChunks(
      () =>
        ({ error, ...chunk }) =>
          error === undefined ? chunk : { ...chunk, choices: [{ ...choiceOf(chunk), error }] },
    ),
  },
  'error-erases-what-was-said': {
    description: 'What was said before an error is not sent.',
    mutant: rewriteFrames(() => {
      let held = '';
      return (frame) => {
        const chunk = chunkOf(frame);
        const choice = choiceOf(chunk ?? {});
        if (choice && choice.finish_reason === null && choice.delta.role === undefined) {
          held += frame;
          return ': \n\n';
        }
        const all = chunk?.error === undefined ? held + frame : frame;
        held = '';
        return all;
      };
    }),
  },
});
