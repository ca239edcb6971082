import { expect, test } from 'vitest';
import { createClock } from '../clock/clock.js';
import { PROFILES } from '../contract/profile.js';
import type { RunEvent } from '../contract/run.js';
import { Encoder } from './chunks.js';
import { StreamReader } from './reader.js';
import { EventStream, type Source, type StreamClosed } from './stream.js';

/** A stream of a run that says what the test says. */
function open(signal?: AbortSignal) {
  const clock = createClock('virtual');
  let events: RunEvent[] = [];
  let wake = () => {};
  const closed: StreamClosed[] = [];
  const source: Source = {
    ready: () => events.length > 0,
    complete: () => false,
    take() {
      const taken = events;
      events = [];
      for (const event of taken) if (event.type === 'content' && event.texts[0] === 'break') throw new Error('no more');
      return taken;
    },
    listen(then) {
      wake = then;
    },
    finish() {},
    leave() {},
    ended: () => undefined,
  };
  const stream = new EventStream({
    source,
    clock,
    encoder: new Encoder({ id: 'c', created: 0, sessionId: 's', model: null, profile: PROFILES.svc }),
    keepalive: () => 30_000,
    hooks: { onWrite() {}, onClose: (how) => void closed.push(how) },
  });
  const say = (text: string) => {
    events.push({ type: 'content', texts: [text] });
    wake();
  };
  return { reader: new StreamReader(stream, signal), say, closed };
}

const textOf = (read: Awaited<ReturnType<StreamReader['read']>>) =>
  read.done ? undefined : new TextDecoder().decode(read.value);

test('takes nothing before it is asked to, and then what is there in one write', async () => {
  const { reader, say } = open();
  say('one');
  say('two');
  const both = textOf(await reader.read());
  expect(both).toContain('one');
  expect(both).toContain('two');
  const next = reader.read();
  say('three');
  expect(textOf(await next)).toContain('three');
});

test('cancelling is the disconnect of the client, once, and what is being read is over', async () => {
  const { reader, closed } = open();
  const reading = reader.read();
  await reader.cancel();
  await reader.cancel();
  expect(textOf(await reading)).toBeUndefined();
  expect(textOf(await reader.read())).toBeUndefined();
  expect(closed).toEqual(['client_left']);
});

test('an abort is too, and rejects with its reason, also where it came before', async () => {
  const controller = new AbortController();
  const { reader, closed } = open(controller.signal);
  const reading = reader.read();
  controller.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
  await expect(reader.read()).rejects.toThrow('enough');
  expect(closed).toEqual(['client_left']);

  const late = open(AbortSignal.abort(new Error('before')));
  await expect(late.reader.read()).rejects.toThrow('before');
  expect(late.closed).toEqual(['client_left']);
});

test('a run that cannot be read rejects, goes on rejecting, and has lost its reader', async () => {
  const { reader, say, closed } = open();
  say('break');
  await expect(reader.read()).rejects.toThrow('no more');
  await expect(reader.read()).rejects.toThrow('no more');
  expect(closed).toEqual(['client_left']);
});
