import { settings } from '../combinators/parts.js';
import { BEAT, rewriteFrames } from '../combinators/streams.js';
import { defineDeviations } from '../mutant.js';

export const KEEPALIVE = defineDeviations({
  'keepalive-every-15-seconds': {
    description: 'A keepalive comes after 15 seconds.',
    mutant: settings({ keepalive: 15_000 }),
  },
  'keepalive-every-minute': {
    description: 'A keepalive comes after a minute.',
    mutant: settings({ keepalive: 60_000 }),
  },
  'keepalive-three-milliseconds-late': {
    description: 'A keepalive comes after 30.003 seconds.',
    mutant: settings({ keepalive: 30_003 }),
  },
  'keepalive-by-another-word': {
    description: 'The comment says ping.',
    mutant: rewriteFrames(() => (frame) => (frame === BEAT ? ': ping\n\n' : frame)),
  },
  'keepalive-only-once': {
    description: 'A stream carries one keepalive at most.',
    mutant: rewriteFrames(() => {
      let beaten = false;
      return (frame) => {
        const again = beaten && frame === BEAT;
        beaten ||= frame === BEAT;
        return again ? '' : frame;
      };
    }),
  },
});
