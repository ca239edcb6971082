import { equal, fail, gist, ok } from '../model/assert.js';
import type { Transcript } from '../probe/chunks.js';
import type { SseComment } from '../probe/sse.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import type { ChatReply } from '../run/reply.js';
import { onRunning, runningOne } from './steps/interns.js';

const isBeat = ({ text }: SseComment) => text === 'keepalive';
const beats = (t: Transcript) => t.comments.filter(isBeat).length;

/** ms by which the way to the client may delay a keepalive. */
const ON_THE_WAY = 10_000;

/** The words and questions of the intern so far. */
const spoken = ({ content, reasoning, toolCalls }: Transcript) =>
  JSON.stringify([content, reasoning, toolCalls.length]);

/** ms of silence after which a comment may take the place of a keepalive, with some leeway for the network. */
const DUE = 29_000;

/** ms of silence before which no keepalive is due, however the network delays what came before. */
const EARLY = 20_000;

/**
 * A service may write comments of its own, and chunks without a word. After one that came early no keepalive is due.
 *
 * @param from the number of items before the silence
 */
export function nothingElse({ assume }: Pick<Ctx, 'assume'>, t: Transcript, from = Number.POSITIVE_INFINITY): void {
  const early = t.items.find((item, at) => {
    const before = t.items[at - 1];
    if (item.kind === 'comment' ? isBeat(item) : at < from) return false;
    return before !== undefined && item.at - before.at <= DUE;
  });
  const note = 'the target writes something of its own, so that no keepalive is due';
  const shown = early?.kind === 'comment' ? early.text.slice(0, 40) : undefined;
  assume(early === undefined, 'a stream to which nothing else is written', note, shown);
}

/** The stream of a run that fell silent carries a keepalive after every 30 seconds. */
async function silence(ctx: Ctx, reply: ChatReply, most: number): Promise<void> {
  const { transcript } = reply;
  const before = spoken(transcript);
  const from = transcript.items.length;
  for (let beat = 1; beat <= most; beat++) {
    if (beat === 1) {
      await ctx.wait(EARLY);
      await ctx.settle();
      const [first] = transcript.comments.filter(isBeat);
      if (first !== undefined)
        fail('a keepalive', 'after 30 s in which nothing else is written', gist('earlier', EARLY));
    }
    await ctx.wait(beat === 1 ? 31_000 - EARLY : 30_000);
    await ctx.settle();
    nothingElse(ctx, transcript, from);
    const silent = transcript.finish === undefined && spoken(transcript) === before;
    ctx.internDid(silent, { did: 'stay silent', said: transcript.content });
    await reply.promised(`keepalive ${beat} after ${beat * 30 + 1} s of silence`, (t) => beats(t) >= beat, ON_THE_WAY);
  }
  expect.grammar(transcript, 'S', 'CHAT-11');
  await reply.disconnect();
}

/** CHAT-11: a sign of life in silence. */
export const KEEPALIVE = checksOf('CHAT-11', {
  'chat/keepalive-in-silence': {
    title: 'A keepalive is written after 30 seconds of silence.',
    needs: ['running', 'behaviour:silent', 'slow:31s'],
    run: async (ctx) => silence(ctx, await (await runningOne(ctx)).held(ctx.prompt('silent')), 1),
  },
  'keepalive/after-30-seconds': {
    title: 'After 30 seconds of silence `: keepalive` is written, and again after every further 30.',
    needs: ['running', 'behaviour:silent', 'slow:61s'],
    run: async (ctx) => silence(ctx, await (await runningOne(ctx)).held(ctx.prompt('silent')), 2),
  },
  'keepalive/answered-in-silence': {
    title: 'A stream that goes on after an answer carries a keepalive after 30 seconds of silence.',
    needs: ['running', 'behaviour:ask-then-silent', 'slow:31s'],
    async run(ctx) {
      const intern = await runningOne(ctx);
      await silence(ctx, await intern.resumed(await intern.asked(ctx.prompt('ask-then-silent'))), 1);
    },
  },
  'keepalive/to-the-millisecond': {
    title: 'No keepalive at 29.999 s of silence, one by 30.001 s.',
    ...onRunning(['control', 'clock'], async (ctx, intern) => {
      const reply = await intern.held(await ctx.script([{ say: 'x' }, { wait: '300s' }]));
      await ctx.clock.advance(29_999);
      await ctx.settle();
      equal(beats(reply.transcript), 0, 'keepalives after 29.999 s');
      await ctx.clock.advance(2);
      await reply.promised('a keepalive after 30.001 s', (t) => beats(t) === 1);
      const lines = reply.raw().split(/\r\n|\r|\n/);
      ok(lines.includes(': keepalive'), 'lines of the stream', 'the very line `: keepalive`', lines.slice(-4));
      await ctx.clock.advance(29_998);
      await ctx.settle();
      equal(beats(reply.transcript), 1, 'keepalives 29.998 s later');
      await reply.disconnect();
    }),
  },
  'keepalive/before-first-word': {
    title: 'A stream that has said nothing yet carries keepalives too.',
    ...onRunning(['control', 'clock'], async (ctx, intern) => {
      const reply = await intern.chat(await ctx.script([{ wait: '45s' }, { say: 'late' }]));
      equal(reply.status, 200, 'status while the intern says nothing yet');
      await ctx.clock.advance(31_000);
      await reply.promised('a keepalive before the first word', (t) => beats(t) === 1);
      await ctx.clock.advance(14_000);
      const t = await reply.end();
      expect.finish(t, 'stop');
      equal(t.content, 'late', 'content');
      equal(beats(t), 1, 'keepalives in 45 s of silence');
    }),
  },
});
