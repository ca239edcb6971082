import { expect, test } from 'vitest';
import { createClock } from '../clock/clock.js';
import { PROFILES } from '../contract/profile.js';
import type { RunEvent } from '../contract/run.js';
import { Encoder } from './chunks.js';
import { EventStream, type Source, type StreamClosed, type StreamOptions } from './stream.js';

/** A stream of one event that then stays open, with hooks that fail from the second write on. */
const open = (drop?: StreamOptions['drop']) => {
  const errors: unknown[] = [];
  const clock = createClock('virtual', { onError: (error) => errors.push(error) });
  let events: RunEvent[] = [{ type: 'content', texts: ['hello', 'you'] }];
  const closed: StreamClosed[] = [];
  let left = false;
  const source: Source = {
    ready: () => true,
    complete: () => false,
    take() {
      const taken = events;
      events = [];
      return taken;
    },
    listen() {},
    finish() {},
    leave() {
      left = true;
    },
    ended: () => undefined,
  };
  let writes = 0;
  const body = new EventStream({
    source,
    clock,
    encoder: new Encoder({ id: 'c', created: 0, sessionId: 's', model: null, profile: PROFILES.svc }),
    keepalive: () => 30_000,
    drop,
    hooks: {
      onWrite() {
        if (++writes > 1) throw new Error('no room');
      },
      onClose: (how) => void closed.push(how),
    },
  });
  return { body, clock, errors, closed, left: () => left };
};

test('a keepalive that cannot be written is reported, and ends its stream; the clock goes on', async () => {
  const { body, clock, errors, closed, left } = open();
  const reader = body.readable().getReader();
  await reader.read();
  const next = expect(reader.read()).rejects.toThrow('no room');
  let fired = false;
  clock.timer(30_001, () => {
    fired = true;
  });
  await clock.advance(30_001);
  await next;
  expect([errors, closed, left(), fired]).toEqual([[new Error('no room')], ['dropped'], true, true]);
});

test('of texts that are said together a fault drops the connection within the first', async () => {
  const { body, closed } = open('mid-event');
  const reader = body.readable().getReader();
  const { value } = await reader.read();
  await expect(reader.read()).rejects.toThrow('dropped by an injected fault');
  const events = new TextDecoder().decode(value).split(/(?<=\n\n)/);
  expect(events).toHaveLength(2);
  expect(events[1]).toMatch(/^data: \{[^\n]*$/);
  expect(events[1]).not.toContain('you');
  expect(closed).toEqual(['dropped']);
});
