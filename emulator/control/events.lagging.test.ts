import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFairQueue } from '../clock/fair-queue.js';
import { createEvents, EVENT_TYPES, type Pending } from './events.js';
import { createSequence } from './sequence.js';
import '../../test/same-draws.js';

const ALL = new Set(EVENT_TYPES);
const TEXT = 'x'.repeat(1_000);

/** Events over a past that another part holds, and how often something of it was made into an event. */
function setUp() {
  const sequence = createSequence();
  const held: number[] = [];
  let forgotten = 0;
  let made = 0;
  let turns = 0;
  const turn = createFairQueue({ hold: () => () => {} });
  const pendingOf = (seq: number): Pending => ({
    seq,
    type: 'request',
    data() {
      made++;
      return { seq, text: TEXT };
    },
  });
  const events = createEvents({
    sequence,
    tag: () => 'tag',
    read: (_, id) => ({ id }),
    past: {
      since: (seq, to) => held.filter((own) => own > seq && own <= to).map(pendingOf),
      forgotten: () => forgotten,
    },
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    turn() {
      turns++;
      return turn.next();
    },
  });
  const happen = (count: number) => {
    for (let n = 0; n < count; n++) {
      const seq = sequence.next();
      held.push(seq);
      events.send(pendingOf(seq));
    }
  };
  const forget = () => {
    forgotten = held.splice(0, held.length >> 1).at(-1) ?? forgotten;
  };
  return { events, sequence, happen, forget, made: () => made, turns: () => turns };
}

const settled = async (rounds = 20) => {
  for (let n = 0; n < rounds; n++) await new Promise((resolve) => setImmediate(resolve));
};

/** Takes a stream of events apart as it is read. */
function reading(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const seqs: number[] = [];
  let rest = '';
  let resets = 0;
  let waiting: Promise<void> | undefined;
  const take = async () => {
    const { value } = await reader.read();
    waiting = undefined;
    rest += decoder.decode(value, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const seq = /^id: tag-(\d+)$/m.exec(block)?.[1];
      if (block.startsWith('event: reset')) resets++;
      else if (block.startsWith('event: ')) seqs.push(Number(seq));
    }
  };
  /** Reads once. */
  const once = () => {
    waiting ??= take();
    return waiting;
  };
  return {
    seqs,
    once,
    resets: () => resets,
    leave: () => reader.cancel(),
    /** Reads until the event of a change, or a reset, is there. */
    async read(until: number) {
      while (until > (seqs.at(-1) ?? 0) && resets === 0) await once();
    },
  };
}

test('a hundred who come back and never read have little waiting each, and cost no more as the past grows', async () => {
  const { events, happen, made } = setUp();
  happen(3_000);
  const streams = Array.from({ length: 100 }, () => events.subscribe(ALL, 'tag-0'));
  await settled(1);
  // One piece at a time: others are answered in between.
  expect(made()).toBeLessThan(40);
  await settled(600);
  // 64 KB are about 64 of these events, and a piece more of 16.
  expect(made()).toBeGreaterThan(100);
  expect(made()).toBeLessThanOrEqual(100 * 90);
  for (const stream of streams) await stream.cancel();
  events.close();
});

test('one who reads has all that was missed, in order, and then what happens', async () => {
  const { events, happen, sequence, made } = setUp();
  happen(3_000);
  const reader = reading(events.subscribe(ALL, 'tag-7'));
  await reader.read(1_500);
  events.changed('script', 'mine');
  happen(10);
  await reader.read(sequence.last);
  happen(1);
  await reader.read(sequence.last);
  expect(reader.seqs).toEqual(Array.from({ length: sequence.last - 7 }, (_, n) => n + 8));
  expect(made()).toBeLessThan(2 * sequence.last);
  await reader.leave();
  events.close();
});

test('one that first gets where to go on loses nothing by leaving then', async () => {
  const { events, happen } = setUp();
  happen(3);
  const reader = events.subscribe(ALL, 'tag-2').getReader();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toBe('retry: 1000\nid: tag-2\n\n');
  await reader.cancel();
  events.close();
});

test('whatever happens while it is read: each change once, in order, or a reset', async () => {
  const step = fc.oneof(
    fc.record({ happen: fc.integer({ min: 1, max: 200 }) }),
    fc.constant('read' as const),
    fc.constant('wait' as const),
    fc.constant('forget' as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(300), fc.nat(1), fc.array(step, { maxLength: 20 }), async (before, back, steps) => {
      const { events, happen, forget, sequence } = setUp();
      happen(before);
      const from = back === 1 ? 0 : sequence.last;
      const reader = reading(events.subscribe(ALL, back === 1 ? 'tag-0' : null));
      for (const one of steps) {
        if (one === 'read') await Promise.race([reader.once(), settled()]);
        else if (one === 'wait') await settled();
        else if (one === 'forget') forget();
        else happen(one.happen);
      }
      happen(1);
      await reader.read(sequence.last);
      const { seqs } = reader;
      if (reader.resets() === 0)
        expect(seqs).toEqual(Array.from({ length: sequence.last - from }, (_, n) => from + n + 1));
      expect(new Set(seqs).size).toBe(seqs.length);
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
      await reader.leave();
      events.close();
    }),
    { numRuns: 60 },
  );
});
