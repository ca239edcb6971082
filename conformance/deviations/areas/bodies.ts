import { Refusal } from '../../../emulator/contract/errors.js';
import type { Route } from '../../../emulator/http/route.js';
import {
  isJsonType,
  isObject,
  jsonOf,
  type Operation,
  TYPED,
  withHeader,
  withRequest,
} from '../combinators/exchange.js';
import { holding, routes } from '../combinators/parts.js';
import { answers, errorReply, errors, exchanges, responseOf, rewriteReply } from '../combinators/replies.js';
import {
  doneAllTheSame,
  rewriteBody,
  rewriteHeader,
  rewriteRequest,
  tryAgain,
  withoutFields,
} from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

const LIFECYCLE = ['create', 'update', 'delete'] as const;
const ACTIONS = ['provision', 'suspend'] as const;

const json = (type: 'required' | 'ignored') => (row: Route) => ({ ...row, body: { ...row.body, json: type } });

const CAP = 1_048_576;
const INVALID = errorReply(400, 'Invalid request body', 'invalid_body');

const isTyped = (operation: Operation | undefined) => operation !== undefined && TYPED.includes(operation);

export const BODIES = defineDeviations({
  // Create, update and delete take a body of any media type.
  'media-type-not-looked-at': routes(LIFECYCLE, json('ignored')),
  // application/json; charset=utf-8 is refused.
  'media-type-without-parameters': rewriteHeader('content-type', (type) => (type?.includes(';') ? 'text/plain' : type)),
  'media-type-refused-with-400': errors({ status: 415 }, { status: 400 }),
  'media-type-for-another-reason': errors({ status: 415 }, { reason: 'invalid_body' }),
  // Chat and invoke refuse another media type.
  'media-type-of-chat-looked-at': routes(['chat', 'invoke'], json('required')),
  // Provision and suspend take a body of any media type.
  'media-type-of-actions-not-looked-at': routes(ACTIONS, json('ignored')),
  // An oversized body of another media type is 415.
  'media-type-before-size': answers(
    { of: ({ operation, request }) => isTyped(operation) && !isJsonType(request), status: 413 },
    errorReply(415, 'Request body must be sent as application/json', 'unsupported_media_type'),
  ),
  // A body of another media type that is not JSON is 400.
  'body-before-media-type': routes(LIFECYCLE, (row) => ({
    ...row,
    body: { ...row.body, json: 'ignored' },
    parse(parts) {
      const input = row.parse(parts);
      if (parts.bytes.length > 0 && !/^application\/json *(;|$)/i.test(parts.headers.get('content-type') ?? ''))
        throw new Refusal('unsupported_media_type');
      return input;
    },
  })),
  // A bad Idempotency-Key is ignored, so that a foreign workspace is 404.
  'workspace-before-key': tryAgain('create', (_status, { reason }, request) =>
    reason === 'invalid_body' && request.headers.has('idempotency-key')
      ? withHeader(request, 'idempotency-key', undefined)
      : undefined,
  ),
  // An injected fault is met only by calls that the state allows.
  'fault-after-state': holding(
    'createFaults',
    (faults) =>
      rewriteReply((reply, { operation }) => {
        const fault = reply.status < 400 && operation ? faults()?.take(operation) : undefined;
        return fault?.status === undefined ? reply : errorReply(fault.status, 'Injected', 'injected', true);
      }),
    (usual) => ({ ...usual, take: () => undefined }),
  ),
  // Provision and suspend ignore whatever body they get.
  'actions-ignore-their-body': rewriteRequest((request, { operation }) =>
    operation === 'provision' || operation === 'suspend' ? withRequest(request, { body: undefined }) : request,
  ),
  // Provision and suspend take arrays, texts, numbers and null.
  'actions-take-what-is-no-object': rewriteBody(ACTIONS, (value) => (isObject(value) ? value : undefined)),
  // Provision and suspend refuse {}.
  'actions-refuse-an-empty-object': rewriteBody(ACTIONS, (value) =>
    isObject(value) ? { ...value, any: true } : value,
  ),
  'malformed-body-is-empty': tryAgain(['update', 'delete'], async (status, _error, request) =>
    status === 400 && jsonOf(await request.clone().text()) === undefined
      ? withRequest(request, { body: '{}' })
      : undefined,
  ),
  // A create with a body that is not JSON is 500.
  'malformed-body-is-500': errors({ of: 'create', status: 400 }, { status: 500 }),
  // An oversized body is 400.
  'cap-not-there': errors({ status: 413 }, { status: 400 }),
  // An oversized body is 413 invalid_body.
  'cap-for-another-reason': errors({ status: 413, reason: 'payload_too_large' }, { reason: 'invalid_body' }),
  // A body of exactly 1048576 bytes is 413.
  'cap-with-the-limit-itself': rewriteRequest(async (request) => {
    const body = request.body ? await request.clone().text() : '';
    return body.length === CAP ? withRequest(request, { body: `${body} ` }) : request;
  }),
  'cap-in-characters': exchanges(async ({ request }, next) => {
    const copy = request.body ? request.clone() : undefined;
    const response = await next(request);
    return response.status === 413 && copy && (await copy.text()).length <= CAP ? responseOf(INVALID) : response;
  }),
  // An oversized update is 400.
  'cap-not-for-updates': answers({ of: ({ request }) => request.method === 'PATCH', status: 413 }, INVALID),
  // Invoke refuses another media type.
  'media-type-of-invoke-looked-at': routes('invoke', json('required')),
  'media-type-of-updates-may-be-text': rewriteHeader('content-type', (type, { operation }) =>
    operation === 'update' && type?.startsWith('text/plain') ? 'application/json' : type,
  ),
  // A delete takes a body without a content type.
  'media-type-of-deletes-may-be-missing': rewriteHeader('content-type', (type, { operation }) =>
    operation === 'delete' ? (type ?? 'application/json') : type,
  ),
  // A field that is null is none, on provision and suspend.
  'provision-drops-fields-that-are-null': withoutFields(ACTIONS, (_, value) => value === null),
  // A suspend with a field is 400 and stops the intern all the same.
  'suspend-refused-and-done': doneAllTheSame(({ operation }, { status }) => operation === 'suspend' && status === 400),
});
