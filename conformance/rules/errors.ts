import { DAEMON, isSigning, SIGNING as SIGNS } from '../model/operations.js';
import { isRecord } from '../probe/json.js';
import {
  all,
  holds,
  is,
  isDone,
  isFromService,
  type Judgement,
  OF_OTHERS,
  type Rule,
  rulesOf,
  type Seen,
} from './rule.js';

type SigningRow = readonly [message: RegExp, reason: string, retryable: boolean];
/** The row of the service's own limiter. Gateways use other words for the same status. */
const LIMITED: SigningRow = [/^Too many intern turns/, 'rate_limited', true];
/** The catalogue of signing (Signing route errors). */
const SIGNING: Readonly<Record<number, SigningRow>> = {
  400: [/^Invalid request body/, 'invalid_body', false],
  403: [/^Personal connections require the OIDC login/, 'personal_identity_required', false],
  404: [/^Intern not found/, 'not_found', false],
  408: [/^Operation timed out/, 'timeout', true],
  413: [/^Request body exceeds 1048576 bytes/, 'payload_too_large', false],
  415: [/^Request body must be sent as application\/json/, 'unsupported_media_type', false],
  429: LIMITED,
  500: [/^The request could not be completed/, 'internal_error', true],
};
/** The catalogue of the mapping read. */
const SCIM: Readonly<Record<number, string>> = {
  401: 'Missing Authentication header',
  404: 'Resource not found',
  500: 'Internal Server Error',
};
/** The rows that all operations with a largest body and a media type share. */
const BODIES: Readonly<Record<number, readonly [reason: string, message: RegExp]>> = {
  413: ['payload_too_large', /^Request body exceeds 1048576 bytes/],
  415: ['unsupported_media_type', /^Request body must be sent as application\/json/],
};

/** Published reasons: the statuses of each, and whether the request may be retried. */
const REASONS: Readonly<Record<string, readonly [statuses: readonly number[], retryable: boolean]>> = {
  not_found: [[404], false],
  method_not_allowed: [[405], false],
  personal_identity_required: [[403], false],
  payload_too_large: [[413], false],
  unsupported_media_type: [[415], false],
  invalid_body: [[400], false],
  bad_request: [[400], false],
  idempotency_key_reused: [[409], false],
  name_conflict: [[409], false],
  intern_busy: [[409], false],
  intern_not_ready: [[409], true],
  intern_not_running: [[409], false],
  interaction_unknown: [[404], false],
  interaction_not_pending: [[409], false],
  busy: [[409, 503], true],
  rate_limited: [[429], true],
  timeout: [[408, 504], true],
  internal_error: [[500], true],
  run_ended: [[410], false],
};

/** Kept if a published reason comes with its published status and retryable flag. */
export function reasonIs(of: string, reason: unknown, status: unknown, retryable: unknown): Judgement {
  const row = typeof reason === 'string' && Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
  if (row === undefined) return undefined;
  const [statuses, again] = row;
  return all(
    holds(
      statuses.some((one) => one === status),
      `status of ${of} for ${String(reason)}`,
      statuses.join(' or '),
      status,
    ),
    is(`error.metadata.retryable of ${of} for ${String(reason)}`, again, retryable),
  );
}

/** An id of a request that answers echo. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** A media type of JSON: application/json, or one with the suffix +json (RFC 6839). */
const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

const isOurs = (seen: Seen): boolean => seen.answered.status >= 400 && isFromService(seen);
const answerOf = (seen: Seen): string => `a ${seen.answered.status} of ${seen.called}`;

/** Whether the signing operation itself answered: not a limiter or firewall before it, and not the gate of the programme. */
const isOfSigning = (seen: Seen): boolean =>
  isOurs(seen) &&
  !seen.asked.regional &&
  seen.caller?.kind !== 'outsider' &&
  (seen.answered.status !== 429 || seen.error?.reason === LIMITED[1] || LIMITED[0].test(String(seen.error?.message)));

const message = (seen: Seen, pattern: RegExp): Judgement =>
  holds(
    typeof seen.error?.message === 'string' && pattern.test(seen.error.message),
    `error.message of ${answerOf(seen)}`,
    `a message that matches ${pattern}`,
    seen.error?.message,
  );

/** Kept if `Retry-After` says when to send the request again. */
const saysWhen = (seen: Seen): Judgement => {
  const value = seen.answered.header('retry-after') ?? '';
  return holds(
    /^\d+$/.test(value) || (/GMT$/.test(value) && !Number.isNaN(Date.parse(value))),
    `Retry-After of ${answerOf(seen)}`,
    'seconds, or a date',
    value,
  );
};

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
  ...rulesOf('SIGN-10', SIGNS, {
    catalogue: {
      says: 'An error of the signing route has the message, reason and retryable flag of its status.',
      alone: true,
      judge: (seen) => {
        const row = isOfSigning(seen) ? SIGNING[seen.answered.status] : undefined;
        if (row === undefined || seen.error === undefined) return undefined;
        const [pattern, reason, retryable] = row;
        return all(
          is(`error.metadata.reason of ${answerOf(seen)}`, reason, seen.error.reason),
          is(`error.metadata.retryable of ${answerOf(seen)}`, retryable, seen.error.retryable),
          // A gateway may limit any request, with other words.
          seen.answered.status === 429 ? undefined : message(seen, pattern),
        );
      },
    },
    'key-message': {
      says: 'A missing or invalid key on the signing route gets the message: Invalid or missing API key.',
      alone: true,
      judge: (seen) =>
        isOurs(seen) && seen.answered.status === 401 && seen.caller === null
          ? message(seen, /^Invalid or missing API key/)
          : undefined,
    },
  }),
  ...rulesOf('SCIM-2', ['scim'], {
    catalogue: {
      says: 'An error of the mapping read has the message of its status.',
      alone: true,
      judge: (seen) => {
        const wanted = isOurs(seen) && !seen.asked.regional ? SCIM[seen.answered.status] : undefined;
        if (wanted === undefined || (seen.answered.status === 401 && seen.caller !== null)) return undefined;
        return is(`error.message of ${answerOf(seen)}`, wanted, seen.error?.message);
      },
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
  ...rulesOf('BODY-2', ['create', 'update', 'delete'], {
    'refusal-form': {
      requirement: 'BODY-2',
      level: 'P',
      says: 'A 413 or 415 of create, update or delete has the message and reason that are stated for signing.',
      alone: true,
      judge: (seen) => {
        const row = isOurs(seen) ? BODIES[seen.answered.status] : undefined;
        if (row === undefined || seen.error?.metadata === undefined) return undefined;
        return all(is(`error.metadata.reason of ${answerOf(seen)}`, row[0], seen.error.reason), message(seen, row[1]));
      },
    },
  }),
  ...rulesOf('BODY-3', ['chat', 'invoke', 'store secret', 'store intern secret'], {
    'media-type-ignored': {
      level: 'C',
      says: 'Chat, invoke and the store of a secret ignore the media type: none answers 415.',
      alone: true,
      judge: (seen) => holds(seen.answered.status !== 415, `status of ${seen.called}`, 'no 415', seen.answered.status),
    },
  }),
  ...rulesOf('AUTH-7', DAEMON, {
    reason: {
      says: 'A daemon access that is refused to an API key has the reason personal_identity_required.',
      alone: true,
      judge: (seen) =>
        seen.answered.status === 403 && seen.caller?.kind === 'key' && !seen.asked.regional && isOurs(seen)
          ? is(`error.metadata.reason of ${answerOf(seen)}`, 'personal_identity_required', seen.error?.reason)
          : undefined,
    },
  }),
  ...rulesOf('CHAT-17', {
    'limit-form': {
      says: 'A turn over the limit is refused with 429, rate_limited, retryable.',
      alone: true,
      of: ['chat'],
      judge: (seen) =>
        seen.answered.status === 429 && seen.error?.reason === 'rate_limited'
          ? is(`error.metadata.retryable of ${answerOf(seen)}`, true, seen.error.retryable)
          : undefined,
    },
    'limit-says-when': {
      level: 'P',
      says: 'The refusal of a turn over the limit says in Retry-After when to send it again.',
      alone: true,
      of: ['chat', 'invoke'],
      judge: (seen) =>
        seen.answered.status === 429 && seen.error?.reason === 'rate_limited' ? saysWhen(seen) : undefined,
    },
    'busy-says-when': {
      requirement: 'CHAT-14',
      level: 'P',
      says: 'The refusal of a prompt by a busy intern says in Retry-After when to send it again.',
      alone: true,
      of: ['chat'],
      judge: (seen) => (seen.error?.reason === 'busy' ? saysWhen(seen) : undefined),
    },
  }),
];
