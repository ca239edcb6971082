import { Refusal } from '../../emulator/contract/errors.js';
import { parses, reads } from './change.js';
import { isObject } from './change-lifecycle.js';
import { choiceOf, chunks, deltas, texts } from './change-stream.js';
import { defineDeviations } from './deviation.js';

export const CHAT_CONTENT = defineDeviations([
  {
    name: 'stream-reasoning-as-content',
    requirement: 'CHAT-1',
    description: 'Thinking comes as content.',
    alters: deltas(({ reasoning, ...delta }) => (reasoning === undefined ? delta : { ...delta, content: reasoning })),
    caughtBy: ['chat-content/reasoning-apart', 'chat-answers/any-turn'],
  },
  {
    name: 'stream-reasoning-by-another-name',
    requirement: 'CHAT-1',
    description: 'Thinking comes as delta.reasoning_content.',
    alters: deltas(({ reasoning, ...delta }) =>
      reasoning === undefined ? delta : { ...delta, reasoning_content: reasoning },
    ),
    caughtBy: ['chat-content/reasoning-apart'],
  },
  {
    name: 'stream-splits-lines',
    requirement: 'CHAT-1',
    description: 'Line ends in content are sent as they are.',
    alters: texts(() => (text, stage) => (stage === 'event' ? text.replaceAll('\\n', '\n') : text)),
    caughtBy: ['chat-content/content-intact', 'chat-content/awkward-lines'],
  },
  {
    name: 'stream-ends-at-done-in-content',
    requirement: 'CHAT-1',
    description: 'Content that is [DONE] is dropped.',
    alters: chunks(() => (chunk) => (choiceOf(chunk)?.delta.content === '[DONE]' ? undefined : chunk)),
    caughtBy: ['chat-content/awkward-lines'],
  },
  {
    name: 'stream-drops-control-characters',
    requirement: 'CHAT-1',
    description: 'Control characters of content are left out.',
    alters: deltas((delta) =>
      typeof delta.content === 'string'
        ? { ...delta, content: [...delta.content].filter((unit) => unit >= ' ' || unit === '\n').join('') }
        : delta,
    ),
    caughtBy: ['chat-content/awkward-lines', 'chat-content/content-intact'],
  },
  {
    name: 'stream-trims-pieces',
    requirement: 'CHAT-1',
    description: 'White space at the end of a piece of content is lost.',
    alters: deltas((delta) =>
      typeof delta.content === 'string' ? { ...delta, content: delta.content.trimEnd() } : delta,
    ),
    caughtBy: ['chat-content/content-intact', 'chat-content/long', 'chat-stream/echo-is-the-prompt'],
  },
  {
    name: 'stream-mends-surrogates',
    requirement: 'CHAT-1',
    description: 'Halves of surrogate pairs become replacement characters.',
    alters: deltas((delta) =>
      typeof delta.content === 'string'
        ? { ...delta, content: Buffer.from(delta.content, 'utf8').toString('utf8') }
        : delta,
    ),
    caughtBy: ['chat-content/lone-surrogates'],
  },
  {
    name: 'stream-loses-the-thousandth',
    requirement: 'CHAT-2',
    description: 'Of a long reply what comes after 1,000 chunks is lost.',
    alters: chunks(() => {
      let count = 0;
      return (chunk) => {
        if (choiceOf(chunk)?.delta.content) count++;
        return count > 1_000 && choiceOf(chunk)?.delta.content ? undefined : chunk;
      };
    }),
    caughtBy: ['chat-content/long'],
  },
  {
    name: 'stream-out-of-order',
    requirement: 'CHAT-2',
    description: 'Two neighbouring pieces of content change places.',
    alters: texts(() => {
      let held = '';
      let done = false;
      return (text, stage) => {
        if (stage !== 'event' || done || !text.includes('"content"')) {
          const before = held;
          held = '';
          return before + text;
        }
        if (held === '') {
          held = text;
          return ': \n\n';
        }
        const before = held;
        held = '';
        done = true;
        return text + before;
      };
    }),
    caughtBy: ['chat-content/long', 'chat-content/content-intact'],
  },
  {
    name: 'chat-reads-all-messages',
    requirement: 'CHAT-15',
    description: 'The prompt is made of all messages of the user.',
    alters: reads('chat', (value) => {
      if (!isObject(value) || !Array.isArray(value.messages)) return value;
      const messages = value.messages as { role?: unknown; content?: unknown }[];
      const last = messages.at(-1);
      if (last?.role !== 'user' || typeof last.content !== 'string') return value;
      const earlier = messages
        .slice(0, -1)
        .filter(({ role, content }) => role === 'user' && typeof content === 'string');
      const content = [...earlier.map((one) => one.content), last.content].join('\n');
      return { ...value, messages: [{ ...last, content }] };
    }),
    caughtBy: ['chat-stream/only-last-message'],
  },
  {
    name: 'chat-keeps-the-first-part',
    requirement: 'CHAT-15',
    description: 'Of text parts only the first is read.',
    alters: reads('chat', (value) => {
      if (!isObject(value) || !Array.isArray(value.messages)) return value;
      const last = value.messages.at(-1) as { content?: unknown } | undefined;
      if (!last || !Array.isArray(last.content) || last.content.length < 2) return value;
      return { ...value, messages: [...value.messages.slice(0, -1), { ...last, content: last.content.slice(0, 1) }] };
    }),
    caughtBy: ['chat-stream/only-last-message', 'chat-requests/length-of-parts'],
  },
  {
    name: 'chat-judges-earlier-messages',
    requirement: 'CHAT-15',
    description: 'A request with an earlier message of an unknown form is refused.',
    alters: parses('chat', (parse, parts) => {
      const value = parts.json();
      if (isObject(value) && Array.isArray(value.messages))
        for (const message of value.messages.slice(0, -1))
          if (!isObject(message) || !['user', 'assistant', 'system', 'tool'].includes(String(message.role)))
            throw new Refusal('bad_request');
      return parse(parts);
    }),
    caughtBy: ['chat-stream/only-last-message'],
  },
]);
