import { isNew } from './chat.js';
import { isInvoke } from './forms.js';
import { isNotIn, noObject, not, wrongObject } from './mistakes.js';
import { type AnyRule, holds, is, isBodyKnown, rulesOf } from './rule.js';

/** Fields that would show the words or the progress of a run. */
const PROGRESS = ['output', 'content', 'text', 'message', 'messages', 'choices', 'result', 'usage', 'progress'];

/** invoke: runs and sessions without a stream. */
export const INVOKE: readonly AnyRule[] = [
  ...rulesOf('INVOKE-1', ['invoke'], {
    'accepted-form': {
      says: 'Invoke answers 202 with the session_id.',
      alone: true,
      judge: (seen) =>
        seen.answered.status < 300
          ? holds(
              seen.answered.status === 202 && typeof seen.json?.session_id === 'string' && seen.json.session_id !== '',
              'answer of an invoke',
              '202 with a session_id',
              {
                status: seen.answered.status,
                session_id: seen.json?.session_id,
              },
            )
          : undefined,
    },
    'new-session': {
      says: 'An invoke without a session begins one of its own.',
      judge: (seen, model) => (seen.answered.status < 300 ? isNew(seen, model, seen.json?.session_id) : undefined),
    },
    'no-progress': {
      level: 'P',
      says: 'The answer of an invoke shows neither words nor progress of its run.',
      alone: true,
      judge: (seen) =>
        seen.answered.status < 300 && seen.json !== undefined
          ? is(
              'fields in the answer of an invoke that show progress',
              [],
              Object.keys(seen.json).filter((key) => PROGRESS.includes(key)),
            )
          : undefined,
    },
    'status-word': {
      level: 'P',
      says: 'The status of an invoke is started, or steered if its session has a run going.',
      alone: true,
      judge: (seen) =>
        seen.answered.status < 300 && isBodyKnown(seen)
          ? holds(
              seen.json?.status === 'started' ||
                (seen.json?.status === 'steered' && typeof seen.body?.session_id === 'string'),
              'status of an invoke',
              'started, or steered in a session',
              seen.json?.status,
            )
          : undefined,
    },
    'input-is-an-object': {
      level: 'P',
      says: 'A body of invoke that is no JSON object is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'bad_request',
      wrong: noObject,
    },
    input: {
      level: 'P',
      says: 'An invoke without an input of 1 to 32000 characters, or with an invalid session, is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'bad_request',
      wrong: wrongObject(isInvoke),
    },
    'invoke-runs': {
      open: true,
      level: 'P',
      says: 'An intern that does not run starts no run: 409.',
      step: 'state',
      statuses: [409],
      reason: 'intern_not_ready',
      wrong: (seen, model) => isNotIn(seen, model, 'up'),
    },
  }),
  ...rulesOf('INVOKE-2', ['invoke'], {
    'same-session': {
      says: 'An invoke that names a session goes on in it.',
      alone: true,
      judge: (seen) =>
        seen.answered.status < 300 && typeof seen.body?.session_id === 'string'
          ? is('session_id of an invoke in a session', seen.body.session_id, seen.json?.session_id)
          : undefined,
    },
    'not-steered-after-a-suspend': {
      says: 'A suspend ends the runs of its intern: the first prompt of a session after it is not steered.',
      judge: (seen, model) => {
        const { answered, asked, body, id, intern, json } = seen;
        if (answered.status >= 300 || typeof body?.session_id !== 'string') return undefined;
        const session = id === undefined ? undefined : model.session(id, body.session_id);
        const halted = intern?.halted ?? 0;
        return session === undefined || halted <= session.value.last || (intern?.moving ?? 0) > 1 || asked.at < halted
          ? undefined
          : holds(json?.status !== 'steered', 'status of an invoke after a suspend', 'started', json?.status, [
              session.number,
            ]);
      },
    },
  }),
  ...rulesOf('INVOKE-3', {
    'session-of-others': {
      says: 'A session is accepted only from the caller it was issued to, on the same intern: any other is refused with 404.',
      step: 'named',
      statuses: [404],
      reason: 'not_found',
      of: ['invoke'],
      wrong: (seen, model) => {
        const session = seen.body?.session_id;
        if (typeof session !== 'string' || seen.id === undefined)
          return seen.asked.body.kind === 'unknown' ? undefined : false;
        const known = model.session(seen.id, session);
        // The run has seen all sessions of an intern that it made.
        if (known === undefined)
          return model.options.madeUp?.(session) === true || (model.hasSeenAll && seen.intern?.made !== undefined)
            ? true
            : undefined;
        const { origin, person } = known.value;
        return origin === 'chat' || not(model.isBy(seen.asked, person));
      },
    },
  }),
];
