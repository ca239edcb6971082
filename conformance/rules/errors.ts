import { isRow } from '../model/intern.js';
import { isSigning } from '../model/operations.js';
import { all, holds, is, isFromService, type Judgement, OF_OTHERS, type Rule, rulesOf, type Seen } from './rule.js';

/** What the catalogue of signing states (Signing route errors). */
const SIGNING: Readonly<Record<number, readonly [message: RegExp, reason: string, retryable: boolean]>> = {
  400: [/^Invalid request body/, 'invalid_body', false],
  403: [/^Personal connections require the OIDC login/, 'personal_identity_required', false],
  404: [/^Intern not found/, 'not_found', false],
  408: [/^Operation timed out/, 'timeout', true],
  413: [/^Request body exceeds 1048576 bytes/, 'payload_too_large', false],
  415: [/^Request body must be sent as application\/json/, 'unsupported_media_type', false],
  429: [/^Too many intern turns/, 'rate_limited', true],
  500: [/^The request could not be completed/, 'internal_error', true],
};
/** What the catalogue of the mapping read states. */
const SCIM: Readonly<Record<number, string>> = {
  401: 'Missing Authentication header',
  404: 'Resource not found',
  500: 'Internal Server Error',
};
/** What the operations that cap a body and want a media type share. */
const BODIES: Readonly<Record<number, readonly [reason: string, message: RegExp]>> = {
  413: ['payload_too_large', /^Request body exceeds 1048576 bytes/],
  415: ['unsupported_media_type', /^Request body must be sent as application\/json/],
};
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'delete']);

/** JSON by name, or by the suffix of its structure (RFC 6839). */
const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

const isOurs = (seen: Seen): boolean => seen.answered.status >= 400 && isFromService(seen);
const told = (seen: Seen): string => `a ${seen.answered.status} of ${seen.called}`;

/** Whether the signing operation itself answered: limiters and firewalls on the way have words of their own. */
const isOfSigning = (seen: Seen): boolean =>
  isOurs(seen) &&
  isSigning(seen.operation) &&
  !seen.asked.regional &&
  (seen.answered.status !== 429 || seen.error?.reason === 'rate_limited');

const message = (seen: Seen, pattern: RegExp): Judgement =>
  holds(
    typeof seen.error?.message === 'string' && pattern.test(seen.error.message),
    `error.message of ${told(seen)}`,
    `a message that matches ${pattern}`,
    seen.error?.message,
  );

/** Errors: the envelope, and the catalogues of signing and of the mapping read. */
export const ERRORS: readonly Rule[] = [
  ...rulesOf('BASE-2', {
    'content-type': {
      says: 'A JSON body is declared as JSON.',
      alone: true,
      judge: (seen) =>
        seen.json !== undefined && isFromService(seen)
          ? holds(
              JSON_TYPE.test(seen.answered.header('content-type') ?? ''),
              `content-type of ${told(seen)}`,
              'application/json',
              seen.answered.header('content-type') ?? null,
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
              `body of ${told(seen)}`,
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
          ? is(`error.code of ${told(seen)}`, seen.answered.status, seen.error.code)
          : undefined,
    },
    message: {
      says: 'An error has a message.',
      alone: true,
      judge: (seen) =>
        isOurs(seen) && seen.error !== undefined
          ? holds(
              typeof seen.error.message === 'string' && seen.error.message !== '',
              `error.message of ${told(seen)}`,
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
          holds(isRow(metadata), `error.metadata of ${told(seen)}`, 'an object', metadata),
          holds(typeof reason === 'string', `error.metadata.reason of ${told(seen)}`, 'a string', reason),
          holds(typeof retryable === 'boolean', `error.metadata.retryable of ${told(seen)}`, 'a boolean', retryable),
        );
      },
    },
    'no-metadata': {
      says: 'The 401 of the signing route and the errors of SCIM have no metadata.',
      alone: true,
      judge: (seen) =>
        isOurs(seen) &&
        !OF_OTHERS.has(seen.answered.status) &&
        seen.error !== undefined &&
        (seen.operation.area === 'scim' || (seen.answered.status === 401 && isSigning(seen.operation)))
          ? holds(seen.error.metadata === undefined, `error of ${told(seen)}`, 'no metadata', seen.error.metadata)
          : undefined,
    },
  }),
  ...rulesOf('SIGN-10', {
    catalogue: {
      says: 'An error of the signing route has the message, reason and retryable flag of its status.',
      alone: true,
      judge: (seen) => {
        const row = isOfSigning(seen) ? SIGNING[seen.answered.status] : undefined;
        if (row === undefined || seen.error === undefined) return undefined;
        const [pattern, reason, retryable] = row;
        return all(
          is(`error.metadata.reason of ${told(seen)}`, reason, seen.error.reason),
          is(`error.metadata.retryable of ${told(seen)}`, retryable, seen.error.retryable),
          // Gateways limit requests of any kind, in words of their own.
          seen.answered.status === 429 ? undefined : message(seen, pattern),
        );
      },
    },
    'key-message': {
      says: 'A missing or invalid key on the signing route is told: Invalid or missing API key.',
      alone: true,
      judge: (seen) =>
        isOurs(seen) && isSigning(seen.operation) && seen.answered.status === 401 && seen.caller === null
          ? message(seen, /^Invalid or missing API key/)
          : undefined,
    },
  }),
  ...rulesOf('SCIM-2', {
    catalogue: {
      says: 'An error of the mapping read has the message of its status.',
      alone: true,
      judge: (seen) => {
        const wanted = seen.operation.name === 'scim' && isOurs(seen) ? SCIM[seen.answered.status] : undefined;
        if (wanted === undefined || (seen.answered.status === 401 && seen.caller !== null)) return undefined;
        return is(`error.message of ${told(seen)}`, wanted, seen.error?.message);
      },
    },
  }),
  ...rulesOf('BODY-2', {
    'refusal-form': {
      requirement: 'BODY-2',
      level: 'P',
      says: 'A 413 or 415 of create, update or delete has the message and reason that are stated for signing.',
      alone: true,
      judge: (seen) => {
        const row = WRITES.has(seen.operation.name) && isOurs(seen) ? BODIES[seen.answered.status] : undefined;
        if (row === undefined || seen.error?.metadata === undefined) return undefined;
        return all(is(`error.metadata.reason of ${told(seen)}`, row[0], seen.error.reason), message(seen, row[1]));
      },
    },
  }),
  ...rulesOf('AUTH-7', {
    reason: {
      says: 'A daemon access that is refused to an API key has the reason personal_identity_required.',
      alone: true,
      judge: (seen) =>
        (seen.operation.name === 'daemon' || seen.operation.name === 'daemon alias') &&
        seen.answered.status === 403 &&
        seen.caller?.kind === 'key' &&
        !seen.asked.regional &&
        isOurs(seen)
          ? is(`error.metadata.reason of ${told(seen)}`, 'personal_identity_required', seen.error?.reason)
          : undefined,
    },
  }),
  ...rulesOf('CHAT-17', {
    'limit-form': {
      says: 'A turn over the limit is refused with 429, rate_limited, retryable.',
      alone: true,
      judge: (seen) =>
        seen.operation.name === 'chat' && seen.answered.status === 429 && seen.error?.reason === 'rate_limited'
          ? is(`error.metadata.retryable of ${told(seen)}`, true, seen.error.retryable)
          : undefined,
    },
    'limit-says-when': {
      level: 'P',
      says: 'A turn over the limit says when to try again: Retry-After has seconds or a date.',
      alone: true,
      judge: (seen) => {
        if (seen.operation.name !== 'chat' || seen.answered.status !== 429 || seen.error?.reason !== 'rate_limited')
          return undefined;
        const when = seen.answered.header('retry-after');
        const says =
          when !== undefined && (/^\d+$/.test(when) || (/GMT$/.test(when) && !Number.isNaN(Date.parse(when))));
        return holds(says, `Retry-After of ${told(seen)}`, 'seconds or an HTTP date', when);
      },
    },
  }),
];
