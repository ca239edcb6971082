import { Refusal } from '../../emulator/contract/errors.js';
import { errorAnswer, operationOf, parses, preempts, reads } from './change.js';
import { isObject, type Json } from './change-lifecycle.js';
import { defineDeviations } from './deviation.js';

interface Message {
  role?: unknown;
  content?: unknown;
  [field: string]: unknown;
}
type Body = Json & { messages: Message[] };

/** Changes the body of a chat request that has messages. */
const bodies = (change: (body: Body) => Json) =>
  reads('chat', (value) => (isObject(value) && Array.isArray(value.messages) ? change(value as Body) : value));

/** Changes the last message of a chat request. */
const last = (change: (message: Message) => Message) =>
  bodies((body) => {
    const message: unknown = body.messages.at(-1);
    return isObject(message) ? { ...body, messages: [...body.messages.slice(0, -1), change(message)] } : body;
  });

const TEXT = (content: unknown): string | undefined => (typeof content === 'string' ? content : undefined);

export const CHAT_REQUESTS = defineDeviations([
  {
    name: 'prompt-counted-in-code-units',
    requirement: 'CHAT-15',
    description: 'A prompt has at most 32000 UTF-16 code units.',
    alters: last((message) => ((TEXT(message.content)?.length ?? 0) > 32_000 ? { ...message, content: '' } : message)),
    caughtBy: ['chat-requests/length'],
  },
  {
    name: 'prompt-counted-in-bytes',
    requirement: 'CHAT-15',
    description: 'A prompt has at most 64000 bytes.',
    alters: last((message) =>
      Buffer.byteLength(TEXT(message.content) ?? '') > 64_000 ? { ...message, content: '' } : message,
    ),
    caughtBy: ['chat-requests/length'],
  },
  {
    name: 'prompt-cut',
    requirement: 'CHAT-15',
    description: 'A prompt that is too long is cut.',
    alters: last((message) => {
      const text = TEXT(message.content);
      return text === undefined ? message : { ...message, content: [...text].slice(0, 32_000).join('') };
    }),
    caughtBy: ['chat-requests/length', 'chat-steering/steered-is-checked'],
  },
  {
    name: 'prompt-may-be-empty',
    requirement: 'CHAT-15',
    description: 'An empty prompt is taken.',
    alters: last((message) =>
      message.role === 'user' && message.content === '' ? { ...message, content: ' ' } : message,
    ),
    caughtBy: ['chat-requests/length', 'chat-requests/content-forms', 'chat-steering/steered-is-checked'],
  },
  {
    name: 'prompt-parts-counted-apart',
    requirement: 'CHAT-15',
    description: 'Each text part may have 32000 code points.',
    alters: last((message) =>
      Array.isArray(message.content) && message.content.every((part) => isObject(part) && TEXT(part.text) !== undefined)
        ? {
            ...message,
            content: message.content
              .map((part: Json) => String(part.text))
              .join('')
              .slice(0, 32_000),
          }
        : message,
    ),
    caughtBy: ['chat-requests/length-of-parts'],
  },
  {
    name: 'stream-is-always-true',
    requirement: 'CHAT-15',
    description: 'stream is not looked at.',
    alters: bodies((body) => ({ ...body, stream: true })),
    caughtBy: ['chat-requests/stream-true', 'chat-unacceptable/body-before-state'],
  },
  {
    name: 'stream-true-when-missing',
    requirement: 'CHAT-15',
    description: 'A request without stream is streamed.',
    alters: bodies((body) => ({ stream: true, ...body })),
    caughtBy: ['chat-requests/stream-true'],
  },
  {
    name: 'stream-is-anything-true',
    requirement: 'CHAT-15',
    description: 'Any value of stream that is not false counts as true.',
    alters: bodies((body) => (body.stream ? { ...body, stream: true } : body)),
    caughtBy: ['chat-requests/stream-true'],
  },
  {
    name: 'messages-may-be-one',
    requirement: 'CHAT-15',
    description: 'A single message in place of the list is taken.',
    alters: reads('chat', (value) =>
      isObject(value) && isObject(value.messages) && 'role' in value.messages
        ? { ...value, messages: [value.messages] }
        : value,
    ),
    caughtBy: ['chat-requests/messages'],
  },
  {
    name: 'messages-may-be-none',
    requirement: 'CHAT-15',
    description: 'A request without messages says hello.',
    alters: reads('chat', (value) =>
      isObject(value) && Array.isArray(value.messages) && value.messages.length === 0
        ? { ...value, messages: [{ role: 'user', content: 'Hello.' }] }
        : value,
    ),
    caughtBy: ['chat-requests/messages'],
  },
  {
    name: 'last-message-of-the-user',
    requirement: 'CHAT-15',
    description: 'The last message of the user is read, whatever stands after it.',
    alters: bodies((body) => {
      const at = body.messages.findLastIndex((message) => isObject(message) && message.role === 'user');
      const role = (body.messages.at(-1) as Message | null)?.role;
      return at < 0 || role === 'tool' ? body : { ...body, messages: body.messages.slice(0, at + 1) };
    }),
    caughtBy: ['chat-requests/last-role'],
  },
  {
    name: 'roles-in-any-case',
    requirement: 'CHAT-15',
    description: 'The role of the last message is taken in any case.',
    alters: last((message) =>
      typeof message.role === 'string' ? { ...message, role: message.role.toLowerCase() } : message,
    ),
    caughtBy: ['chat-requests/last-role'],
  },
  {
    name: 'developers-are-users',
    requirement: 'CHAT-15',
    description: 'A last message of a developer starts a run.',
    alters: last((message) => (message.role === 'developer' ? { ...message, role: 'user' } : message)),
    caughtBy: ['chat-requests/last-role'],
  },
  {
    name: 'images-are-passed-over',
    requirement: 'CHAT-15',
    description: 'Parts that are no text are ignored.',
    alters: last((message) =>
      Array.isArray(message.content)
        ? { ...message, content: message.content.filter((part) => isObject(part) && part.type === 'text') }
        : message,
    ),
    caughtBy: ['chat-requests/content-forms'],
  },
  {
    name: 'content-of-any-type',
    requirement: 'CHAT-15',
    description: 'Content that is no text is taken as text.',
    alters: last((message) =>
      ['number', 'boolean'].includes(typeof message.content)
        ? { ...message, content: String(message.content) }
        : message,
    ),
    caughtBy: ['chat-requests/content-forms'],
  },
  {
    name: 'parts-may-be-plain',
    requirement: 'CHAT-15',
    description: 'Parts may be plain text.',
    alters: last((message) =>
      Array.isArray(message.content)
        ? {
            ...message,
            content: message.content.map((part: unknown) =>
              typeof part === 'string' ? { type: 'text', text: part } : part,
            ),
          }
        : message,
    ),
    caughtBy: ['chat-requests/content-forms'],
  },
  {
    name: 'chat-refuses-unknown-fields',
    requirement: 'CHAT-15',
    description: 'A chat request with an unknown field is refused.',
    alters: parses('chat', (parse, parts) => {
      const value = parts.json();
      if (
        isObject(value) &&
        Object.keys(value).some((key) => !['messages', 'stream', 'session_id', 'approval_mode', 'model'].includes(key))
      )
        throw new Refusal('bad_request');
      return parse(parts);
    }),
    caughtBy: ['chat-requests/unknown-fields'],
  },
  {
    name: 'chat-heeds-the-openai-user',
    requirement: 'CHAT-15',
    description: 'Field names are taken in any case.',
    alters: reads('chat', (value) =>
      isObject(value)
        ? Object.fromEntries(
            Object.entries(value).map(([key, inner]) => [key === 'Session_id' ? 'session_id' : key, inner]),
          )
        : value,
    ),
    caughtBy: ['chat-requests/unknown-fields'],
  },
  {
    name: 'chat-takes-what-is-no-object',
    requirement: 'BODY-4',
    description: 'A chat or invoke body that is no JSON object is 422.',
    alters: preempts(async (request, resource) => {
      const operation = operationOf(resource, request.method);
      if ((operation !== 'chat' && operation !== 'invoke') || !request.headers.has('authorization')) return undefined;
      const text = await request.clone().text();
      return /^(\[\]|null|1|true|"text")$/.test(text) ? errorAnswer(422, 'Unprocessable', 'bad_request') : undefined;
    }),
    caughtBy: ['chat-requests/no-object', 'bodies/chat-and-invoke-reason'],
  },
  {
    name: 'chat-mends-broken-json',
    requirement: 'BASE-5',
    description: 'A chat body whose last bracket is missing, or that has one too many, is read all the same.',
    alters: parses(['chat', 'invoke'], (parse, parts) => {
      try {
        parts.json();
        return parse(parts);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        throw new Refusal('internal_error');
      }
    }),
    caughtBy: ['chat-requests/malformed', 'base/malformed-json-is-400', 'bodies/chat-and-invoke-reason'],
  },
  {
    name: 'body-decoded-piece-by-piece',
    requirement: 'CHAT-15',
    description: 'A body that arrives in pieces is decoded piece by piece.',
    alters: {
      pipeline: (serve) => async (request, resource, framed) => {
        if (operationOf(resource, request.method) !== 'chat' || !request.body) return serve(request, resource, framed);
        let text = '';
        for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>)
          text += new TextDecoder().decode(piece);
        return serve(new Request(request.url, { ...whole(request), body: text }), resource, framed);
      },
    },
    caughtBy: ['chat-requests/cut-anywhere'],
  },
]);

const whole = (request: Request) => ({ method: request.method, headers: request.headers, signal: request.signal });
