import { Refusal } from '../../emulator/contract/errors.js';
import type { Route } from '../../emulator/http/route.js';
import { errorAnswer, errors, operationOf, parses, reads, requests, rows, served } from './change.js';
import { isObject } from './change-lifecycle.js';
import { defineDeviations } from './deviation.js';

const LIFECYCLE = ['create', 'update', 'delete'] as const;
const ACTIONS = ['provision', 'suspend'] as const;

const withType = (change: (type: string) => string) =>
  requests((request) => {
    const type = request.headers.get('content-type');
    if (type === null) return request;
    const headers = new Headers(request.headers);
    headers.set('content-type', change(type));
    return new Request(request, { headers });
  });

const json = (type: 'required' | 'ignored') => (row: Route) => ({ ...row, body: { ...row.body, json: type } });

const CAP = 1_048_576;

/** Refuses bodies beside those that are too large. */
const capped = (of: Parameters<typeof rows>[0], tooLarge: (bytes: Uint8Array) => boolean) =>
  rows(of, (row) => ({
    ...row,
    parse(parts) {
      if (tooLarge(parts.bytes)) throw new Refusal('payload_too_large');
      return row.parse(parts);
    },
  }));

const writes = (row: Route) => row.body.read;

export const BODIES = defineDeviations([
  {
    name: 'media-type-not-looked-at',
    requirement: 'BODY-3',
    description: 'Create, update and delete take a body of any media type.',
    alters: rows(LIFECYCLE, json('ignored')),
    caughtBy: ['bodies/media-type', 'bodies/media-type-family', 'order/pairs'],
  },
  {
    name: 'media-type-of-a-delete-not-looked-at',
    requirement: 'BODY-3',
    description: 'Delete takes a body of any media type.',
    alters: rows('delete', json('ignored')),
    caughtBy: ['bodies/media-type'],
  },
  {
    name: 'media-type-of-signing-not-looked-at',
    requirement: 'BODY-3',
    description: 'Signing takes a body of any media type.',
    alters: rows('sign', json('ignored')),
    caughtBy: ['bodies/media-type-of-signing', 'sign/refusals', 'order/pairs'],
  },
  {
    name: 'media-type-of-the-json-family',
    requirement: 'BODY-3',
    description: 'Any type that ends in +json is taken.',
    alters: withType((type) => (/^[^;]*\+json/i.test(type) || /^text\/json/i.test(type) ? 'application/json' : type)),
    caughtBy: ['bodies/media-type-family'],
  },
  {
    name: 'media-type-that-begins-so',
    requirement: 'BODY-3',
    description: 'Any type that begins with application/json is taken.',
    alters: withType((type) => (/^application\/json/i.test(type) ? 'application/json' : type)),
    caughtBy: ['bodies/media-type'],
  },
  {
    name: 'media-type-without-parameters',
    requirement: 'BODY-3',
    description: 'application/json; charset=utf-8 is refused.',
    alters: withType((type) => (type.includes(';') ? 'text/plain' : type)),
    caughtBy: ['bodies/media-type', 'bodies/media-type-of-signing'],
  },
  {
    name: 'media-type-in-lower-case-only',
    requirement: 'BODY-3',
    description: 'Application/JSON is refused.',
    alters: withType((type) => (type === type.toLowerCase() ? type : 'text/plain')),
    caughtBy: ['bodies/media-type', 'bodies/media-type-of-signing'],
  },
  {
    name: 'media-type-missing-is-json',
    requirement: 'BODY-3',
    description: 'A body without a content type is taken for JSON.',
    alters: requests((request) => {
      if (request.headers.has('content-type')) return request;
      const headers = new Headers(request.headers);
      headers.set('content-type', 'application/json');
      return new Request(request, { headers });
    }),
    caughtBy: ['bodies/media-type', 'bodies/media-type-of-signing', 'bodies/provision-media-type'],
  },
  {
    name: 'media-type-refused-with-400',
    requirement: 'BODY-3',
    description: 'Another media type is 400.',
    alters: errors(({ status }) => (status === 415 ? { status: 400 } : undefined)),
    caughtBy: [
      'bodies/media-type',
      'bodies/media-type-of-signing',
      'bodies/media-type-family',
      'bodies/provision-media-type',
      'sign/refusals',
    ],
  },
  {
    name: 'media-type-of-chat-looked-at',
    requirement: 'BODY-3',
    description: 'Chat and invoke refuse another media type.',
    alters: rows(['chat', 'invoke'], json('required')),
    caughtBy: ['bodies/chat-and-invoke-any-type', 'chat-requests/media-type-not-looked-at'],
  },
  {
    name: 'media-type-of-actions-not-looked-at',
    requirement: 'BODY-1',
    description: 'Provision and suspend take a body of any media type.',
    alters: rows(ACTIONS, json('ignored')),
    caughtBy: ['bodies/provision-media-type'],
  },
  {
    name: 'media-type-before-size',
    requirement: 'BODY-5',
    description: 'Of an oversized body of another media type the media type is told.',
    alters: served((answer, request, resource) => {
      const row = resource.routes.find((one) => one.method === request.method);
      const type = request.headers.get('content-type') ?? '';
      return answer.status === 413 && row?.body.json === 'required' && !/^application\/json *(;|$)/i.test(type)
        ? errorAnswer(415, 'Request body must be sent as application/json', 'unsupported_media_type')
        : answer;
    }),
    caughtBy: ['order/pairs', 'order/any-faults'],
  },
  {
    name: 'body-before-media-type',
    requirement: 'BODY-5',
    description: 'Of a body of another media type that is no JSON the body is told.',
    alters: rows(LIFECYCLE, (row) => ({
      ...row,
      body: { ...row.body, json: 'ignored' },
      parse(parts) {
        const input = row.parse(parts);
        if (parts.bytes.length > 0 && !/^application\/json *(;|$)/i.test(parts.headers.get('content-type') ?? ''))
          throw new Refusal('unsupported_media_type');
        return input;
      },
    })),
    caughtBy: ['order/pairs'],
  },
  {
    name: 'kind-after-body',
    requirement: 'BODY-5',
    description: 'An API key that signs with a bad body is 400 instead of 403.',
    alters: rows('sign', (row) => ({
      ...row,
      credential: 'any',
      authorize(call) {
        if (call.caller.kind !== 'oauth' || call.caller.grant !== 'full')
          throw new Refusal('personal_identity_required');
      },
    })),
    caughtBy: ['order/pairs', 'order/any-faults'],
  },
  {
    name: 'workspace-before-key',
    requirement: 'BODY-5',
    description: 'A foreign workspace is told before a bad Idempotency-Key.',
    alters: parses('create', (parse, parts) => {
      try {
        return parse(parts);
      } catch (error) {
        const value = parts.json();
        if (error instanceof Refusal && error.key === 'invalid_idempotency_key' && isObject(value)) {
          const own = parse({ bytes: parts.bytes, query: parts.query, headers: new Headers(), json: () => value });
          return { ...(own as object), key: '' };
        }
        throw error;
      }
    }),
    caughtBy: ['order/workspace-after-body', 'create/key-lengths'],
  },
  {
    name: 'fault-after-state',
    requirement: 'BODY-5',
    description: 'An injected fault is met only by calls that the state allows.',
    alters: () => {
      let take: (operation: Route['operation']) => { status?: number | undefined } | undefined = () => undefined;
      return {
        faults(usual) {
          take = usual.take;
          return { ...usual, take: () => undefined };
        },
        routes: (table) =>
          table.map((row) => ({
            ...row,
            async handle(call) {
              const answer = await row.handle(call);
              const fault = take(row.operation);
              return fault?.status === undefined ? answer : errorAnswer(fault.status, 'Injected', 'injected', true);
            },
          })),
      };
    },
    caughtBy: ['faults/nothing-was-done', 'order/fault-before-state', 'faults/starts-nothing'],
  },
  {
    name: 'actions-ignore-their-body',
    requirement: 'BODY-1',
    description: 'Provision and suspend ignore whatever body they get.',
    alters: parses(ACTIONS, () => undefined),
    caughtBy: ['bodies/any-field-is-refused', 'bodies/no-object-where-none-is-taken'],
  },
  {
    name: 'actions-take-what-is-no-object',
    requirement: 'BODY-1',
    description: 'Provision and suspend take arrays, texts, numbers and null.',
    alters: reads(ACTIONS, (value) => (isObject(value) ? value : undefined)),
    caughtBy: ['bodies/no-object-where-none-is-taken'],
  },
  {
    name: 'actions-refuse-an-empty-object',
    requirement: 'BODY-1',
    description: 'Provision and suspend refuse {}.',
    alters: reads(ACTIONS, (value) => (isObject(value) ? { ...value, any: true } : value)),
    caughtBy: ['bodies/no-field'],
  },
  {
    name: 'actions-refuse-white-space',
    requirement: 'BODY-1',
    description: 'Provision and suspend refuse white space.',
    alters: parses(ACTIONS, (parse, parts) => {
      if (parts.bytes.length > 0 && parts.json() === undefined) throw new Refusal('invalid_body');
      return parse(parts);
    }),
    caughtBy: ['bodies/no-field'],
  },
  {
    name: 'malformed-body-is-empty',
    requirement: 'BODY-4',
    description: 'A body of update and delete that is no JSON is taken for an empty one.',
    alters: parses(['update', 'delete'], (parse, parts) => {
      try {
        parts.json();
        return parse(parts);
      } catch (error) {
        if (!(error instanceof Refusal) || !error.detail?.startsWith('the body is not JSON')) throw error;
        return parse({ bytes: parts.bytes, query: parts.query, headers: parts.headers, json: () => ({}) });
      }
    }),
    caughtBy: ['bodies/malformed', 'base/malformed-json-is-400'],
  },
  {
    name: 'malformed-body-is-500',
    requirement: 'BODY-4',
    description: 'A create with a body that is no JSON is 500.',
    alters: errors(({ status, request, resource }) =>
      status === 400 && operationOf(resource, request.method) === 'create' ? { status: 500 } : undefined,
    ),
    caughtBy: ['bodies/malformed', 'bodies/empty', 'base/malformed-json-is-400'],
  },
  {
    name: 'empty-body-is-411',
    requirement: 'BODY-4',
    description: 'Create and signing without a body are 411.',
    alters: parses(['create', 'sign'], (parse, parts) => {
      if (parts.bytes.length === 0) throw new Refusal('unsupported_media_type');
      return parse(parts);
    }),
    caughtBy: ['bodies/empty'],
  },
  {
    name: 'chat-bodies-of-another-reason',
    requirement: 'BODY-4',
    description: 'A chat or invoke body that is no JSON has the reason invalid_body.',
    alters: rows(['chat', 'invoke'], (row) => ({ ...row, body: { ...row.body, invalid: 'invalid_body' } })),
    caughtBy: ['bodies/chat-and-invoke-reason'],
  },
  {
    name: 'cap-not-there',
    requirement: 'BODY-2',
    description: 'An oversized body is 400.',
    alters: errors(({ status }) => (status === 413 ? { status: 400 } : undefined)),
    caughtBy: [
      'bodies/cap',
      'bodies/cap-of-signing',
      'bodies/cap-of-every-write',
      'bodies/cap-in-bytes',
      'bodies/cap-whatever-it-holds',
      'bodies/cap-elsewhere',
      'sign/refusals',
      'order/pairs',
    ],
  },
  {
    name: 'cap-with-the-limit-itself',
    requirement: 'BODY-2',
    description: 'A body of exactly 1048576 bytes is 413.',
    alters: capped(writes, (bytes) => bytes.length >= CAP),
    caughtBy: ['bodies/cap', 'bodies/cap-of-signing', 'bodies/cap-elsewhere'],
  },
  {
    name: 'cap-of-a-million',
    requirement: 'BODY-2',
    description: 'A body of more than 1000000 bytes is 413.',
    alters: capped(writes, (bytes) => bytes.length > 1_000_000),
    caughtBy: ['bodies/cap', 'bodies/cap-of-signing', 'bodies/cap-of-every-write', 'bodies/cap-elsewhere'],
  },
  {
    name: 'cap-only-of-declared-lengths',
    requirement: 'BODY-2',
    description: 'An oversized body in chunks is not 413.',
    alters: served((answer, request) =>
      answer.status === 413 && !request.headers.has('content-length')
        ? errorAnswer(400, 'Invalid request body', 'invalid_body')
        : answer,
    ),
    caughtBy: ['bodies/cap', 'bodies/cap-of-signing', 'bodies/cap-elsewhere'],
  },
  {
    name: 'cap-in-characters',
    requirement: 'BODY-2',
    description: 'The cap counts characters.',
    alters: {
      pipeline: (serve) => async (request, resource, framed) => {
        const copy = request.body ? request.clone() : undefined;
        const answer = await serve(request, resource, framed);
        if (answer.status !== 413 || !copy) return answer;
        return (await copy.text()).length <= CAP ? errorAnswer(400, 'Invalid request body', 'invalid_body') : answer;
      },
    },
    caughtBy: ['bodies/cap-in-bytes'],
  },
  {
    name: 'cap-not-for-white-space',
    requirement: 'BODY-2',
    description: 'An oversized body of white space is not 413.',
    alters: {
      pipeline: (serve) => async (request, resource, framed) => {
        const copy = request.body ? request.clone() : undefined;
        const answer = await serve(request, resource, framed);
        if (answer.status !== 413 || !copy) return answer;
        return (await copy.text()).trim() === '' ? errorAnswer(400, 'Invalid request body', 'invalid_body') : answer;
      },
    },
    caughtBy: ['bodies/cap-whatever-it-holds', 'sign/refusals'],
  },
  {
    name: 'cap-not-for-updates',
    requirement: 'BODY-2',
    description: 'An oversized update is 400.',
    alters: served((answer, request) =>
      answer.status === 413 && request.method === 'PATCH'
        ? errorAnswer(400, 'Invalid request body', 'invalid_body')
        : answer,
    ),
    caughtBy: ['bodies/cap', 'bodies/cap-of-every-write'],
  },
  {
    name: 'cap-not-for-chat',
    requirement: 'BODY-2',
    description: 'Chat, invoke, provision and suspend refuse an oversized body as invalid.',
    alters: served((answer, request, resource) =>
      answer.status === 413 &&
      ['chat', 'invoke', 'provision', 'suspend'].includes(String(operationOf(resource, request.method)))
        ? errorAnswer(400, 'Invalid request body', 'bad_request')
        : answer,
    ),
    caughtBy: ['bodies/cap-elsewhere'],
  },
  {
    name: 'cap-with-another-message',
    requirement: 'BODY-2',
    description: 'The message of a 413 is `Payload too large`.',
    alters: errors(({ status, error }) =>
      status === 413 ? { error: { ...error, message: 'Payload too large' } } : undefined,
    ),
    caughtBy: ['bodies/cap', 'bodies/cap-of-signing', 'bodies/cap-elsewhere'],
  },
]);
