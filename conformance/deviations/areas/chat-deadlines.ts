import { endsAfter } from '../combinators/behaviours.js';
import { settings } from '../combinators/parts.js';
import { errors } from '../combinators/replies.js';
import { defineDeviations } from '../mutant.js';

export const CHAT_DEADLINES = defineDeviations({
  'deadline-of-four-minutes': {
    description: 'A question stays open for four minutes.',
    mutant: settings({ interaction_deadline: 240_000 }),
  },
  'deadline-of-ten-minutes': {
    description: 'A question stays open for ten minutes.',
    mutant: settings({ interaction_deadline: 600_000 }),
  },
  'deadline-passed-is-410': {
    description: 'A late answer is 410.',
    mutant: errors({ reason: 'interaction_not_pending', status: 409 }, { status: 410 }),
  },
  'deadline-goes-on-after-the-answer': {
    description: 'A run is ended five minutes after its question, answered or not.',
    mutant: endsAfter(300_000, 'deadline', (_turn, event) => event !== undefined && 'ask' in event),
  },
});
