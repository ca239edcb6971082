import { Refusal } from '../../../emulator/contract/errors.js';
import { settings } from '../combinators/parts.js';
import { answers, errorReply, errors, type Reply } from '../combinators/replies.js';
import { refusesPrompts } from '../combinators/runs.js';
import { choiceOf, chunkOf, DONE, insteadOfStream, opensWithTheFirst } from '../combinators/streams.js';
import { defineDeviations } from '../mutant.js';

/** A stream that ends with an error at once. */
const UNREACHED: Reply = {
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: `data: {"id":"x","object":"chat.completion.chunk","created":0,"model":"x","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"error"}],"error":{"code":502,"message":"unreachable","metadata":{"reason":"intern_unreachable","retryable":true}}}\n\ndata: {"id":"x","object":"chat.completion.chunk","created":0,"model":"x","choices":[],"session_id":null,"usage":null}\n\n${DONE}`,
};

export const CHAT_NOT_TAKEN = defineDeviations({
  // An intern that does not run is 503.
  'not-ready-is-503': errors({ reason: 'intern_not_ready', status: 409 }, { status: 503 }),
  // A prompt to a suspended intern is answered as if it ran.
  'not-ready-wakes-it': refusesPrompts(
    ({ intern }) => intern.record.status === 'stopped',
    () => new Refusal('busy'),
  ),
  // An intern that cannot be reached opens a stream that ends with an error.
  'unreachable-reported-in-the-stream': answers({ of: 'chat', status: 502 }, UNREACHED),
  // intern_unreachable says that trying again does not help.
  'unreachable-for-good': errors({ reason: 'intern_unreachable', status: 502 }, { retryable: false }),
  // A run that says something and fails at once is 502.
  'accepted-only-when-it-did-not-fail': insteadOfStream(
    (written) => written.includes('"finish_reason":"error"'),
    errorReply(502, 'The turn failed', 'turn_failed'),
  ),
  // A stream does not open before the intern says something.
  'stream-opens-with-the-first-word': opensWithTheFirst(
    (frame) => (choiceOf(chunkOf(frame) ?? {})?.delta.content ?? '') !== '',
  ),
  // With eight runs waiting the next prompt is refused.
  'eight-may-wait': settings({ max_waiting_runs: 8 }),
});
