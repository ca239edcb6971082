import { settings } from '../combinators/parts.js';
import { BEAT, rewriteFrames } from '../combinators/streams.js';
import { defineDeviations } from '../mutant.js';

export const KEEPALIVE = defineDeviations({
  'keepalive-every-15-seconds': {
    description: 'A keepalive comes after 15 seconds.',
    mutant: settings({ keepalive: 15_000 }),
    caughtBy: [
      'chat/keepalive-in-silence',
      'keepalive/to-the-millisecond',
      'keepalive/between-events',
      'keepalive/after-an-answer',
    ],
  },
  'keepalive-every-minute': {
    description: 'A keepalive comes after a minute.',
    mutant: settings({ keepalive: 60_000 }),
    caughtBy: [
      'keepalive/after-30-seconds',
      'keepalive/to-the-millisecond',
      'keepalive/between-events',
      'keepalive/before-first-word',
      'keepalive/after-an-answer',
      'keepalive/every-stream',
      'chat/keepalive-in-silence',
    ],
  },
  'keepalive-three-milliseconds-late': {
    description: 'A keepalive comes after 30.003 seconds.',
    mutant: settings({ keepalive: 30_003 }),
    caughtBy: ['keepalive/to-the-millisecond'],
  },
  'keepalive-by-another-word': {
    description: 'The comment says ping.',
    mutant: rewriteFrames(() => (frame) => (frame === BEAT ? ': ping\n\n' : frame)),
    caughtBy: ['keepalive/after-30-seconds', 'keepalive/before-first-word', 'chat/keepalive-in-silence'],
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
    caughtBy: ['keepalive/after-30-seconds', 'keepalive/between-events'],
  },
});
