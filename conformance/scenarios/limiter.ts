import fc from 'fast-check';
import { equal, match, ok } from '../model/assert.js';
import { Finding } from '../model/finding.js';
import { operation, request } from '../requests/operations.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { LIMITED, onRunning, over, prompt, taken } from './steps/interns.js';

/** With at least so many seconds to wait, no turn becomes free between two requests. */
const A_WHILE = 3;
/** Requests at once of a caller who has to wait for less, and most attempts. At most one of them may be taken. */
const AT_ONCE = 3;
const TRIES = 5;

/** These operations are refused between two prompts that are over the limit. */
async function alsoLimited(ctx: Ctx, as: 'api_key' | 'oauth_token', names: readonly string[]): Promise<void> {
  const intern = await ctx.interns.shared();
  // The check spends turns itself only where they cost nothing.
  for (const said of ctx.sample(['One.', 'Two.'], 0)) await prompt(ctx, intern.id, as, said);
  ctx.assume(ctx.limited(), 'a turn over the limit', 'the run met none');
  if (!ctx.limited()) return;
  /** Seconds that a prompt has to wait: 0 if it was taken. That uses up the free turn. */
  const waits = async () => {
    const sent = ctx.elapsed();
    const { headers, status } = await prompt(ctx, intern.id, as);
    return { sent, seconds: status === 429 ? Number(headers.get('retry-after') ?? 0) : 0 };
  };
  let last = await waits();
  for (const name of names) {
    const of = `${name} of a caller over the limit of chat`;
    const send = { ...request(ctx, operation(name), intern.id, { as }), limited: true };
    let isSeen = false;
    let taken = 0;
    for (let tries = 0; tries < TRIES && !isSeen; tries++) {
      const { sent, seconds } = last;
      const many = seconds >= A_WHILE ? 1 : AT_ONCE;
      const answers = seconds === 0 ? [] : await ctx.race(many, () => ctx.send(send));
      const refused = answers.filter(({ status }) => status >= 300);
      for (const answer of refused) expect.error(answer, LIMITED, of);
      isSeen = refused.length > 0;
      if (isSeen) break;
      // `Retry-After` may be rounded up.
      const isOver = ctx.elapsed() < sent + Math.max(1, seconds - 1) * 1_000;
      last = await waits();
      const [answer] = answers;
      if (answer === undefined || !isOver || last.seconds === 0) continue;
      taken++;
      // So many turns may have become free at once, but not twice.
      if (taken < Math.min(many, 2)) continue;
      const wanted = { kind: 'effect', words: 'refused with 429, as the prompts before and after it were' } as const;
      throw new Finding({ wanted, got: expect.seen(answer), of, exchange: answer.exchange });
    }
    ctx.assume(isSeen, 'a caller who is over the limit for a moment');
  }
}

/** CHAT-17: the chat turn limiter. */
export const LIMITER = checksOf('CHAT-17', {
  'limiter/chat': {
    title: 'Prompts within the limit are taken. Those over it are 429 rate_limited and retryable.',
    maxRuns: 6,
    ...onRunning(['control'], async (ctx, intern) => {
      await ctx.property('turns a minute', fc.integer({ min: 1, max: 6 }), async (limit) => {
        await ctx.control.limit(0);
        await ctx.control.limit(limit);
        for (let turn = 1; turn <= limit; turn++) await taken(ctx, intern.id, `prompt ${turn} of ${limit} allowed`);
        await over(ctx, intern.id, `prompt ${limit + 1} of ${limit} allowed`);
      });
    }),
  },
  'limiter/signing-as-met': {
    requirement: 'SIGN-8',
    title: 'A caller over the limit of chat cannot sign either, if the run has met the limit.',
    needs: ['running', 'oauth_token'],
    run: (ctx) => alsoLimited(ctx, 'oauth_token', ['sign', 'sign alias']),
  },
  'limiter/invoke-as-met': {
    level: 'P',
    title: 'A caller over the limit of chat cannot invoke either, if the run has met the limit.',
    needs: ['running'],
    run: (ctx) => alsoLimited(ctx, 'api_key', ['invoke']),
  },
  'limiter/message-and-header': {
    level: 'P',
    title: 'The message starts with `Too many intern turns`, and Retry-After is 1 to 60 s. The same holds for invoke.',
    ...onRunning(['control'], async (ctx, intern) => {
      await ctx.control.limit(1);
      await taken(ctx, intern.id, 'the first prompt');
      const invoked = await ctx.api.invoke(intern.id, { input: 'Hello.' }, { limited: true });
      for (const [answer, what] of [
        [await prompt(ctx, intern.id), 'a prompt over the limit'],
        [invoked, 'an invoke over the limit'],
      ] as const) {
        expect.error(answer, { ...LIMITED, message: /^Too many intern turns/ }, what);
        match(answer.headers.get('retry-after'), /^[1-9]\d*$/, `Retry-After of ${what}`);
        ok(
          Number(answer.headers.get('retry-after')) <= 60,
          `Retry-After of ${what}`,
          'at most 60 s',
          answer.headers.get('retry-after'),
        );
      }
    }),
  },
  'sign/counts-as-a-turn': {
    requirement: 'SIGN-8',
    title: 'Signatures, also by the alias, and prompts count against one limit.',
    maxRuns: 6,
    ...onRunning(['control', 'oauth_token'], async (ctx, intern) => {
      const sign = (name: string) => ctx.send({ ...request(ctx, operation(name), intern.id), limited: true });
      await ctx.property('turns a minute', fc.integer({ min: 1, max: 5 }), async (limit) => {
        await ctx.control.limit(0);
        await ctx.control.limit(limit + 1);
        await taken(ctx, intern.id, 'a prompt within the limit', 'oauth_token');
        for (let turn = 1; turn <= limit; turn++)
          expect.status(await sign('sign'), 200, 'a signature within the limit');
        for (const name of ['sign', 'sign alias']) {
          const answer = await sign(name);
          expect.error(answer, { ...LIMITED, message: /^Too many intern turns/ }, `${name} over the limit`);
          match(answer.headers.get('retry-after'), /^[1-9]\d*$/, `Retry-After of ${name} over the limit`);
        }
        await over(ctx, intern.id, 'a prompt over the limit', 'oauth_token');
      });
    }),
  },
  'limiter/sliding': {
    level: 'C',
    title: 'Each turn counts for 60 seconds, to the millisecond. A refused one does not count.',
    maxRuns: 6,
    ...onRunning(['control', 'clock'], async (ctx, intern) => {
      await ctx.property('ms between two turns', fc.integer({ min: 1_000, max: 58_000 }), async (apart) => {
        await ctx.control.limit(0);
        await ctx.control.limit(2);
        await taken(ctx, intern.id, 'the first turn');
        await ctx.clock.advance(apart);
        await taken(ctx, intern.id, 'the second turn');
        await over(ctx, intern.id, 'the third at once');
        await ctx.clock.advance(60_000 - apart - 1);
        await over(ctx, intern.id, 'the third 59.999 s after the first');
        await ctx.clock.advance(2);
        await taken(ctx, intern.id, 'the third 60.001 s after the first');
        await over(ctx, intern.id, 'a fourth then, the second not being 60 s old');
        await ctx.clock.advance(apart - 2);
        await over(ctx, intern.id, 'a fourth 59.999 s after the second');
        await ctx.clock.advance(2);
        await taken(ctx, intern.id, 'a fourth 60.001 s after the second');
      });
    }),
  },
  'limiter/per-member': {
    level: 'C',
    title: 'API key and OAuth tokens of a person share a limit, on every intern; a peer and an own key have their own.',
    needs: ['running', 'control', 'peer_api_key', 'oauth_token', 'oauth_interns_only_token', 'own_key'],
    async run(ctx) {
      const own = await ctx.interns.own({ running: true });
      const other = await ctx.interns.running();
      await ctx.control.limit(1);
      await taken(ctx, own.id, 'the one turn of the API key');
      await over(ctx, other.id, 'a second one on another intern');
      await over(ctx, own.id, 'one of the OAuth token of the same person', 'oauth_token');
      await over(ctx, own.id, 'one of the interns-only token of the same person', 'oauth_interns_only_token');
      await taken(ctx, own.id, 'the one turn of a peer', 'peer_api_key');
      await over(ctx, own.id, 'a second one of the peer', 'peer_api_key');
      await taken(ctx, own.id, "the one turn of the intern's own key", own.key);
      await over(ctx, own.id, "a second one of the intern's own key", own.key);
    },
  },
  'limiter/changing-clears': {
    requirement: 'EMU-5',
    title: 'The limit can be read. Setting it, even to the same value, clears the count. 0 turns it off.',
    ...onRunning(['control'], async (ctx, intern) => {
      await ctx.control.limit(1);
      await taken(ctx, intern.id, 'the one turn');
      await over(ctx, intern.id, 'the second');
      await ctx.control.limit(2);
      const read = await ctx.control.call('GET', '/limits');
      equal(((await read.json()) as Record<string, unknown>).turns_per_minute, 2, 'turns_per_minute');
      await taken(ctx, intern.id, 'a first turn under a new limit');
      await taken(ctx, intern.id, 'a second turn under a new limit of two');
      await over(ctx, intern.id, 'a third turn');
      await ctx.control.limit(2);
      await taken(ctx, intern.id, 'a turn once the same limit is put again');
      await ctx.control.limit(0);
      for (let turn = 0; turn < 70; turn++) await taken(ctx, intern.id, 'a turn without a limit');
    }),
  },
});
