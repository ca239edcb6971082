import { fail, gist, ok } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import { pieces, textBytes } from '../helpers/bytes.js';
import { onShared } from '../helpers/interns.js';
import { codeWord } from '../helpers/words.js';
import { internPath } from '../probe/request.js';

const asking = (text: string) => `${text}\n\nRepeat the text above exactly, and say nothing else.`;
const letters = (text: string) => [...text].sort().join('');
const solid = (text: string) => text.replace(/\s+/g, '');

/** The change of a text on its way through an intern that was to repeat it, where the way changed it and not the intern. */
function damage(said: string, prompt: string, text: string): string | undefined {
  const words = text.split(/\s+/);
  const heard = said.split(/\s+/).filter((word) => words.includes(word));
  if (heard.join(' ').includes(words.join(' '))) return undefined;
  if (solid(said).includes(solid(text))) return 'without the white space between words';
  const turned = [prompt, text].some((whole) => letters(solid(whole)) === letters(solid(said)));
  return turned ? 'all of its characters in another order' : undefined;
}

/** A text of words that nobody has said before. */
const textOf = (ctx: Ctx) => {
  const [one, two, three, four, five, six] = Array.from({ length: 6 }, () => codeWord(ctx));
  return `${one} ${two} é${three} €${four}\n${five} ${six}`;
};

/** CHAT-1 and CHAT-15: what an intern repeats shows what became of a text on both ways. */
export const REPEATED = checksOf('CHAT-15', {
  'chat-content/repeated': {
    requirement: 'CHAT-1',
    title: 'What an intern repeats arrives with its white space, its characters and its order.',
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
    title: 'Only the last message is read: an intern cannot repeat what stands before it.',
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
