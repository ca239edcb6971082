import { isObject } from '../combinators/exchange.js';
import { rewriteBody } from '../combinators/requests.js';
import { choiceOf, chunkOf, rewriteChunks, rewriteDeltas, rewriteFrames } from '../combinators/streams.js';
import { defineDeviations } from '../mutant.js';

export const CHAT_CONTENT = defineDeviations({
  // Thinking comes as content.
  'stream-reasoning-as-content': rewriteDeltas(({ reasoning, ...delta }) =>
    reasoning === undefined ? delta : { ...delta, content: reasoning },
  ),
  // Line ends in content are sent as they are.
  'stream-splits-lines': rewriteFrames(
    () => (frame) => (frame.startsWith('data: {') ? frame.replaceAll('\\n', '\n') : frame),
  ),
  // White space at the end of a piece of content is lost.
  'stream-trims-pieces': rewriteDeltas((delta) =>
    typeof delta.content === 'string' ? { ...delta, content: delta.content.trimEnd() } : delta,
  ),
  // Halves of surrogate pairs become replacement characters.
  'stream-mends-surrogates': rewriteDeltas((delta) =>
    typeof delta.content === 'string'
      ? { ...delta, content: Buffer.from(delta.content, 'utf8').toString('utf8') }
      : delta,
  ),
  // Of a long reply what comes after 1,000 chunks is lost.
  'stream-loses-the-thousandth': rewriteChunks(() => {
    let count = 0;
    return (chunk) => {
      if (choiceOf(chunk)?.delta.content) count++;
      return count > 1_000 && choiceOf(chunk)?.delta.content ? undefined : chunk;
    };
  }),
  // The second and the third piece of content change places.
  'stream-out-of-order': rewriteFrames(() => {
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
  // The prompt is made of all messages of the user.
  'chat-reads-all-messages': rewriteBody('chat', (value) => {
    if (!isObject(value) || !Array.isArray(value.messages)) return value;
    const messages = value.messages as { role?: unknown; content?: unknown }[];
    const last = messages.at(-1);
    if (last?.role !== 'user' || typeof last.content !== 'string') return value;
    const earlier = messages.slice(0, -1).filter(({ role, content }) => role === 'user' && typeof content === 'string');
    const content = [...earlier.map((one) => one.content), last.content].join('\n');
    return { ...value, messages: [{ ...last, content }] };
  }),
  // Of text parts only the first is read.
  'chat-keeps-the-first-part': rewriteBody('chat', (value) => {
    if (!isObject(value) || !Array.isArray(value.messages)) return value;
    const last = value.messages.at(-1) as { content?: unknown } | undefined;
    if (!last || !Array.isArray(last.content) || last.content.length < 2) return value;
    return { ...value, messages: [...value.messages.slice(0, -1), { ...last, content: last.content.slice(0, 1) }] };
  }),
});
