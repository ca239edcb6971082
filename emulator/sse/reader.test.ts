import { expect, test } from 'vitest';
import { createClock } from '../clock/clock.js';
import { PROFILES } from '../contract/profile.js';
import { Encoder } from './chunks.js';
import { StreamReader } from './reader.js';
import { EventStream, type Source, type StreamClosed } from './stream.js';

test('a run that cannot be read rejects, goes on rejecting, and has lost its reader', async () => {
  const closed: StreamClosed[] = [];
  const source: Source = {
    ready: () => true,
    complete: () => false,
    take() {
      throw new Error('no more');
    },
    listen() {},
    finish() {},
    leave() {},
    ended: () => undefined,
  };
  const reader = new StreamReader(
    new EventStream({
      source,
      clock: createClock('virtual'),
      encoder: new Encoder({ id: 'c', created: 0, sessionId: 's', model: null, profile: PROFILES.svc }),
      keepalive: () => 30_000,
      hooks: { onWrite() {}, onClose: (how) => void closed.push(how) },
    }),
    undefined,
  );
  await expect(reader.read()).rejects.toThrow('no more');
  await expect(reader.read()).rejects.toThrow('no more');
  expect(closed).toEqual(['client_left']);
});
