import { endsAfter } from '../combinators/behaviours.js';
import { settings } from '../combinators/parts.js';
import { errors } from '../combinators/replies.js';
import { defineDeviations } from '../mutant.js';

export const CHAT_DEADLINES = defineDeviations({
  // A question stays open for four minutes.
  'deadline-of-four-minutes': settings({ interaction_deadline: 240_000 }),
  // A question stays open for ten minutes.
  'deadline-of-ten-minutes': settings({ interaction_deadline: 600_000 }),
  // A late answer is 410.
  'deadline-passed-is-410': errors({ reason: 'interaction_not_pending', status: 409 }, { status: 410 }),
  // A run is ended five minutes after its question, answered or not.
  'deadline-goes-on-after-the-answer': endsAfter(
    300_000,
    'deadline',
    (_turn, event) => event !== undefined && 'ask' in event,
  ),
});
