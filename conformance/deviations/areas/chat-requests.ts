import { isObject, type Json, withRequest } from '../combinators/exchange.js';
import { errorReply, errors } from '../combinators/replies.js';
import { answerInstead, refuseBody, rewriteBody, rewriteRequest } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

interface Message {
  role?: unknown;
  content?: unknown;
  [field: string]: unknown;
}
type Body = Json & { messages: Message[] };

/** Changes the body of a chat request that has messages. */
const bodies = (change: (body: Body) => Json) =>
  rewriteBody('chat', (value) => (isObject(value) && Array.isArray(value.messages) ? change(value as Body) : value));

/** Changes the last message of a chat request. */
const last = (change: (message: Message) => Message) =>
  bodies((body) => {
    const message: unknown = body.messages.at(-1);
    return isObject(message) ? { ...body, messages: [...body.messages.slice(0, -1), change(message)] } : body;
  });

const TEXT = (content: unknown): string | undefined => (typeof content === 'string' ? content : undefined);

const FIELDS = ['messages', 'stream', 'session_id', 'approval_mode', 'model'];

export const CHAT_REQUESTS = defineDeviations({
  // A prompt that is too long is cut.
  'prompt-cut': last((message) => {
    const text = TEXT(message.content);
    return text === undefined ? message : { ...message, content: [...text].slice(0, 32_000).join('') };
  }),
  'prompt-may-be-empty': last((message) =>
    message.role === 'user' && message.content === '' ? { ...message, content: ' ' } : message,
  ),
  // stream is not looked at.
  'stream-is-always-true': bodies((body) => ({ ...body, stream: true })),
  // The last message of the user is read, whatever stands after it.
  'last-message-of-the-user': bodies((body) => {
    const at = body.messages.findLastIndex((message) => isObject(message) && message.role === 'user');
    const role = (body.messages.at(-1) as Message | null)?.role;
    return at < 0 || role === 'tool' ? body : { ...body, messages: body.messages.slice(0, at + 1) };
  }),
  'chat-refuses-unknown-fields': refuseBody(
    'chat',
    (body) => isObject(body) && Object.keys(body).some((key) => !FIELDS.includes(key)),
    errorReply(400, 'Invalid request body', 'bad_request'),
  ),
  // A chat or invoke body that is not a JSON object is 422.
  'chat-takes-what-is-no-object': answerInstead(async ({ operation, request }) => {
    if ((operation !== 'chat' && operation !== 'invoke') || !request.headers.has('authorization')) return undefined;
    const text = await request.clone().text();
    return /^(\[\]|null|1|true|"text")$/.test(text) ? errorReply(422, 'Unprocessable', 'bad_request') : undefined;
  }),
  'chat-mends-broken-json': errors(
    { of: ['chat', 'invoke'], status: 400, says: 'Invalid request body"' },
    { status: 500 },
  ),
  // A body that arrives in pieces is decoded piece by piece.
  'body-decoded-piece-by-piece': rewriteRequest(async (request, { operation }) => {
    if (operation !== 'chat' || !request.body) return request;
    let body = '';
    for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>)
      body += new TextDecoder().decode(piece);
    return withRequest(request, { body });
  }),
});
