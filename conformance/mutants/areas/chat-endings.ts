import type { Json } from '../../../emulator/wire/json.js';
import { defineMutants, together } from '../mutant.js';
import { exchanges } from '../operators/answers.js';
import { yields } from '../operators/behaviours.js';
import { choiceOf, chunks, final, heldBack, streamErrors } from '../operators/streams.js';

const usageOf = (tokens: number) => ({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  total_tokens: 2 * tokens,
});

export const CHAT_ENDINGS = defineMutants({
  'stream-session-id-null-after-an-error': final('session_id', (id, { finish }) => (finish === 'error' ? null : id)),
  'usage-not-reported': final('usage', null),
  // The chunk with the finish reason has the usage, the final one null.
  'usage-with-the-finish': chunks(() => {
    let held: Json = {};
    return (one, finish) => {
      if (choiceOf(one)?.finish_reason != null) held = one;
      if (finish === undefined || finish === 'tool_calls') return one;
      return choiceOf(one) === undefined
        ? [
            { ...held, usage: one.usage },
            { ...one, usage: null },
          ]
        : [];
    };
  }),
  // A run without usage reports that of the run before it in the session.
  'usage-of-the-session': () => {
    const last = new Map<unknown, unknown>();
    return final<unknown>('usage', (given, { finish, whole: { session_id } }) => {
      if (finish === 'tool_calls') return given;
      const usage = given ?? last.get(session_id) ?? null;
      last.set(session_id, usage);
      return usage;
    });
  },
  'usage-only-after-stop': final<unknown>('usage', (usage, { finish }) => (finish === 'error' ? null : usage)),
  'usage-adds-up': () => {
    const sums = new Map<unknown, number>();
    return final<{ readonly prompt_tokens: number } | null>('usage', (usage, { whole: { session_id } }) => {
      if (usage === null) return usage;
      const sum = (sums.get(session_id) ?? 0) + usage.prompt_tokens;
      sums.set(session_id, sum);
      return usageOf(sum);
    });
  },
  // Where none was reported usage counts nought.
  'usage-of-nothing': final<unknown>('usage', (usage, { finish }) =>
    finish === 'tool_calls' ? usage : (usage ?? usageOf(0)),
  ),
  'usage-after-tool-calls': final<unknown>('usage', (usage, { finish }) =>
    finish === 'tool_calls' ? usageOf(1) : usage,
  ),
  // The stream of an intern that is suspended ends as a whole reply does.
  'suspend-completes-streams': () => {
    const suspends = new Set<unknown>();
    return together(
      exchanges(({ operation, internId, request }, next) => {
        if (operation === 'suspend') suspends.add(internId);
        return next(request);
      }),
      chunks(({ internId }) => ({ error, ...one }) => {
        if (error === undefined || !suspends.has(internId)) return error === undefined ? one : { ...one, error };
        return { ...one, choices: [{ ...choiceOf(one), finish_reason: 'stop' }] };
      }),
    );
  },
  'error-code-of-its-own': streamErrors('run_ended', { code: 500 }),
  // A run that meets its deadline ends as severed.
  'error-reason-of-the-deadline': yields(
    () => (event) => ('end' in event && event.end === 'deadline' ? { end: 'severed' } : event),
  ),
  // A connection that breaks is reported as run_ended.
  'severed-is-run-ended': streamErrors('stream_severed', { code: 410, reason: 'run_ended' }),
  'severed-is-not-retryable': streamErrors('stream_severed', { retryable: false }),
  // A severed stream ends without final chunk and [DONE].
  'severed-has-no-ending': chunks(() => {
    let severed = false;
    return (chunk) => {
      const error = chunk.error as { metadata: { reason: string } } | undefined;
      severed ||= error?.metadata.reason === 'stream_severed';
      return severed && choiceOf(chunk) === undefined ? undefined : chunk;
    };
  }),
  'error-in-the-choice': chunks(
    () =>
      ({ error, ...chunk }) =>
        error === undefined ? chunk : { ...chunk, choices: [{ ...choiceOf(chunk), error }] },
  ),
  // The text before an error is not sent.
  'error-erases-what-was-said': heldBack(
    () => (chunk) => choiceOf(chunk)?.finish_reason === null && choiceOf(chunk)?.delta.role === undefined,
    (held, frame, chunk) => (chunk?.error === undefined ? held + frame : frame),
  ),
});
