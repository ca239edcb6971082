import { yields } from '../combinators/behaviours.js';
import { choiceOf, chunkOf, rewriteChunks, rewriteFinal, rewriteFrames, streamErrors } from '../combinators/streams.js';
import { defineDeviations } from '../mutant.js';

export const CHAT_ENDINGS = defineDeviations({
  'stream-session-id-null-after-an-error': rewriteFinal((chunk, finish) =>
    finish === 'error' ? { ...chunk, session_id: null } : chunk,
  ),
  // usage is always null.
  'usage-not-reported': rewriteFinal((chunk) => ({ ...chunk, usage: null })),
  // A run without usage reports that of the run before it in the session.
  'usage-of-the-session': () => {
    const last = new Map<unknown, unknown>();
    return rewriteFinal((chunk, finish) => {
      if (finish === 'tool_calls') return chunk;
      const usage = chunk.usage ?? last.get(chunk.session_id) ?? null;
      last.set(chunk.session_id, usage);
      return { ...chunk, usage };
    });
  },
  'usage-only-after-stop': rewriteFinal((chunk, finish) => (finish === 'error' ? { ...chunk, usage: null } : chunk)),
  // Where none was reported usage counts nought.
  'usage-of-nothing': rewriteFinal((chunk, finish) =>
    finish === 'tool_calls'
      ? chunk
      : { ...chunk, usage: chunk.usage ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
  ),
  // After tool_calls usage reports what was used so far.
  'usage-after-tool-calls': rewriteFinal((chunk, finish) =>
    finish === 'tool_calls' ? { ...chunk, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } } : chunk,
  ),
  'error-code-of-its-own': streamErrors('run_ended', { code: 500 }),
  // A run that meets its deadline ends as severed.
  'error-reason-of-the-deadline': yields(
    () => (event) => ('end' in event && event.end === 'deadline' ? { end: 'severed' } : event),
  ),
  // A connection that breaks is reported as run_ended.
  'severed-is-run-ended': streamErrors('stream_severed', { code: 410, reason: 'run_ended' }),
  // stream_severed says that trying again does not help.
  'severed-is-not-retryable': streamErrors('stream_severed', { retryable: false }),
  // A severed stream ends without final chunk and [DONE].
  'severed-has-no-ending': rewriteChunks(() => {
    let severed = false;
    return (chunk) => {
      const error = chunk.error as { metadata: { reason: string } } | undefined;
      severed ||= error?.metadata.reason === 'stream_severed';
      return severed && choiceOf(chunk) === undefined ? undefined : chunk;
    };
  }),
  // The error stands in the choice.
  'error-in-the-choice': rewriteChunks(
    () =>
      ({ error, ...chunk }) =>
        error === undefined ? chunk : { ...chunk, choices: [{ ...choiceOf(chunk), error }] },
  ),
  // The text before an error is not sent.
  'error-erases-what-was-said': rewriteFrames(() => {
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
});
