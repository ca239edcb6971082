import { DONE } from '../../../emulator/wire/chunks.js';
import { type Json, valueAt } from '../../../emulator/wire/json.js';
import { bodyOf } from '../../../emulator/wire/request.js';
import { holdsStreams } from '../../../test/targets/holding.js';
import { defineMutants } from '../mutant.js';
import { exchanges } from '../operators/answers.js';
import { settings } from '../operators/parts.js';
import { sends, sent } from '../operators/requests.js';
import { BEAT, choiceOf, chunk, chunks, final, frames, heldBack, saysSomething } from '../operators/streams.js';

const CONTENT = 'choices.[].delta.content';
const isContent = (one: Json | undefined): boolean => Boolean(valueAt(one, CONTENT));
const FINISH = 'choices.[].finish_reason';

/** Form and contents of streams, and keepalives (CHAT-1 to CHAT-3, CHAT-13). */
export const CHAT_STREAM = defineMutants({
  // A proxy holds the stream back until it has ended.
  'stream-held-back': exchanges(({ request }, next) => holdsStreams(next)(request)),
  'stream-without-done': frames(() => (frame) => (frame === DONE ? '' : frame)),
  'stream-without-final-chunk': chunks(() => (one) => (choiceOf(one) === undefined ? undefined : one)),
  'stream-session-id-with-the-choice': chunks(() => (one) => ({ session_id: 'early', ...one })),
  'stream-session-id-changes': final('session_id', (id) => `${id}x`),
  'stream-stops-at-length': chunk(FINISH, (finish) => (finish === 'stop' ? 'end_turn' : finish)),
  'stream-finishes-twice': chunks(() => (one) => (choiceOf(one)?.finish_reason ? [one, one] : one)),
  // A run without a word ends without a finish reason.
  'stream-silent-run-never-finishes': chunks(() => {
    let said = false;
    return (one) => {
      said ||= saysSomething(one);
      return choiceOf(one)?.finish_reason === 'stop' && !said ? undefined : one;
    };
  }),
  'stream-object-is-the-completions': chunk('object', 'chat.completion'),
  'stream-id-of-each-chunk': chunk('id', (id, { times }) => `${id}-${times(id)}`),
  'stream-created-in-milliseconds': chunk('created', (created) => Number(created) * 1_000),
  // The first chunk carries the role only.
  'stream-of-messages': chunk<{ readonly delta: Json }>('choices.[]', ({ delta, ...rest }) => {
    const { content, ...others } = delta;
    return content === undefined ? { ...rest, delta } : { ...rest, delta: others, message: { content } };
  }),
  'stream-begins-with-content': chunk<Json>('choices.[].delta', (delta) =>
    delta.role === undefined ? delta : { role: delta.role },
  ),
  'stream-model-of-the-request': exchanges(async (exchange, next) => {
    const asked = valueAt(await bodyOf(exchange.request), 'model');
    const changed = typeof asked === 'string' ? chunk('model', asked) : {};
    return (changed.around?.(next, exchange.emulator) ?? next)(exchange.request);
  }),
  // Thinking comes as content.
  'stream-reasoning-as-content': chunk<Json>('choices.[].delta', ({ reasoning, ...delta }) =>
    reasoning === undefined ? delta : { ...delta, content: reasoning },
  ),
  'stream-splits-lines': frames(() => (frame) => (frame.startsWith('data: {') ? frame.replaceAll('\\n', '\n') : frame)),
  'stream-loses-what-is-beyond-the-basic-plane': chunk(CONTENT, (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '')),
  'stream-ends-at-done-in-the-text': frames(() => {
    let isOver = false;
    return (frame) => {
      if (isOver) return '';
      isOver = frame.includes('[DONE]');
      return isOver ? DONE : frame;
    };
  }),
  'stream-says-all-again': chunks(() => {
    let said = '';
    return (one) => {
      if (!isContent(one)) return one;
      said += valueAt(one, CONTENT);
      return { ...one, choices: [{ ...choiceOf(one), delta: { ...choiceOf(one)?.delta, content: said } }] };
    };
  }),
  'stream-trims-pieces': chunk(CONTENT, (text) => text.trimEnd()),
  'stream-mends-surrogates': chunk(CONTENT, (text) => Buffer.from(text, 'utf8').toString('utf8')),
  'stream-loses-letters': chunk(CONTENT, (text) => text.replace(/[^\n -~]/g, '')),
  // Of a long reply what comes after 1,000 chunks is lost.
  'stream-loses-the-thousandth': chunks(() => {
    let count = 0;
    return (one) => (isContent(one) && ++count > 1_000 ? undefined : one);
  }),
  // The second and the third piece of content change places.
  'stream-out-of-order': heldBack(
    () => {
      let count = 0;
      return (one) => isContent(one) && ++count === 2;
    },
    (held, frame, one) => (isContent(one) ? frame + held : held + frame),
  ),
  // The prompt is made of all messages of the user.
  'chat-reads-all-messages': sent('chat', (body) => {
    const messages = Array.isArray(body.messages) ? (body.messages as Json[]) : [];
    const last = messages.at(-1);
    if (last?.role !== 'user' || typeof last.content !== 'string') return body;
    const texts = messages.filter(({ role, content }) => role === 'user' && typeof content === 'string');
    return { ...body, messages: [{ ...last, content: texts.map(({ content }) => content).join('\n') }] };
  }),
  // Of text parts only the first is read.
  'chat-keeps-the-first-part': sends<unknown>('chat', 'messages.-1.content', (content) =>
    Array.isArray(content) ? content.slice(0, 1) : content,
  ),
});

export const KEEPALIVE = defineMutants({
  'keepalive-every-15-seconds': settings({ keepalive: 15_000 }),
  'keepalive-every-minute': settings({ keepalive: 60_000 }),
  'keepalive-three-milliseconds-late': settings({ keepalive: 30_003 }),
  'keepalive-by-another-word': frames(() => (frame) => (frame === BEAT ? ': ping\n\n' : frame)),
  'keepalive-only-once': frames(() => {
    let beaten = false;
    return (frame) => {
      const again = beaten && frame === BEAT;
      beaten ||= frame === BEAT;
      return again ? '' : frame;
    };
  }),
});
