import { isRecord } from '../probe/json.js';
import { answerOf, isOurs, message } from './errors.js';
import { BARE, isBlank, isJsonType, json, maybe, noObject, not, sizeOf, tooLarge, WRITES } from './mistakes.js';
import { type AnyRule, all, holds, is, rulesOf, type Seen, type Wrong } from './rule.js';

function otherType(seen: Seen): Wrong {
  if (isJsonType(seen.asked.header('content-type'))) return false;
  const size = sizeOf(seen);
  // A service may take white space for no body.
  return size === undefined || (size > 0 && isBlank(seen) === true) ? undefined : size > 0;
}

/** The rows that all operations with a largest body and a media type share. */
const MESSAGES: Readonly<Record<number, readonly [reason: string, message: RegExp]>> = {
  413: ['payload_too_large', /^Request body exceeds 1048576 bytes/],
  415: ['unsupported_media_type', /^Request body must be sent as application\/json/],
};

/** The bodies of requests: their size, media type and form. */
export const BODIES: readonly AnyRule[] = [
  ...rulesOf('BODY-1', {
    'media-type-without-body': {
      level: 'P',
      says: 'A non-empty body of provision or suspend that is not declared as JSON is refused with 415.',
      step: 'media type',
      statuses: [415],
      reason: 'unsupported_media_type',
      of: BARE,
      wrong: otherType,
    },
    'no-fields': {
      says: 'A body carrying any field is refused with 400 by provision and suspend.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      of: BARE,
      wrong: (seen) => json(seen, (value) => isRecord(value) && Object.keys(value).length > 0),
    },
    'no-body': {
      level: 'C',
      says: 'A body of provision or suspend that is no object is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      of: BARE,
      wrong: (seen) => not(isBlank(seen)) && noObject(seen),
    },
    'empty-object': {
      open: true,
      says: 'A service may refuse an object without fields, where it takes none, and as an update.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      of: [...BARE, 'update'],
      wrong: (seen, model) =>
        maybe(
          model.options.ours !== true &&
            json(seen, (value) => isRecord(value) && Object.keys(value).length === 0) === true,
        ),
    },
  }),
  ...rulesOf('BODY-2', {
    'refusal-form': {
      level: 'P',
      says: 'A 413 or 415 of create, update or delete has the message and reason that are stated for signing.',
      of: ['create', 'update', 'delete'],
      alone: true,
      judge: (seen) => {
        const row = isOurs(seen) ? MESSAGES[seen.answered.status] : undefined;
        if (row === undefined || seen.error?.metadata === undefined) return undefined;
        return all(is(`error.metadata.reason of ${answerOf(seen)}`, row[0], seen.error.reason), message(seen, row[1]));
      },
    },
    'too-large': {
      says: 'A body of create, update, delete or signing over 1048576 bytes is refused with 413.',
      step: 'size',
      statuses: [413],
      reason: 'payload_too_large',
      of: WRITES,
      wrong: tooLarge,
    },
    'too-large-elsewhere': {
      level: 'P',
      says: 'A body of chat, invoke, provision or suspend over 1048576 bytes is refused with 413.',
      step: 'size',
      statuses: [413],
      reason: 'payload_too_large',
      of: ['chat', 'invoke', ...BARE],
      wrong: tooLarge,
    },
  }),
  ...rulesOf('BODY-3', {
    'media-type-ignored': {
      level: 'C',
      says: 'Chat, invoke and the store of a secret ignore the media type: none answers 415.',
      of: ['chat', 'invoke', 'store secret', 'store intern secret'],
      alone: true,
      judge: (seen) => holds(seen.answered.status !== 415, `status of ${seen.called}`, 'no 415', seen.answered.status),
    },
    'media-type': {
      says: 'A non-empty body of create, update, delete or signing that is not declared as application/json is refused with 415.',
      step: 'media type',
      statuses: [415],
      reason: 'unsupported_media_type',
      of: WRITES,
      wrong: otherType,
    },
  }),
  ...rulesOf('BODY-4', {
    'body-is-an-object': {
      says: 'A body of create, update, delete or signing that is no JSON object is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'invalid_body',
      of: WRITES,
      wrong: (seen) =>
        seen.operation.name === 'delete' && isBlank(seen) !== false ? not(isBlank(seen)) : noObject(seen),
    },
  }),
];
