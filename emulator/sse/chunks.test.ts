import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PROFILES } from '../contract/profile.js';
import type { RunEvent } from '../contract/run.js';
import { Encoder } from './chunks.js';
import { Frames } from './frames.js';
import '../../test/same-draws.js';

const encode = (events: readonly RunEvent[]): string => {
  const encoder = new Encoder({ id: 'c', created: 0, sessionId: 's', model: null, profile: PROFILES.svc });
  const frames = new Frames();
  for (const event of events) encoder.event(event, frames);
  return frames.toString();
};

test('texts that are said together are the chunks that they are one by one, whatever is in them', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('', 'plain', '"', '\\', '\n', '\u2028', 'é'));
  const event = fc.oneof(
    fc.array(text, { minLength: 1, maxLength: 5 }).map((texts): RunEvent => ({ type: 'content', texts })),
    fc.string().map((model): RunEvent => ({ type: 'model', model })),
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const apart = events.flatMap((event) =>
        event.type === 'content' ? event.texts.map((text): RunEvent => ({ type: 'content', texts: [text] })) : [event],
      );
      expect(encode(events)).toBe(encode(apart));
    }),
  );
});
