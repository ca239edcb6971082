import { bodyOf, isObject } from '../combinators/exchange.js';
import { exchanges } from '../combinators/replies.js';
import {
  choiceOf,
  rewriteChoices,
  rewriteChunks,
  rewriteDeltas,
  rewriteFinal,
  rewriteFrames,
} from '../combinators/streams.js';
import { defineDeviations } from '../mutant.js';

export const CHAT_STREAM = defineDeviations({
  // A proxy holds the stream back until it has ended.
  'stream-held-back': exchanges(async ({ request }, next) => {
    const response = await next(request);
    if (!/event-stream/.test(response.headers.get('content-type') ?? '')) return response;
    return new Response(await response.arrayBuffer(), { status: response.status, headers: response.headers });
  }),
  // A stream ends without [DONE].
  'stream-without-done': rewriteFrames(() => (text) => text.replace('data: [DONE]\n\n', '')),
  // No chunk with empty choices comes after the finish reason.
  'stream-without-final-chunk': rewriteFinal(() => undefined),
  'stream-session-id-with-the-choice': rewriteChunks(() => (chunk) => ({ session_id: 'early', ...chunk })),
  // The session_id of a continued session is another.
  'stream-session-id-changes': rewriteFinal((chunk) => ({ ...chunk, session_id: `${String(chunk.session_id)}x` })),
  // A run that stops says finish_reason `end_turn`.
  'stream-stops-at-length': rewriteChoices((choice) =>
    choice.finish_reason === 'stop' ? { ...choice, finish_reason: 'end_turn' } : choice,
  ),
  'stream-finishes-twice': rewriteChunks(() => (chunk) => (choiceOf(chunk)?.finish_reason ? [chunk, chunk] : chunk)),
  // A run without a word ends without a finish reason.
  'stream-silent-run-never-finishes': rewriteChunks(() => {
    let said = false;
    return (chunk) => {
      const choice = choiceOf(chunk);
      if (choice?.delta.content || choice?.delta.tool_calls || choice?.delta.reasoning) said = true;
      return choice?.finish_reason === 'stop' && !said ? undefined : chunk;
    };
  }),
  'stream-object-is-the-completions': rewriteChunks(() => (chunk) => ({ ...chunk, object: 'chat.completion' })),
  'stream-id-of-each-chunk': rewriteChunks(() => {
    let count = 0;
    return (chunk) => ({ ...chunk, id: `${String(chunk.id)}-${count++}` });
  }),
  'stream-created-in-milliseconds': rewriteChunks(() => (chunk) => ({
    ...chunk,
    created: Number(chunk.created) * 1_000,
  })),
  // The first chunk carries the role only.
  'stream-begins-with-content': rewriteDeltas((delta) => (delta.role === undefined ? delta : { role: delta.role })),
  'stream-model-of-the-request': exchanges(async (exchange, next, emulator) => {
    const body = await bodyOf(exchange.request);
    const model = isObject(body) ? body.model : undefined;
    const changed = rewriteChunks(() => (chunk) => (typeof model === 'string' ? { ...chunk, model } : chunk));
    return (changed.around?.(next, emulator) ?? next)(exchange.request);
  }),
});
