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
  'stream-held-back': {
    description: 'A proxy holds the stream back until it has ended.',
    mutant: exchanges(async ({ request }, next) => {
      const response = await next(request);
      if (!/event-stream/.test(response.headers.get('content-type') ?? '')) return response;
      return new Response(await response.arrayBuffer(), { status: response.status, headers: response.headers });
    }),
  },
  'stream-without-done': {
    description: 'A stream ends without [DONE].',
    mutant: rewriteFrames(() => (text) => text.replace('data: [DONE]\n\n', '')),
  },
  'stream-without-final-chunk': {
    description: 'No chunk with empty choices comes after the finish reason.',
    mutant: rewriteFinal(() => undefined),
  },
  'stream-session-id-with-the-choice': {
    description: 'Every chunk carries session_id.',
    mutant: rewriteChunks(() => (chunk) => ({ session_id: 'early', ...chunk })),
  },
  'stream-session-id-changes': {
    description: 'The session_id of a continued session is another.',
    mutant: rewriteFinal((chunk) => ({ ...chunk, session_id: `${String(chunk.session_id)}x` })),
  },
  'stream-stops-at-length': {
    description: 'A run that stops says finish_reason `end_turn`.',
    mutant: rewriteChoices((choice) =>
      choice.finish_reason === 'stop' ? { ...choice, finish_reason: 'end_turn' } : choice,
    ),
  },
  'stream-finishes-twice': {
    description: 'The finish reason comes twice.',
    mutant: rewriteChunks(() => (chunk) => (choiceOf(chunk)?.finish_reason ? [chunk, chunk] : chunk)),
  },
  'stream-silent-run-never-finishes': {
    description: 'A run without a word ends without a finish reason.',
    mutant: rewriteChunks(() => {
      let said = false;
      return (chunk) => {
        const choice = choiceOf(chunk);
        if (choice?.delta.content || choice?.delta.tool_calls || choice?.delta.reasoning) said = true;
        return choice?.finish_reason === 'stop' && !said ? undefined : chunk;
      };
    }),
  },
  'stream-object-is-the-completions': {
    description: 'object is `chat.completion`.',
    mutant: rewriteChunks(() => (chunk) => ({ ...chunk, object: 'chat.completion' })),
  },
  'stream-id-of-each-chunk': {
    description: 'Every chunk has an id of its own.',
    mutant: rewriteChunks(() => {
      let count = 0;
      return (chunk) => ({ ...chunk, id: `${String(chunk.id)}-${count++}` });
    }),
  },
  'stream-created-in-milliseconds': {
    description: 'created counts milliseconds.',
    mutant: rewriteChunks(() => (chunk) => ({ ...chunk, created: Number(chunk.created) * 1_000 })),
  },
  'stream-begins-with-content': {
    description: 'The first chunk carries the role only.',
    mutant: rewriteDeltas((delta) => (delta.role === undefined ? delta : { role: delta.role })),
  },
  'stream-model-of-the-request': {
    description: 'Chunks carry the model of the request.',
    mutant: exchanges(async (exchange, next, emulator) => {
      const body = await bodyOf(exchange.request);
      const model = isObject(body) ? body.model : undefined;
      const changed = rewriteChunks(() => (chunk) => (typeof model === 'string' ? { ...chunk, model } : chunk));
      return (changed.around?.(next, emulator) ?? next)(exchange.request);
    }),
  },
});
