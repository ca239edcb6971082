import { isObject } from '../combinators/exchange.js';
import { rewriteBody } from '../combinators/requests.js';
import { choiceOf, chunkOf, rewriteChunks, rewriteDeltas, rewriteFrames } from '../combinators/streams.js';
import { defineDeviations } from '../mutant.js';

export const CHAT_CONTENT = defineDeviations({
  'stream-reasoning-as-content': {
    description: 'Thinking comes as content.',
    mutant: rewriteDeltas(({ reasoning, ...delta }) =>
      reasoning === undefined ? delta : { ...delta, content: reasoning },
    ),
  },
  'stream-splits-lines': {
    description: 'Line ends in content are sent as they are.',
    mutant: rewriteFrames(() => (frame) => (frame.startsWith('data: {') ? frame.replaceAll('\\n', '\n') : frame)),
  },
  'stream-trims-pieces': {
    description: 'White space at the end of a piece of content is lost.',
    mutant: rewriteDeltas((delta) =>
      typeof delta.content === 'string' ? { ...delta, content: delta.content.trimEnd() } : delta,
    ),
  },
  'stream-mends-surrogates': {
    description: 'Halves of surrogate pairs become replacement characters.',
    mutant: rewriteDeltas((delta) =>
      typeof delta.content === 'string'
        ? { ...delta, content: Buffer.from(delta.content, 'utf8').toString('utf8') }
        : delta,
    ),
  },
  'stream-loses-the-thousandth': {
    description: 'Of a long reply what comes after 1,000 chunks is lost.',
    mutant: rewriteChunks(() => {
      let count = 0;
      return (chunk) => {
        if (choiceOf(chunk)?.delta.content) count++;
        return count > 1_000 && choiceOf(chunk)?.delta.content ? undefined : chunk;
      };
    }),
  },
  'stream-out-of-order': {
    description: 'The second and the third piece of content change places.',
    mutant: rewriteFrames(() => {
      let count = 0;
      let held = '';
      return (frame) => {
        const isContent = Boolean(choiceOf(chunkOf(frame) ?? {})?.delta.content);
        if (isContent && ++count === 2) {
          held = frame;
          return ': \n\n';
        }
        const before = held;
        held = '';
        return isContent ? frame + before : before + frame;
      };
    }),
  },
  'chat-reads-all-messages': {
    description: 'The prompt is made of all messages of the user.',
    mutant: rewriteBody('chat', (value) => {
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
  },
  'chat-keeps-the-first-part': {
    description: 'Of text parts only the first is read.',
    mutant: rewriteBody('chat', (value) => {
      if (!isObject(value) || !Array.isArray(value.messages)) return value;
      const last = value.messages.at(-1) as { content?: unknown } | undefined;
      if (!last || !Array.isArray(last.content) || last.content.length < 2) return value;
      return { ...value, messages: [...value.messages.slice(0, -1), { ...last, content: last.content.slice(0, 1) }] };
    }),
  },
});
