import fc from 'fast-check';
import { fail, gist, ok } from '../model/assert.js';
import type { Answer } from '../probe/client.js';
import { internPath } from '../probe/request.js';
import { pieces, textBytes } from '../requests/operations.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { onShared } from './steps/interns.js';
import { codeWord } from './steps/words.js';

/** Fields of a chat body that this interface does not know. Their names differ from those it knows. */
const unknownFields = (): fc.Arbitrary<Record<string, unknown>> =>
  fc.dictionary(
    fc.oneof(
      fc.constantFrom(
        'temperature',
        'tools',
        'n',
        'max_tokens',
        'stream_options',
        'metadata',
        'user',
        'Session_id',
        'usage',
        'sessionId',
        'constructor',
      ),
      fc.stringMatching(/^x_[a-z]{1,8}$/),
    ),
    fc.jsonValue({ maxDepth: 2 }),
    { minKeys: 1, maxKeys: 5, noNullPrototype: true },
  );

const BAD = { status: 400, reason: 'bad_request', retryable: false } as const;

const chatPath = (id: string) => internPath(id, '/chat/completions');

/** Sends any body, unchanged. */
async function raw(ctx: Ctx, id: string, body: string): Promise<Answer> {
  const open = await ctx.open({
    method: 'POST',
    path: chatPath(id),
    body,
    headers: { 'content-type': 'application/json' },
  });
  // Reads a stream to its end: leaving it may keep the intern busy for half a minute.
  return open.whole();
}

const USER = { role: 'user', content: 'Hello.' };

type Over = Readonly<Record<string, unknown>>;

/** Sends prompts with the given changes to a valid one. */
async function prompts(ctx: Ctx): Promise<(over: Over) => Promise<Answer>> {
  const { id } = await ctx.interns.shared();
  return (over) => raw(ctx, id, JSON.stringify({ messages: [USER], stream: true, ...over }));
}

const asking = (text: string) => `${text}\n\nRepeat the text above exactly, and say nothing else.`;

const letters = (text: string) => [...text].sort().join('');

/** A text without characters beyond ASCII, and without question marks that may replace them. */
const ascii = (text: string) => text.replace(/[^ -~]|\?/g, '');

const solid = (text: string) => text.replace(/\s+/g, '');

/** The change of a text that an intern should repeat, if the way to or from it, and not the intern itself, changed it. */
function damage(said: string, prompt: string, text: string): string | undefined {
  const words = text.split(/\s+/);
  const heard = said.split(/\s+/).filter((word) => words.includes(word));
  const lines = said.replace(/\s+/g, ' ');
  if ([heard.join(' '), lines].some((one) => one.includes(words.join(' ')))) return undefined;
  if (solid(said).includes(solid(text))) return 'without the white space between words';
  const wholes = [prompt, text].map(solid);
  if (wholes.some((whole) => letters(whole) === letters(solid(said)))) return 'all of its characters in another order';
  const lost = [...text].filter((letter) => /[^ -~\s]/.test(letter));
  return lost.length > 0 &&
    !lost.some((letter) => said.includes(letter)) &&
    wholes.some((whole) => ascii(whole) === ascii(solid(said)))
    ? 'without its letters beyond ASCII'
    : undefined;
}

/** A text of new words. */
const textOf = (ctx: Ctx) => {
  const [one, two, three, four, five, six] = Array.from({ length: 6 }, () => codeWord(ctx));
  return `${one} ${two} é${three} €${four}\n${five} ${six}`;
};

/** CHAT-15: valid chat requests. The text that an intern repeats shows changes on both ways. */
export const CHAT_REQUESTS = checksOf('CHAT-15', {
  'chat-requests/length': {
    title: 'A prompt has 1 to 32000 code points, however many bytes or code units that is.',
    ...onShared([], async (ctx, intern) => {
      for (const unit of ctx.sample(['a', 'é', '€', '😀'])) {
        // Long replies cost: once with code points of one unit, once with those of two.
        const fits = unit === 'a' || unit === '😀' ? [1, 32_000] : [1];
        for (const length of fits) {
          expect.finish(await intern.talk(unit.repeat(length)), 'stop', `a prompt of ${length} times ${unit}`);
        }
        const over = await intern.unstreamed(unit.repeat(32_001));
        expect.error(over, BAD, `a prompt of 32001 times ${unit}`);
      }
      expect.error(await intern.unstreamed(''), BAD, 'an empty prompt');
    }),
  },
  'chat-requests/length-of-parts': {
    title: 'Text parts of a prompt count together.',
    needs: ['running'],
    async run(ctx) {
      const send = await prompts(ctx);
      const text = { type: 'text', text: 'x'.repeat(8_000) };
      const of = (length: number) => ({ messages: [{ role: 'user', content: Array.from({ length }, () => text) }] });
      expect.success(await send(of(3)), 'parts of 24000 characters');
      expect.error(await send(of(5)), BAD, 'parts of 40000 characters');
    },
  },
  'chat-requests/unknown-fields': {
    title: 'A prompt with fields that the interface does not know is taken.',
    maxRuns: 40,
    ...onShared([], async (ctx, intern) => {
      await ctx.property('fields', unknownFields(), async (extra) => {
        expect.finish(await intern.talk({ prompt: 'Hello.', extra }), 'stop');
      });
    }),
  },
  'chat-content/repeated': {
    requirement: 'CHAT-1',
    title: 'A repeated text arrives with its white space, its characters and its order.',
    ...onShared([], async (ctx, intern) => {
      const text = ctx.plain() ? textOf(ctx).replace(/[é€]/g, '') : textOf(ctx);
      const t = await intern.talk(asking(text));
      expect.grammar(t, 'S');
      expect.finish(t, 'stop', 'a prompt to repeat a text');
      const seen = damage(t.content, asking(text), text);
      if (seen !== undefined) fail('a text that the intern repeats', 'the text as it was sent', gist(seen, t.content));
      const whole = text.split(/\s+/).every((word) => t.content.includes(word));
      ctx.internDid(whole, { did: 'repeat what it was given', said: t.content });
    }),
  },
  'chat-content/repeated-oddly': {
    requirement: 'CHAT-1',
    title: 'A repeated text arrives with a letter beyond the basic plane, and goes on after [DONE].',
    ...onShared([], async (ctx, intern) => {
      const [one, two, three] = Array.from({ length: 3 }, () => codeWord(ctx));
      const letter = ctx.plain() ? '' : '\u{20BB7}';
      const text = `${one} data: [DONE] ${two}${letter} ${three}`;
      const t = await intern.talk(asking(text));
      expect.grammar(t, 'S');
      expect.finish(t, 'stop', 'a prompt to repeat a text');
      const seen = damage(t.content, asking(text), text);
      if (seen !== undefined) fail('a text that the intern repeats', 'the text as it was sent', gist(seen, t.content));
      ctx.internDid(t.content.includes(text), { did: 'repeat what it was given', said: t.content });
    }),
  },
  'chat-requests/cut-within-a-character': {
    title: 'A body that is cut within a character says the same: what the intern repeats has no replacement character.',
    ...onShared([], async (ctx, intern) => {
      const text = asking(`${codeWord(ctx)} ${'é'.repeat(20)} ${codeWord(ctx)}`);
      const json = JSON.stringify({ messages: [{ role: 'user', content: text }], stream: true });
      const body = pieces(textBytes(json), 7);
      const headers = { 'content-type': 'application/json' };
      const answer = await ctx.send({
        method: 'POST',
        path: internPath(intern.id, '/chat/completions'),
        body,
        headers,
      });
      expect.status(answer, 200, 'a prompt sent in pieces');
      ok(!/\ufffd|\\ufffd/i.test(answer.text), 'what the intern repeats', 'no replacement character', answer.text);
    }),
  },
  'chat-stream/earlier-messages-unread': {
    title: 'Only the last message is read: an intern cannot repeat an earlier one.',
    ...onShared([], async (ctx, intern) => {
      const [before, last] = [codeWord(ctx), codeWord(ctx)];
      const messages = [
        { role: 'user', content: `The first word is ${before}.` },
        { role: 'assistant', content: 'I see.' },
        {
          role: 'user',
          content: `Repeat every word that begins with q and that you were given. One of them is ${last}.`,
        },
      ];
      const t = await intern.talk({ messages });
      expect.finish(t, 'stop', 'a prompt with earlier messages');
      ok(!t.content.includes(before), 'what the intern repeats', 'nothing of earlier messages', t.content);
      ctx.internDid(t.content.includes(last), { did: 'repeat what it was given', said: t.content });
    }),
  },
});
