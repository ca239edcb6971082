import { errorEnvelope } from '../../../emulator/contract/errors.js';
import { isRecord, type Json } from '../../../emulator/wire/json.js';
import { withRequest } from '../../../emulator/wire/request.js';
import { defineMutants, type Mutation } from '../mutant.js';
import { answers, errorReply, errors, field, refused, status, withoutHeader } from '../operators/answers.js';
import { behaviours } from '../operators/behaviours.js';
import { by, isOf } from '../operators/exchange.js';
import { settings, wrap } from '../operators/parts.js';
import { asked, instead, refuseFields, sends, sent, sentPrompts, texts } from '../operators/requests.js';
import { busy, refusesPrompts, runOf, streamingIn } from '../operators/runs.js';
import { cannedReply, choiceOf, insteadOfStream, opensWith } from '../operators/streams.js';

/** Changes what a steered prompt leaves in the run. */
const steering = (change: (text: string) => string): Mutation =>
  behaviours((behaviour) => ({ ...behaviour, steered: (said) => change(`(steered: ${said})`) }));

/** Sessions, the lock of an intern, and prompts that are not taken (CHAT-9, CHAT-12, CHAT-14 to CHAT-16). */
export const CHAT_SESSIONS = defineMutants({
  'not-ready-is-503': errors({ reason: 'intern_not_ready', status: 409 }, { status: 503 }),
  // A prompt to a suspended intern is answered as if it ran.
  'not-ready-wakes-it': refusesPrompts(({ intern }) => intern.record.status === 'stopped'),
  // An intern that cannot be reached opens a stream that ends with an error.
  'unreachable-reported-in-the-stream': answers(
    { of: 'chat', status: 502 },
    cannedReply('', 'error', { ...errorEnvelope(502, 'unreachable', 'intern_unreachable', true) }),
  ),
  'unreachable-for-good': errors({ reason: 'intern_unreachable', status: 502 }, { retryable: false }),
  // A run that says something and fails at once is 502.
  'accepted-only-when-it-did-not-fail': insteadOfStream(
    (written) => written.includes('"finish_reason":"error"'),
    refused('turn_failed'),
  ),
  'stream-opens-with-the-first-word': opensWith((chunk) => Boolean(choiceOf(chunk)?.delta.content)),
  'eight-may-wait': settings({ max_waiting_runs: 8 }),
  // Prompts without session_id go on in the last session of the intern.
  'session-of-the-intern': sentPrompts((body) => ({ session_id: 'the-session', ...body })),
  // An unseen session_id is 404.
  'session-has-to-be-known': refusesPrompts(
    ({ sessionId }, own) => sessionId !== undefined && runOf(own, sessionId) === undefined,
    'session_not_found',
  ),
  'session-id-of-128-at-most': texts('chat', 'session_id', (id) => (id.length > 128 ? '' : id)),
  'steered-prompt-is-busy': refusesPrompts(({ sessionId }, own) => runOf(own, sessionId, true)?.status === 'running'),
  'steered-prompt-is-200': status('chat', 202, 200),
  'steered-prompt-is-started': field('chat', 'status', 'started'),
  'steered-text-lost': steering(() => ''),
  'waiting-run-is-not-steered': refusesPrompts(
    ({ sessionId }, own) => runOf(own, sessionId, true)?.status === 'waiting',
  ),
  'ended-session-is-closed': refusesPrompts(({ sessionId }, own) => runOf(own, sessionId)?.ended === 'cancelled'),
  'invoke-session-is-not-for-chat': refusesPrompts(
    ({ sessionId }, own) => own.some((run) => run.session_id === sessionId && run.origin === 'invoke'),
    'session_not_found',
  ),
  // A prompt to an intern that is busy is answered by another of its kind.
  'lock-not-there': answers({ of: 'chat', reason: 'busy', status: 409 }, cannedReply('Hm.')),
  'lock-of-all-interns': refusesPrompts(({ intern }, _, runs) =>
    streamingIn(runs.list()).some((run) => run.intern_id !== intern.id),
  ),
  // A run that waits on a question keeps the lock.
  'lock-kept-while-waiting': refusesPrompts(({ sessionId }, own) => {
    const waiting = own.find((run) => run.status === 'waiting');
    return waiting !== undefined && waiting.session_id !== sessionId;
  }),
  'lock-held-by-invoke': refusesPrompts((_, own) =>
    own.some((run) => run.origin === 'invoke' && run.status === 'running'),
  ),
  // While a chat run streams invoke is 409 busy.
  'lock-keeps-invoke-out': wrap({
    createRuns: (usual) => ({
      async invoke(request) {
        if (streamingIn(usual.list(request.intern.id)).length > 0) throw busy();
        return usual.invoke(request);
      },
    }),
  }),
  'lock-kept-after-a-cancellation': refusesPrompts(
    (_, own) => own.find((run) => run.origin === 'chat')?.ended === 'cancelled',
  ),
  'busy-for-good': errors({ reason: 'busy', status: 409 }, { retryable: false }),
  'busy-is-423': errors({ reason: 'busy', status: 409 }, { status: 423 }),
  'busy-does-not-say-until-when': withoutHeader('retry-after', { status: 409 }),
});

/** The bodies of chat requests (CHAT-1, BODY-3). */
export const CHAT_REQUESTS = defineMutants({
  'prompt-cut': texts('chat', 'messages.-1.content', (text) => [...text].slice(0, 32_000).join('')),
  'prompt-may-be-empty': sends('chat', 'messages.-1.content', (text, { parent }) =>
    parent.role === 'user' && text === '' ? ' ' : text,
  ),
  'stream-is-always-true': sent('chat', (body) => (Array.isArray(body.messages) ? { ...body, stream: true } : body)),
  // The last message of the user is read, whatever stands after it.
  'last-message-of-the-user': sends<unknown>('chat', 'messages', (messages) => {
    if (!Array.isArray(messages)) return messages;
    const at = messages.findLastIndex((message) => isRecord(message) && message.role === 'user');
    return at < 0 || (messages.at(-1) as Json | null)?.role === 'tool' ? messages : messages.slice(0, at + 1);
  }),
  'chat-refuses-unknown-fields': refuseFields(
    'chat',
    ['messages', 'stream', 'session_id', 'approval_mode', 'model'],
    refused('bad_request'),
  ),
  // A chat or invoke body that is not a JSON object is 422.
  'chat-takes-what-is-no-object': instead(
    async (exchange) =>
      isOf(['chat', 'invoke'], exchange) &&
      !isOf(by('nobody'), exchange) &&
      /^(\[\]|null|1|true|"text")$/.test(await exchange.request.clone().text()),
    errorReply(422, 'Unprocessable', 'bad_request'),
  ),
  'chat-mends-broken-json': errors(
    { of: ['chat', 'invoke'], status: 400, says: 'Invalid request body"' },
    { status: 500 },
  ),
  // A body that arrives in pieces is decoded piece by piece.
  'body-decoded-piece-by-piece': asked('chat', async (request) => {
    if (!request.body) return request;
    let body = '';
    for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>)
      body += new TextDecoder().decode(piece);
    return withRequest(request, { body });
  }),
});
