import { isSigning } from '../model/operations.js';
import { isRecord } from '../probe/json.js';
import { answerOf, isOurs, reasonIs } from './errors.js';
import { REFUSED } from './mistakes.js';
import { type AnyRule, all, holds, is, isDone, isFromService, OF_OTHERS, rulesOf } from './rule.js';

/** An id of a request that answers echo. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** A media type of JSON: application/json, or one with the suffix +json (RFC 6839). */
const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

/** The base: bodies and errors of all answers, regional hostnames, request ids. */
export const BASE: readonly AnyRule[] = [
  ...rulesOf('BASE-2', {
    'content-type': {
      says: 'A JSON body is declared as JSON.',
      alone: true,
      judge: (seen) =>
        seen.json !== undefined && isFromService(seen)
          ? holds(
              JSON_TYPE.test(seen.answered.header('content-type') ?? ''),
              `content-type of ${answerOf(seen)}`,
              'application/json',
              seen.answered.header('content-type') ?? null,
            )
          : undefined,
    },
    'is-json': {
      says: 'The body of a success is a JSON object, unless it is a stream or empty.',
      alone: true,
      judge: (seen) =>
        isDone(seen) && seen.answered.status !== 204 && seen.operation.name !== 'chat'
          ? holds(
              seen.json !== undefined,
              `body of ${answerOf(seen)}`,
              'a JSON object',
              seen.answered.json ?? seen.answered.text.slice(0, 100),
            )
          : undefined,
    },
  }),
  ...rulesOf('BASE-3', {
    envelope: {
      says: 'An error body is {error: {code, message, metadata?}}.',
      alone: true,
      judge: (seen) =>
        isOurs(seen)
          ? holds(
              seen.error !== undefined,
              `body of ${answerOf(seen)}`,
              'an error in its envelope',
              seen.json ?? seen.answered.text.slice(0, 100),
            )
          : undefined,
    },
    code: {
      says: 'The code of an error is its HTTP status.',
      alone: true,
      judge: (seen) =>
        isOurs(seen) && seen.error !== undefined
          ? is(`error.code of ${answerOf(seen)}`, seen.answered.status, seen.error.code)
          : undefined,
    },
    message: {
      says: 'An error has a message.',
      alone: true,
      judge: (seen) =>
        isOurs(seen) && seen.error !== undefined
          ? holds(
              typeof seen.error.message === 'string' && seen.error.message !== '',
              `error.message of ${answerOf(seen)}`,
              'a message',
              seen.error.message,
            )
          : undefined,
    },
    metadata: {
      says: 'The metadata of an error has a reason and whether it is retryable.',
      alone: true,
      judge: (seen) => {
        if (
          !isOurs(seen) ||
          seen.error === undefined ||
          seen.error.metadata === undefined ||
          seen.operation.area === 'scim'
        )
          return undefined;
        const { metadata, reason, retryable } = seen.error;
        return all(
          holds(isRecord(metadata), `error.metadata of ${answerOf(seen)}`, 'an object', metadata),
          holds(typeof reason === 'string', `error.metadata.reason of ${answerOf(seen)}`, 'a string', reason),
          holds(
            typeof retryable === 'boolean',
            `error.metadata.retryable of ${answerOf(seen)}`,
            'a boolean',
            retryable,
          ),
        );
      },
    },
    'has-metadata': {
      level: 'P',
      says: 'An error has metadata, except for a 401, the refusal of a regional host, and errors of SCIM.',
      alone: true,
      judge: (seen) =>
        isOurs(seen) &&
        seen.error !== undefined &&
        seen.operation.area !== 'scim' &&
        seen.answered.status !== 401 &&
        !seen.asked.regional &&
        seen.caller?.kind !== 'outsider'
          ? holds(seen.error.metadata !== undefined, `error of ${answerOf(seen)}`, 'metadata', null)
          : undefined,
    },
    'published-reason': {
      level: 'P',
      says: 'A published reason comes with its status, and says whether the request may be sent again.',
      alone: true,
      judge: (seen) =>
        isOurs(seen) && seen.operation.area !== 'scim'
          ? reasonIs(answerOf(seen), seen.error?.reason, seen.answered.status, seen.error?.retryable)
          : undefined,
    },
    'no-metadata': {
      says: 'The 401 of the signing route and the errors of SCIM have no metadata.',
      alone: true,
      judge: (seen) =>
        isOurs(seen) &&
        !OF_OTHERS.has(seen.answered.status) &&
        seen.error !== undefined &&
        (seen.operation.area === 'scim' || (seen.answered.status === 401 && isSigning(seen.operation)))
          ? holds(seen.error.metadata === undefined, `error of ${answerOf(seen)}`, 'no metadata', seen.error.metadata)
          : undefined,
    },
  }),
  ...rulesOf('BASE-4', {
    'regional-form': {
      level: 'P',
      says: 'The 403 of a regional hostname has the message Forbidden, and no metadata.',
      // A judge of others' traffic does not know which hosts are regional.
      judge: (seen, { options }) =>
        isOurs(seen) &&
        seen.asked.regional &&
        options.inUse !== true &&
        seen.answered.status === 403 &&
        seen.error !== undefined
          ? all(
              is(`error.message of ${answerOf(seen)}`, 'Forbidden', seen.error.message),
              holds(
                seen.error.metadata === undefined,
                `error of ${answerOf(seen)}`,
                'no metadata',
                seen.error.metadata,
              ),
            )
          : undefined,
    },
    'regional-status': {
      level: 'P',
      says: 'A request on a regional hostname is answered 403.',
      step: 'region',
      statuses: [403],
      first: /^BASE-4\//,
      wrong: ({ asked }) => asked.regional,
    },
    'regional-refused': {
      says: 'Requests on regional hostnames are refused.',
      step: 'region',
      statuses: REFUSED,
      wrong: ({ asked }) => asked.regional,
    },
  }),
  ...rulesOf('BASE-6', {
    'request-id': {
      says: "Every answer carries x-request-id: the caller's if it has the form of one, else one of its own.",
      alone: true,
      judge: ({ answered, asked, called }) => {
        const [given = '', shown = ''] = [asked.header('x-request-id'), answered.header('x-request-id')];
        // The headers of a stream are not kept, and a redacted id cannot be compared.
        if (answered.stream !== undefined || shown === '[redacted]') return undefined;
        if (REQUEST_ID.test(given)) return is(`x-request-id of ${called}`, given, shown);
        return holds(REQUEST_ID.test(shown) && shown !== given, `x-request-id of ${called}`, 'one of its own', shown);
      },
    },
  }),
];
