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
  'prompt-cut': {
    description: 'A prompt that is too long is cut.',
    mutant: last((message) => {
      const text = TEXT(message.content);
      return text === undefined ? message : { ...message, content: [...text].slice(0, 32_000).join('') };
    }),
  },
  'prompt-may-be-empty': {
    description: 'An empty prompt is taken.',
    mutant: last((message) =>
      message.role === 'user' && message.content === '' ? { ...message, content: ' ' } : message,
    ),
  },
  'stream-is-always-true': {
    description: 'stream is not looked at.',
    mutant: bodies((body) => ({ ...body, stream: true })),
  },
  'last-message-of-the-user': {
    description: 'The last message of the user is read, whatever stands after it.',
    mutant: bodies((body) => {
      const at = body.messages.findLastIndex((message) => isObject(message) && message.role === 'user');
      const role = (body.messages.at(-1) as Message | null)?.role;
      return at < 0 || role === 'tool' ? body : { ...body, messages: body.messages.slice(0, at + 1) };
    }),
  },
  'chat-refuses-unknown-fields': {
    description: 'A chat request with an unknown field is refused.',
    mutant: refuseBody(
      'chat',
      (body) => isObject(body) && Object.keys(body).some((key) => !FIELDS.includes(key)),
      errorReply(400, 'Invalid request body', 'bad_request'),
    ),
  },
  'chat-takes-what-is-no-object': {
    description: 'A chat or invoke body that is not a JSON object is 422.',
    mutant: answerInstead(async ({ operation, request }) => {
      if ((operation !== 'chat' && operation !== 'invoke') || !request.headers.has('authorization')) return undefined;
      const text = await request.clone().text();
      return /^(\[\]|null|1|true|"text")$/.test(text) ? errorReply(422, 'Unprocessable', 'bad_request') : undefined;
    }),
  },
  'chat-mends-broken-json': {
    description: 'A chat or invoke body that is not JSON is 500.',
    mutant: errors({ of: ['chat', 'invoke'], status: 400, says: 'Invalid request body"' }, { status: 500 }),
  },
  'body-decoded-piece-by-piece': {
    description: 'A body that arrives in pieces is decoded piece by piece.',
    mutant: rewriteRequest(async (request, { operation }) => {
      if (operation !== 'chat' || !request.body) return request;
      let body = '';
      for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>)
        body += new TextDecoder().decode(piece);
      return withRequest(request, { body });
    }),
  },
});
