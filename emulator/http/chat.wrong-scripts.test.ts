import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Behaviour } from '../scripts/behaviour.js';
import { createHarness, listen } from './chat.harness.js';

/** A harness with one behaviour, as code without types may have it. */
const wrong = (turn: unknown, more: object = {}) =>
  createHarness({ scripts: [{ name: 'wrong', turn, ...more } as Behaviour] });

interface Clocked {
  readonly clock: { sleep(ms: unknown): Promise<void> };
}

const unhandled: unknown[] = [];
const note = (error: unknown) => void unhandled.push(error);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(() => {
  process.off('unhandledRejection', note);
});

describe('a script that is wrong', () => {
  test.each<[string, unknown, RegExp]>([
    ['a promise', async () => {}, /turn returned a promise: expected an async generator/],
    [
      'a promise that rejects',
      async () => {
        throw new Error('kaput');
      },
      /turn returned a promise/,
    ],
    [
      'a generator that is not async',
      function* () {
        yield { say: 'a' };
      },
      /expected an async generator/,
    ],
    ['nothing', () => undefined, /turn returned undefined/],
    ['null', () => null, /turn returned null/],
  ])('returns %s: the turn fails at once, and says why', async (_, turn, message) => {
    const h = wrong(turn);
    expect(await h.refused(h.prompt('script: wrong'))).toMatchObject({ status: 502, reason: 'turn_failed' });
    expect(h.log).toMatchObject([{ event: 'script_failed', script: 'wrong' }]);
    expect(h.log[0]?.message).toMatch(message);
    expect(h.runs.list()[0]).toMatchObject({ status: 'ended', ended: 'failed' });
    await h.settle();
    expect(unhandled).toEqual([]);
  });

  test.each<[unknown, RegExp]>([
    [42, /yielded 42: expected an object/],
    [null, /yielded null: expected an object/],
    [undefined, /yielded undefined: expected an object/],
    [{ shout: 'b' }, /\{"shout":"b"\}: expected say/],
    [{ say: {} }, /say: object, expected a string/],
    [{ say: ['b', 5] }, /say: number, expected a string/],
    [{ reason: 5 }, /reason: number/],
    [{ model: null }, /model: object/],
    [{ ask: 42 }, /ask: /],
    [{ ask: null }, /ask: /],
    [{ ask: { kind: 'elicitation', message: '?' } }, /ask\.fields: /],
    [{ ask: { kind: 'permission', operation: 'shell', options: ['maybe'] } }, /ask\.options\.0: /],
    [{ usage: undefined }, /usage: /],
    [{ usage: { prompt_tokens: 1n } }, /usage\.prompt_tokens: /],
    [{ usage: { prompt_tokens: 1, completion_tokens: Number.NaN, total_tokens: 1 } }, /usage\.completion_tokens: /],
    [{ end: 'soon' }, /ended with soon/],
    [{ end: 'failed', message: 5 }, /message: number/],
  ])('yields %o: the run fails, and the stream ends as any that failed', async (event, message) => {
    const h = wrong(async function* () {
      yield { say: 'a' };
      yield event;
    });
    const said = await (await h.say('wrong')).end();
    expect(said).toMatchObject({ finish: 'error', error: { metadata: { reason: 'turn_failed' } }, done: true });
    expect(h.log).toMatchObject([{ event: 'script_failed', script: 'wrong', step: 'event 2' }]);
    expect(h.log[0]?.message).toMatch(message);
  });

  test.each([Number.NaN, '5s', undefined])('sleeps %o: fails instead of waiting for ever', async (ms) => {
    const h = wrong(async function* (_turn: unknown, { clock }: Clocked) {
      yield { say: 'a' };
      await clock.sleep(ms);
    });
    expect((await (await h.say('wrong')).end()).error?.metadata.reason).toBe('turn_failed');
    expect(h.log[0]?.message).toMatch(/expected a number of milliseconds/);
  });

  test('throws a value without a text: it is logged all the same', async () => {
    const h = wrong(async function* () {
      yield { say: 'a' };
      throw Object.create(null);
    });
    expect((await (await h.say('wrong')).end()).error?.metadata.reason).toBe('turn_failed');
    expect(h.log).toMatchObject([{ event: 'script_failed', script: 'wrong' }]);
    expect(unhandled).toEqual([]);
  });

  test.each<[string, (text: string) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('kaput');
      },
    ],
    ['says no text', () => 42],
  ])('%s when it is steered: the run fails, and its steerer gets nothing else', async (_, steered) => {
    const h = wrong(
      async function* (_turn: unknown, { clock }: Clocked) {
        yield { say: 'a' };
        await clock.sleep(1_000);
      },
      { steered },
    );
    const stream = await h.say('wrong', { session_id: 's' });
    expect((await h.prompt('go on', { session_id: 's' })).status).toBe(202);
    expect((await stream.end()).error?.metadata.reason).toBe('turn_failed');
    expect(h.log).toMatchObject([{ event: 'script_failed', script: 'wrong' }]);
  });
});

test('a sleep that nobody awaits is no unhandled rejection when the run ends', async () => {
  const h = wrong(async function* (_turn: unknown, { clock }: Clocked) {
    const alarm = clock.sleep(5_000);
    yield { say: 'a' };
    yield { end: 'stop' };
    await alarm;
  });
  expect((await (await h.say('wrong')).end()).finish).toBe('stop');
  await h.settle();
  expect(unhandled).toEqual([]);
});

test('more in one yield than a run holds is taken piece by piece by who reads, and ends as severed where nobody does', async () => {
  const h = wrong(async function* () {
    yield { say: Array.from({ length: 1_400 }, () => 'x'.repeat(3_200)) };
  });
  const said = await listen(await h.prompt('script: wrong')).end();
  expect(said).toMatchObject({ finish: 'stop', done: true });
  expect(said.content).toHaveLength(4_480_000);
  const unread = await h.prompt('script: wrong');
  await expect.poll(() => h.runs.list()[0]?.ended).toBe('severed');
  expect((await listen(unread).end()).error?.metadata.reason).toBe('stream_severed');
});

describe('a script that never lets go', () => {
  test('catches every rejected sleep and sleeps again: the run ends, and others have their turn', async () => {
    const h = wrong(async function* (_turn: unknown, { clock }: Clocked) {
      yield { say: 'a' };
      for (;;) await clock.sleep(1_000).catch(() => {});
    });
    const stream = await h.say('wrong');
    await h.settle();
    await stream.cancel();
    await h.settle();
    expect(h.runs.list()[0]?.ended).toBe('cancelled');
    expect((await h.prompt('the lock is free')).status).toBe(200);
  });

  test('sleeps for no time again and again: others have their turn', async () => {
    let enough = false;
    const h = wrong(async function* (_turn: unknown, { clock }: Clocked) {
      yield { say: 'a' };
      while (!enough) await clock.sleep(0);
      yield { say: 'b' };
    });
    const stream = await h.say('wrong');
    setImmediate(() => {
      enough = true;
    });
    expect((await stream.end()).content).toBe('ab');
  });
});
