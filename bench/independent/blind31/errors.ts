import { isJson } from '../call.js';
import type { Way } from '../world.js';

const ENVELOPE =
  'Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`.';

export const errors: readonly Way[] = [
  {
    // Zero values are left out.
    name: 'an error that is not worth a retry does not say so',
    quote: ENVELOPE,
    wrong: (world) =>
      world.json('list create get update delete provision suspend chat invoke', ({ error }, _, { ok }) => {
        if (!ok && isJson(error) && isJson(error.metadata) && error.metadata.retryable === false)
          delete error.metadata.retryable;
      }),
  },
  {
    // The validator's own answer.
    name: 'the message of a body that is refused with 400 is a list of messages',
    quote: ENVELOPE,
    wrong: (world) =>
      world.json('create update delete provision suspend', ({ error }, _, { status }) => {
        if (status === 400 && isJson(error)) error.message = [error.message];
      }),
  },
  {
    // A gateway refuses before the service is asked, and has a body of its own.
    name: 'a lifecycle call without a key is said so in a body of another form',
    quote: 'The error responses of every endpoint use the envelope given under Errors.',
    wrong: (world) =>
      world.later('list create get update delete provision suspend', ({ status }, { who }) =>
        status === 401 && who === 'none' ? Response.json({ message: 'Unauthorized' }, { status }) : undefined,
      ),
  },
];
