import { settings } from '../combinators/parts.js';
import { BEAT, rewriteFrames } from '../combinators/streams.js';
import { defineDeviations } from '../mutant.js';

export const KEEPALIVE = defineDeviations({
  // A keepalive comes after 15 seconds.
  'keepalive-every-15-seconds': settings({ keepalive: 15_000 }),
  // A keepalive comes after a minute.
  'keepalive-every-minute': settings({ keepalive: 60_000 }),
  // A keepalive comes after 30.003 seconds.
  'keepalive-three-milliseconds-late': settings({ keepalive: 30_003 }),
  // The comment says ping.
  'keepalive-by-another-word': rewriteFrames(() => (frame) => (frame === BEAT ? ': ping\n\n' : frame)),
  // A stream carries one keepalive at most.
  'keepalive-only-once': rewriteFrames(() => {
    let beaten = false;
    return (frame) => {
      const again = beaten && frame === BEAT;
      beaten ||= frame === BEAT;
      return again ? '' : frame;
    };
  }),
});
