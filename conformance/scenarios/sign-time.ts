import { equal, ok } from '../model/assert.js';
import type { Answer } from '../probe/client.js';
import { DIGEST, JSON_TYPE, operation, textBytes } from '../requests/operations.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { onStopped } from './steps/interns.js';
import { proofOf } from './steps/proofs.js';

const OAUTH = { as: 'oauth_token' } as const;
const JSON_BODY = { bodySha256: DIGEST };
const TIMEOUT = {
  status: 408,
  message: /^Operation timed out after 10 ?s/,
  reason: 'timeout',
  retryable: true,
} as const;
const NAMES = ['sign', 'sign alias'];
/** ms by which an operation of 10 s is over, however long its answer is on the way. */
const IN_TIME = 15_000;

/** Follows a request while the clock moves. */
function followed(pending: Promise<Answer>): { done: () => boolean; answer: Promise<Answer> } {
  let over = false;
  const note = () => {
    over = true;
  };
  pending.then(note, note);
  return { done: () => over, answer: pending };
}

/** Signs with a body of which the rest comes when it is released: its second piece is a promise. */
function withLateBody(ctx: Ctx, id: string, name: string, timeout?: number) {
  const text = JSON.stringify(JSON_BODY);
  let release = () => {};
  const rest = new Promise<Uint8Array>((resolve) => {
    release = () => resolve(textBytes(text.slice(20)));
  });
  const body = [textBytes(text.slice(0, 20)), rest as unknown as Uint8Array];
  const more = timeout === undefined ? {} : { timeout };
  const path = operation(name).path(id);
  return { ...followed(ctx.send({ method: 'POST', path, body, headers: JSON_TYPE, ...OAUTH, ...more })), release };
}

/** Waits for what is due: `advance` answers once the emulator has settled, but the network may take longer. */
const arrive = async ({ settle }: Pick<Ctx, 'settle'>, done: () => boolean) => {
  for (let round = 0; round < 40 && !done(); round++) await settle();
};

/** Waits until what was sent has come to the service: where its clock moves before that, its time begins too late. */
const reach = async ({ settle }: Pick<Ctx, 'settle'>) => {
  for (let round = 0; round < 3; round++) await settle();
};

export const SIGN_TIME = checksOf('SIGN-9', {
  'sign/times-out-after-10s': {
    title:
      'Signing that takes longer than 10 seconds is 408 at 10 seconds, not before; one that takes less is answered.',
    ...onStopped(['control', 'clock', 'write', 'oauth_token'], async (ctx, intern) => {
      const { control, clock, send, settle } = ctx;
      for (const name of NAMES) {
        const one = { method: 'POST', path: operation(name).path(intern.id), json: JSON_BODY, ...OAUTH };
        await control.fault({ operation: 'sign', delay: 9_999 });
        const quick = followed(send(one));
        await settle();
        await clock.advance(9_999);
        expect.status(await quick.answer, 200, `${name} that takes 9.999 s`);

        await control.fault({ operation: 'sign', delay: '30s' });
        const slow = followed(send(one));
        await settle();
        await clock.advance(9_999);
        await settle();
        equal(slow.done(), false, `whether ${name} is answered after 9.999 s`);
        await clock.advance(1);
        await arrive(ctx, slow.done);
        equal(slow.done(), true, `whether ${name} is answered after 10 s`);
        expect.error(await slow.answer, TIMEOUT, `${name} that takes longer than 10 s`);
        await clock.advance(30_000);
        expect.status(await send(one), 200, `${name} after it`);
      }
    }),
  },
  'sign/timestamp-moves': {
    requirement: 'SIGN-5',
    title: 'The timestamp of a proof is that of its signing: two seconds later it is another.',
    ...onStopped(['oauth_token'], async (ctx, { id }) => {
      const stamp = async () =>
        Number(proofOf(ctx, await ctx.api.sign(id, JSON_BODY, OAUTH), false, 'the proof').timestamp);
      const first = await stamp();
      await ctx.wait(2_000);
      const later = (await stamp()) - first;
      ok(later >= 1, 'seconds between the timestamps of two proofs', 'two, or more', later);
    }),
  },
  'sign/body-in-time': {
    title:
      'Where a service reads bodies as they come, one that does not come is 408 after 10 seconds, by the alias too.',
    ...onStopped(['oauth_token', 'slow:33s'], async (ctx, { id }) => {
      const slow = NAMES.map((name) => withLateBody(ctx, id, name, 60_000));
      const done = () => slow.map((one) => one.done());
      try {
        await reach(ctx);
        await ctx.wait(IN_TIME);
        await arrive(ctx, () => done().every(Boolean));
        const inTime = done();
        if (!inTime.every(Boolean)) await ctx.wait(33_000 - IN_TIME);
        await ctx.settle();
        // A gateway before a service may keep a body until it is whole: then nothing is answered at all.
        const note = 'nothing is answered until the body is whole';
        ctx.assume(done().some(Boolean), 'a service that reads a body as it comes', note);
        equal(inTime, [true, true], `whether ${NAMES.join(' and ')} are answered after ${IN_TIME / 1_000} s`);
      } finally {
        for (const { release } of slow) release();
        await Promise.allSettled(slow.map(({ answer }) => answer));
      }
      for (const { answer } of slow) expect.error(await answer, TIMEOUT, 'signing whose body does not come');
    }),
  },
});
