import { describe, expect, test } from 'vitest';
import type { Behaviour } from '../scripts/behaviour.js';
import { bytesOfWritten } from '../sse/stream.js';
import { createHarness, type Harness, listen } from './chat.harness.js';

/** Says a word a second; notes how it was left. */
function talker() {
  const notes: string[] = [];
  const behaviour: Behaviour = {
    name: 'talker',
    async *turn(_turn, { clock, signal }) {
      signal.addEventListener('abort', () => notes.push('aborted'));
      try {
        for (let i = 0; i < 5; i++) {
          yield { say: `${i} ` };
          await clock.sleep(1_000);
        }
        notes.push('finished');
      } finally {
        notes.push('finally');
      }
    },
  };
  return { behaviour, notes };
}

describe('a client that disconnects', () => {
  test('is noticed through the signal of its request as well, also before the stream opens', async () => {
    const { behaviour, notes } = talker();
    const h = createHarness({ scripts: [behaviour] });
    const gone = new AbortController();
    const stream = await h.say('talker', {}, { signal: gone.signal });
    await h.clock.advance(1_000);
    gone.abort();
    await h.settle();
    expect(stream.over()).toBe('end');
    expect(notes).toEqual(['aborted', 'finally']);
    const early = await h.say('talker', {}, { signal: AbortSignal.abort() });
    await early.end();
    expect(h.runs.list().map((run) => run.ended)).toEqual(['cancelled', 'cancelled']);
  });

  test('while its question has not been handed over takes the run along', async () => {
    const h = createHarness();
    const response = await h.prompt('script: ask-question');
    await response.body?.cancel();
    expect(h.runs.list()[0]).toMatchObject({ status: 'ended', ended: 'cancelled' });
  });
});

describe('behaviours that take no notice', () => {
  test('one that ignores its signal does not hold the run', async () => {
    const deaf: Behaviour = {
      name: 'deaf',
      async *turn() {
        yield { say: 'a' };
        await new Promise(() => {});
        yield { say: 'never' };
      },
    };
    const h = createHarness({ scripts: [deaf] });
    const stream = await h.say('deaf');
    await h.settle();
    expect(stream.heard().content).toBe('a');
    h.setStatus(h.intern, 'stopped');
    expect((await stream.end()).error?.metadata.reason).toBe('run_ended');
  });

  test('one that catches its rejected sleep and goes on is not heard any more', async () => {
    const notes: string[] = [];
    const stubborn: Behaviour = {
      name: 'stubborn',
      async *turn(_turn, { clock }) {
        try {
          yield { say: 'a' };
          await clock.sleep(1_000).catch(() => notes.push('caught'));
          yield { say: 'b' };
          notes.push('not reached');
        } finally {
          notes.push('finally');
        }
      },
    };
    const h = createHarness({ scripts: [stubborn] });
    const stream = await h.say('stubborn');
    await h.settle();
    await stream.cancel();
    await h.settle();
    expect(notes).toEqual(['caught', 'finally']);
    expect(h.log).toEqual([]);
  });

  test.each([
    ['piece by piece', 60, 'virtual'],
    ['piece by piece, on a clock that goes by itself', 60, 'auto'],
    ['piece by piece, in real time', 60, 'real'],
    ['in one piece', 1, 'virtual'],
  ] as const)('one that says more than is held waits for its reader: %s', async (_how, pieces, clock) => {
    let passed = -1;
    const much: Behaviour = {
      name: 'much',
      async *turn() {
        const began = h.clock.now();
        h.clock.timer(3_600_000, () => {}, 'work');
        for (let at = 0; at < pieces; at++) yield { say: 'x'.repeat(6_000_000 / pieces) };
        passed = h.clock.now() - began;
      },
    };
    const h = createHarness({ scripts: [much], clock });
    const response = await h.prompt('script: much');
    const said = await listen(response).end();
    expect(said.content.length).toBe(6_000_000);
    // No clock advances to its next timer while a run waits for its reader.
    expect(passed).toBeLessThan(3_600_000);
    expect(said.finish).toBe('stop');
    expect(h.runs.list()[0]?.ended).toBe('stop');
    expect(h.log).toEqual([]);
    h.clock.close();
  });

  test('one that never waits lets others have their turn, and ends severed when nobody reads', async () => {
    const torrent: Behaviour = {
      name: 'torrent',
      async *turn() {
        for (;;) yield { say: 'x'.repeat(1_000) };
      },
    };
    const h = createHarness({ scripts: [torrent], clock: 'real' });
    const response = await h.prompt('script: torrent');
    await expect.poll(() => h.runs.list()[0]?.ended).toBe('severed');
    expect(h.log).toMatchObject([{ event: 'reader_too_slow' }]);
    const said = await listen(response).end();
    expect(said.error?.metadata.reason).toBe('stream_severed');
    expect(said.text.length).toBeLessThan(10 * 1024 * 1024);
    expect(Math.max(...said.bytes)).toBeLessThan(1024 * 1024);
    h.clock.close();
  });

  test('errors end the run as failed, with a log line that names script and step', async () => {
    const bad = (name: string, turn: Behaviour['turn']): Behaviour => ({ name, turn });
    const h = createHarness({
      scripts: [
        bad('throws', async function* () {
          yield { say: 'a' };
          throw new Error('kaput');
        }),
        // biome-ignore lint/correctness/useYield: it throws before
        bad('throws-first', async function* () {
          throw new Error('at once');
        }),
        bad('no-generator', (() => {
          throw new TypeError('none');
        }) as unknown as Behaviour['turn']),
        bad('nonsense', async function* () {
          yield { say: 'a' };
          yield { shout: 'b' } as never;
        }),
      ],
    });
    expect((await (await h.say('throws')).end()).error?.metadata).toEqual({ reason: 'turn_failed', retryable: false });
    expect((await h.refused(h.prompt('script: throws-first'))).reason).toBe('turn_failed');
    expect((await h.refused(h.prompt('script: no-generator'))).reason).toBe('turn_failed');
    expect((await (await h.say('nonsense')).end()).error?.code).toBe(502);
    expect(h.log).toMatchObject([
      { event: 'script_failed', script: 'throws', step: 'event 2', message: 'kaput' },
      { event: 'script_failed', script: 'throws-first', step: 'event 1', message: 'at once' },
      { event: 'script_failed', script: 'no-generator', step: 'event 1', message: 'none' },
      { event: 'script_failed', script: 'nonsense', step: 'event 2' },
    ]);
    expect(h.runs.list().map((run) => run.ended)).toEqual(['failed', 'failed', 'failed', 'failed']);
  });
});

describe('injected faults and hooks', () => {
  test('mid-event drops the connection within an event, and cancels the run', async () => {
    const closed: unknown[] = [];
    const h = createHarness({ hooks: { onWrite() {}, onClose: (...args) => void closed.push(args) } });
    const stream = await h.say('slow', {}, { fault: { disconnect: 'mid-event' } });
    const said = await stream.end();
    expect(stream.over()).toBe('broken');
    expect(said.text).not.toMatch(/\}\n*$/);
    expect(h.runs.list()[0]?.ended).toBe('cancelled');
    expect(closed).toEqual([['dropped', 'cancelled']]);
  });

  test('before-done drops it right after the finish chunk', async () => {
    const h = createHarness();
    const stream = await h.say('no-usage', {}, { fault: { disconnect: 'before-done' } });
    const said = await stream.end();
    expect(stream.over()).toBe('broken');
    expect(said).toMatchObject({ content: 'No figures today.', finish: 'stop', done: false, sessionId: undefined });
  });

  test('the hooks see every write as it leaves, and how it came to its end', async () => {
    const seen: unknown[] = [];
    const h: Harness = createHarness({
      hooks: {
        onWrite: (written) => void seen.push([bytesOfWritten(written).length, h.clock.now() - Date.UTC(2026, 0, 1)]),
        onClose: (why, ended) => void seen.push([why, h.clock.now() - Date.UTC(2026, 0, 1), ended]),
      },
    });
    h.scripts.put('paced', { name: 'paced', turn: [{ say: 'abc', chunks: 3, every: '10ms' }] });
    const stream = await h.say('paced');
    await h.clock.advance(20);
    await stream.end();
    expect(seen).toEqual([
      [stream.writes[0], 0],
      [stream.writes[1], 10],
      [stream.writes[2], 20],
      ['complete', 20, 'stop'],
    ]);
  });
});
