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
  'media-type-not-looked-at': {
    description: 'Create, update and delete take a body of any media type.',
    mutant: routes(LIFECYCLE, json('ignored')),
  },
  'media-type-without-parameters': {
    description: 'application/json; charset=utf-8 is refused.',
    mutant: rewriteHeader('content-type', (type) => (type?.includes(';') ? 'text/plain' : type)),
  },
  'media-type-refused-with-400': {
    description: 'Another media type is 400.',
    mutant: errors({ status: 415 }, { status: 400 }),
  },
  'media-type-for-another-reason': {
    description: 'Another media type is 415 invalid_body.',
    mutant: errors({ status: 415 }, { reason: 'invalid_body' }),
  },
  'media-type-of-chat-looked-at': {
    description: 'Chat and invoke refuse another media type.',
    mutant: routes(['chat', 'invoke'], json('required')),
  },
  'media-type-of-actions-not-looked-at': {
    description: 'Provision and suspend take a body of any media type.',
    mutant: routes(ACTIONS, json('ignored')),
  },
  'media-type-before-size': {
    description: 'An oversized body of another media type is 415.',
    mutant: answers(
      { of: ({ operation, request }) => isTyped(operation) && !isJsonType(request), status: 413 },
      errorReply(415, 'Request body must be sent as application/json', 'unsupported_media_type'),
    ),
  },
  'body-before-media-type': {
    description: 'A body of another media type that is not JSON is 400.',
    mutant: routes(LIFECYCLE, (row) => ({
      ...row,
      body: { ...row.body, json: 'ignored' },
      parse(parts) {
        const input = row.parse(parts);
        if (parts.bytes.length > 0 && !/^application\/json *(;|$)/i.test(parts.headers.get('content-type') ?? ''))
          throw new Refusal('unsupported_media_type');
        return input;
      },
    })),
  },
  'workspace-before-key': {
    description: 'A bad Idempotency-Key is ignored, so that a foreign workspace is 404.',
    mutant: tryAgain('create', (_status, { reason }, request) =>
      reason === 'invalid_body' && request.headers.has('idempotency-key')
        ? withHeader(request, 'idempotency-key', undefined)
        : undefined,
    ),
  },
  'fault-after-state': {
    description: 'An injected fault is met only by calls that the state allows.',
    mutant: holding(
      'createFaults',
      (faults) =>
        rewriteReply((reply, { operation }) => {
          const fault = reply.status < 400 && operation ? faults()?.take(operation) : undefined;
          return fault?.status === undefined ? reply : errorReply(fault.status, 'Injected', 'injected', true);
        }),
      (usual) => ({ ...usual, take: () => undefined }),
    ),
  },
  'actions-ignore-their-body': {
    description: 'Provision and suspend ignore whatever body they get.',
    mutant: rewriteRequest((request, { operation }) =>
      operation === 'provision' || operation === 'suspend' ? withRequest(request, { body: undefined }) : request,
    ),
  },
  'actions-take-what-is-no-object': {
    description: 'Provision and suspend take arrays, texts, numbers and null.',
    mutant: rewriteBody(ACTIONS, (value) => (isObject(value) ? value : undefined)),
  },
  'actions-refuse-an-empty-object': {
    description: 'Provision and suspend refuse {}.',
    mutant: rewriteBody(ACTIONS, (value) => (isObject(value) ? { ...value, any: true } : value)),
  },
  'malformed-body-is-empty': {
    description: 'A body of update and delete that is not JSON counts as an empty one.',
    mutant: tryAgain(['update', 'delete'], async (status, _error, request) =>
      status === 400 && jsonOf(await request.clone().text()) === undefined
        ? withRequest(request, { body: '{}' })
        : undefined,
    ),
  },
  'malformed-body-is-500': {
    description: 'A create with a body that is not JSON is 500.',
    mutant: errors({ of: 'create', status: 400 }, { status: 500 }),
  },
  'cap-not-there': {
    description: 'An oversized body is 400.',
    mutant: errors({ status: 413 }, { status: 400 }),
  },
  'cap-for-another-reason': {
    description: 'An oversized body is 413 invalid_body.',
    mutant: errors({ status: 413, reason: 'payload_too_large' }, { reason: 'invalid_body' }),
  },
  'cap-with-the-limit-itself': {
    description: 'A body of exactly 1048576 bytes is 413.',
    mutant: rewriteRequest(async (request) => {
      const body = request.body ? await request.clone().text() : '';
      return body.length === CAP ? withRequest(request, { body: `${body} ` }) : request;
    }),
  },
  'cap-in-characters': {
    description: 'The cap counts characters.',
    mutant: exchanges(async ({ request }, next) => {
      const copy = request.body ? request.clone() : undefined;
      const response = await next(request);
      return response.status === 413 && copy && (await copy.text()).length <= CAP ? responseOf(INVALID) : response;
    }),
  },
  'cap-not-for-updates': {
    description: 'An oversized update is 400.',
    mutant: answers({ of: ({ request }) => request.method === 'PATCH', status: 413 }, INVALID),
  },
  'media-type-of-invoke-looked-at': {
    description: 'Invoke refuses another media type.',
    mutant: routes('invoke', json('required')),
  },
  'media-type-of-updates-may-be-text': {
    description: 'An update takes text/plain.',
    mutant: rewriteHeader('content-type', (type, { operation }) =>
      operation === 'update' && type?.startsWith('text/plain') ? 'application/json' : type,
    ),
  },
  'media-type-of-deletes-may-be-missing': {
    description: 'A delete takes a body without a content type.',
    mutant: rewriteHeader('content-type', (type, { operation }) =>
      operation === 'delete' ? (type ?? 'application/json') : type,
    ),
  },
  'provision-drops-fields-that-are-null': {
    description: 'A field that is null is none, on provision and suspend.',
    mutant: withoutFields(ACTIONS, (_, value) => value === null),
  },
  'suspend-refused-and-done': {
    description: 'A suspend with a field is 400 and stops the intern all the same.',
    mutant: doneAllTheSame(({ operation }, { status }) => operation === 'suspend' && status === 400),
  },
});
