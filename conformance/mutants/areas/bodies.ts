import { Refusal } from '../../../emulator/contract/errors.js';
import type { Route } from '../../../emulator/http/route.js';
import { isRecord, jsonOf } from '../../../emulator/wire/json.js';
import { withRequest } from '../../../emulator/wire/request.js';
import { defineMutants } from '../mutant.js';
import { answers, errorReply, errors, exchanges, refused, replies, responseOf } from '../operators/answers.js';
import { all, isJsonType, method, TYPED } from '../operators/exchange.js';
import { holding, routes } from '../operators/parts.js';
import { ANY, again, asked, bodies, doneAllTheSame, header, withoutFields } from '../operators/requests.js';

const LIFECYCLE = ['create', 'update', 'delete'] as const;
const ACTIONS = ['provision', 'suspend'] as const;
const TYPE = 'content-type';

const json = (type: 'required' | 'ignored') => (row: Route) => ({ body: { ...row.body, json: type } });

const CAP = 1_048_576;

export const BODIES = defineMutants({
  'media-type-not-looked-at': routes(LIFECYCLE, json('ignored')),
  'media-type-without-parameters': header(ANY, TYPE, (type) => (type?.includes(';') ? 'text/plain' : type)),
  'media-type-refused-with-400': errors({ status: 415 }, { status: 400 }),
  'media-type-for-another-reason': errors({ status: 415 }, { reason: 'invalid_body' }),
  'media-type-of-chat-looked-at': routes(['chat', 'invoke'], json('required')),
  'media-type-of-actions-not-looked-at': routes(ACTIONS, json('ignored')),
  // An oversized body of another media type is 415.
  'media-type-before-size': answers(
    { of: all(TYPED, ({ request }) => !isJsonType(request)), status: 413 },
    refused('unsupported_media_type'),
  ),
  // A body of another media type that is not JSON is 400.
  'body-before-media-type': routes(LIFECYCLE, (row) => ({
    body: { ...row.body, json: 'ignored' },
    parse(parts) {
      const input = row.parse(parts);
      if (parts.bytes.length > 0 && !/^application\/json *(;|$)/i.test(parts.headers.get(TYPE) ?? ''))
        throw new Refusal('unsupported_media_type');
      return input;
    },
  })),
  // A bad Idempotency-Key is ignored, so that a foreign workspace is 404.
  'workspace-before-key': again({ of: 'create', reason: 'invalid_body' }, (request) =>
    request.headers.has('idempotency-key')
      ? withRequest(request, { headers: { 'idempotency-key': undefined } })
      : undefined,
  ),
  // An injected fault is met only by calls that the state allows.
  'fault-after-state': holding(
    'createFaults',
    (faults) =>
      replies((reply, { operation }) => {
        const fault = reply.status < 400 && operation ? faults()?.take(operation) : undefined;
        return fault?.status === undefined ? reply : errorReply(fault.status, 'Injected', 'injected', true);
      }),
    (usual) => ({ ...usual, take: () => undefined }),
  ),
  'actions-ignore-their-body': asked(ACTIONS, (request) => withRequest(request, { body: undefined })),
  'actions-take-what-is-no-object': bodies(ACTIONS, (value) => (isRecord(value) ? value : undefined)),
  'actions-refuse-an-empty-object': bodies(ACTIONS, (value) => (isRecord(value) ? { ...value, any: true } : value)),
  // A body of update and delete that is not JSON counts as an empty one.
  'malformed-body-is-empty': again({ of: ['update', 'delete'], status: 400 }, async (request) =>
    jsonOf(await request.clone().text()) === undefined ? withRequest(request, { body: '{}' }) : undefined,
  ),
  'malformed-body-is-500': errors({ of: 'create', status: 400 }, { status: 500 }),
  'cap-not-there': errors({ status: 413 }, { status: 400 }),
  'cap-for-another-reason': errors({ status: 413, reason: 'payload_too_large' }, { reason: 'invalid_body' }),
  // A body of exactly 1048576 bytes is 413.
  'cap-with-the-limit-itself': asked(ANY, async (request) => {
    const body = request.body ? await request.clone().text() : '';
    return body.length === CAP ? withRequest(request, { body: `${body} ` }) : request;
  }),
  'cap-in-characters': exchanges(async ({ request }, next) => {
    const copy = request.body ? request.clone() : undefined;
    const response = await next(request);
    const isIt = response.status === 413 && copy && (await copy.text()).length <= CAP;
    return isIt ? responseOf(refused('invalid_body')) : response;
  }),
  'cap-not-for-updates': answers({ of: method('PATCH'), status: 413 }, refused('invalid_body')),
  'media-type-of-invoke-looked-at': routes('invoke', json('required')),
  'media-type-of-updates-may-be-text': header('update', TYPE, (type) =>
    type?.startsWith('text/plain') ? 'application/json' : type,
  ),
  'media-type-of-deletes-may-be-missing': header('delete', TYPE, (type) => type ?? 'application/json'),
  'provision-drops-fields-that-are-null': withoutFields(ACTIONS, (_, value) => value === null),
  'suspend-refused-and-done': doneAllTheSame('suspend', 400),
});
