import { idempotencyHeaderOf } from '../../framework/profile.js';
import { SIGNING } from '../../model/operations.js';
import { isMember } from '../../model/options.js';
import { isRecord } from '../../probe/json.js';
import {
  areNumbers,
  areStatuses,
  isChat,
  isCopy,
  isCreate,
  isDelete,
  isDigest,
  isExactSecret,
  isInvoke,
  isRoute,
  isSecret,
  isSecretName,
  isUpdate,
} from '../bodies.js';
import type { Seen } from '../rule.js';
import {
  BARE,
  CAP,
  isBlank,
  isJsonType,
  json,
  maybe,
  noObject,
  noRight,
  not,
  OF_A_SECRET,
  REFUSED,
  rows,
  sizeOf,
  VAULT,
  WRITES,
  type Wrong,
  wrongObject,
} from './refusal.js';

function tooLarge(seen: Seen): Wrong {
  const size = sizeOf(seen);
  return size === undefined ? undefined : size > CAP;
}
function otherType(seen: Seen): Wrong {
  if (isJsonType(seen.asked.header('content-type'))) return false;
  const size = sizeOf(seen);
  // A service may take white space for no body.
  return size === undefined || (size > 0 && isBlank(seen) === true) ? undefined : size > 0;
}

/** Refusals of bodies, headers and queries, in the order in which an emulator looks for them. */
export const OF_BODIES = rows({
  'too-large': {
    requirement: 'BODY-2',
    says: 'A body of create, update, delete or signing over 1048576 bytes is refused with 413.',
    statuses: [413],
    reason: 'payload_too_large',
    of: WRITES,
    wrong: tooLarge,
  },
  'too-large-elsewhere': {
    requirement: 'BODY-2',
    level: 'P',
    says: 'A body of chat, invoke, provision or suspend over 1048576 bytes is refused with 413.',
    statuses: [413],
    reason: 'payload_too_large',
    of: ['chat', 'invoke', ...BARE],
    wrong: tooLarge,
  },
  'vault-too-large': {
    requirement: 'VAULT-3',
    says: 'A secret whose body is over the cap is refused with 413.',
    statuses: [413],
    reason: 'payload_too_large',
    of: VAULT,
    wrong: tooLarge,
  },
  'media-type': {
    requirement: 'BODY-3',
    says: 'A non-empty body of create, update, delete or signing that is not declared as application/json is refused with 415.',
    statuses: [415],
    reason: 'unsupported_media_type',
    of: WRITES,
    wrong: otherType,
  },
  'media-type-without-body': {
    requirement: 'BODY-1',
    level: 'P',
    says: 'A non-empty body of provision or suspend that is not declared as JSON is refused with 415.',
    statuses: [415],
    reason: 'unsupported_media_type',
    of: BARE,
    wrong: otherType,
  },
  'no-fields': {
    requirement: 'BODY-1',
    says: 'A body carrying any field is refused with 400 by provision and suspend.',
    statuses: [400],
    reason: 'invalid_body',
    of: BARE,
    wrong: (seen) => json(seen, (value) => isRecord(value) && Object.keys(value).length > 0),
  },
  'no-body': {
    requirement: 'BODY-1',
    level: 'C',
    says: 'A body of provision or suspend that is no object is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: BARE,
    wrong: (seen) => not(isBlank(seen)) && noObject(seen),
  },
  'body-is-an-object': {
    requirement: 'BODY-4',
    says: 'A body of create, update, delete or signing that is no JSON object is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: WRITES,
    wrong: (seen) =>
      seen.operation.name === 'delete' && isBlank(seen) !== false ? not(isBlank(seen)) : noObject(seen),
  },
  'prompt-is-an-object': {
    requirement: 'CHAT-15',
    says: 'A body of chat that is no JSON object is refused with 400.',
    statuses: [400],
    reason: 'bad_request',
    of: ['chat'],
    wrong: noObject,
  },
  'input-is-an-object': {
    requirement: 'INVOKE-1',
    level: 'P',
    says: 'A body of invoke that is no JSON object is refused with 400.',
    statuses: [400],
    reason: 'bad_request',
    of: ['invoke'],
    wrong: noObject,
  },
  'create-body': {
    requirement: 'CREATE-5',
    says: 'A create with a name, text or field that is not published is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['create'],
    wrong: wrongObject(isCreate),
  },
  'workspace-is-explicit': {
    requirement: 'CREATE-1',
    says: 'An intern is created in an explicit workspace: a create that names none is refused with 400.',
    // The published client documents a default.
    level: 'P',
    statuses: [400],
    reason: 'invalid_body',
    of: ['create'],
    wrong: (seen, { options }) =>
      options.profile.default_workspace !== true && wrongObject((row) => 'workspace_id' in row)(seen),
  },
  'update-body': {
    requirement: 'UPDATE-1',
    level: 'P',
    says: 'An update with a value or field that is not published is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['update'],
    wrong: wrongObject(isUpdate),
  },
  'delete-body': {
    requirement: 'DELETE-2',
    says: 'The only field of a delete is the boolean acknowledge_workspace_loss: anything else is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['delete'],
    wrong: wrongObject(isDelete),
  },
  'idempotency-key': {
    requirement: 'CREATE-4',
    level: 'P',
    says: 'An idempotency key of more than 255 characters is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['create'],
    wrong({ asked }, { options }) {
      const key = asked.header(idempotencyHeaderOf(options.profile));
      // A service may take an empty key for no key.
      return key === '' ? undefined : key !== undefined && key.length > 255;
    },
  },
  'list-status': {
    requirement: 'LIST-2',
    level: 'P',
    says: 'A list by an unknown status is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['list'],
    wrong: ({ asked }) => !areStatuses(asked.query),
  },
  'list-limit': {
    requirement: 'LIST-3',
    says: 'A list by an invalid limit is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['list'],
    wrong: ({ asked }) => !areNumbers(asked.query, 'limit', 1, 500),
  },
  'list-cursor': {
    requirement: 'LIST-3',
    says: 'A cursor that no list gave is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['list'],
    wrong: (seen, model) => {
      const cursor = seen.asked.query.get('starting_after');
      if (cursor === null || model.pagesBefore(seen.asked) !== undefined) return false;
      return /^[!]/.test(cursor) ? true : undefined;
    },
  },
  digest: {
    requirement: 'SIGN-2',
    says: 'A bodySha256 that does not match ^[0-9a-f]{64}$ is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: SIGNING,
    wrong: wrongObject(({ bodySha256 }) => isDigest(bodySha256)),
  },
  route: {
    requirement: 'SIGN-3',
    says: 'A route is refused with 400 unless it has a permitted method and a path in its sent form.',
    statuses: [400],
    reason: 'invalid_body',
    of: SIGNING,
    wrong: (seen, { options }) =>
      wrongObject((row) => !('route' in row) || isRoute(row.route, options.profile.route_methods))(seen),
  },
  prompt: {
    requirement: 'CHAT-15',
    says: 'A prompt whose form is not published is refused with 400.',
    statuses: [400],
    reason: 'bad_request',
    of: ['chat'],
    wrong: wrongObject(isChat),
  },
  input: {
    requirement: 'INVOKE-1',
    level: 'P',
    says: 'An invoke without an input of 1 to 32000 characters, or with an invalid session, is refused with 400.',
    statuses: [400],
    reason: 'bad_request',
    of: ['invoke'],
    wrong: wrongObject(isInvoke),
  },
  'route-unknown': {
    open: true,
    requirement: 'SIGN-3',
    says: 'A service may sign only for routes that it knows.',
    statuses: [400],
    of: SIGNING,
    wrong: (seen, model) =>
      maybe(
        isRecord(seen.body?.route) && model.options.ours !== true && !model.routes.has(JSON.stringify(seen.body.route)),
      ),
  },
  role: {
    open: true,
    requirement: 'CREATE-1',
    says: 'A service may let only some members create interns.',
    statuses: [403],
    of: ['create'],
    wrong: (seen, model) =>
      maybe(
        seen.caller !== null &&
          (seen.caller === undefined || isMember(seen.caller)) &&
          model.options.ours !== true &&
          !model.hasCreated(seen.asked),
      ),
  },
  characters: {
    open: true,
    requirement: 'CREATE-5',
    says: 'A service may refuse texts for their characters.',
    statuses: [400],
    of: ['create', 'update'],
    wrong: (seen, model) =>
      maybe(
        model.options.ours !== true &&
          [seen.body?.description, seen.body?.instructions].some(
            (value) => typeof value === 'string' && /^$|[^A-Za-z0-9 .,]/.test(value),
          ),
      ),
  },
  'empty-object': {
    open: true,
    requirement: 'BODY-1',
    says: 'A service may refuse an object without fields, where it takes none, and as an update.',
    statuses: [400],
    reason: 'invalid_body',
    of: [...BARE, 'update'],
    wrong: (seen, model) =>
      maybe(
        model.options.ours !== true &&
          json(seen, (value) => isRecord(value) && Object.keys(value).length === 0) === true,
      ),
  },
  'taken-away': {
    open: true,
    requirement: 'GET-1',
    says: 'An intern may not be found: a read may be late, and others may have deleted it.',
    statuses: [404],
    reason: 'not_found',
    wrong: ({ caller, intern }, { options }) =>
      // A missing or invalid key is refused before the service looks for the intern.
      maybe(options.ours !== true && intern?.made !== undefined && caller !== null && caller?.kind !== 'invalid'),
  },
  'vault-attached': {
    open: true,
    requirement: 'CREATE-2',
    says: 'A vault may not be attachable.',
    statuses: [400, 404, 409],
    of: ['create'],
    wrong: ({ body }) => maybe(body !== undefined && 'vault_id' in body),
  },
  'secret-there': {
    open: true,
    requirement: 'VAULT-6',
    says: 'A secret may not exist.',
    statuses: [404, 409],
    of: OF_A_SECRET,
    wrong: () => undefined,
  },
  'secrets-named': {
    requirement: 'VAULT-7',
    says: 'A copy that does not name 1 to 100 secrets, each once, is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['copy secrets'],
    wrong: noRight(isCopy),
  },
  'parameter-twice': {
    open: true,
    requirement: 'LIST-1',
    says: 'A service may refuse a parameter of a list that is given twice.',
    statuses: [400],
    of: ['list'],
    wrong: ({ asked }) =>
      maybe(['limit', 'starting_after', 'workspace_id'].some((name) => asked.query.getAll(name).length > 1)),
  },
  'status-words': {
    open: true,
    requirement: 'LIST-2',
    says: 'A service may have words of its own for statuses, except for destroy_failed.',
    statuses: [400],
    of: ['list'],
    wrong: (seen, model) =>
      maybe(
        model.options.ours !== true &&
          seen.asked.query.has('status') &&
          ((model.options.ownStatuses?.() ?? []).length > 0 ||
            seen.asked.query
              .getAll('status')
              .some((text) => text.split(',').some((one) => !model.statuses.has(one)))) &&
          seen.asked.query.getAll('status').join() !== 'destroy_failed',
      ),
  },
  'secret-name': {
    requirement: 'VAULT-3',
    says: 'A name that no secret can have is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: VAULT.filter((name) => /^(store|delete)/.test(name)),
    wrong: ({ secret }) => secret !== undefined && !isSecretName(secret),
  },
  'secret-value': {
    requirement: 'VAULT-3',
    says: 'A secret without a value of 1 to 65536 characters and 1 to 100 hosts is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['store secret', 'store intern secret'],
    wrong: noRight(isSecret),
  },
  'secret-exact': {
    requirement: 'VAULT-3',
    level: 'C',
    says: 'A secret with a host that is no exact DNS name in ASCII, or with half a surrogate pair, is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['store secret', 'store intern secret'],
    wrong: wrongObject(isExactSecret),
  },
  'secret-query': {
    requirement: 'VAULT-5',
    says: 'A list of secrets by an invalid limit or offset is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['secrets', 'intern secrets'],
    wrong: ({ asked: { query } }) => !areNumbers(query, 'limit', 1, 100) || !areNumbers(query, 'offset', 0, 10_000),
  },
  'workspace-of-others': {
    requirement: 'AUTH-2',
    says: 'The API key selects the workspace: a create in another one is refused.',
    statuses: REFUSED,
    of: ['create'],
    wrong: (seen) => {
      const { caller, body } = seen;
      if (body === undefined || typeof body.workspace_id !== 'string')
        return seen.asked.body.kind === 'unknown' ? undefined : false;
      const { workspace } = caller ?? {};
      if (workspace === undefined) return undefined;
      if (body.workspace_id === workspace) return false;
      // A UUID in another letter case is the same one. A service may refuse it nevertheless.
      return body.workspace_id.toLowerCase() === workspace.toLowerCase() ? undefined : true;
    },
  },
  'list-workspace': {
    requirement: 'LIST-2',
    level: 'P',
    says: 'A list of another workspace is refused.',
    statuses: REFUSED,
    of: ['list'],
    wrong: (seen) => {
      const asked = seen.asked.query.getAll('workspace_id');
      if (asked.length === 0) return false;
      return seen.caller?.workspace === undefined ? undefined : asked.some((one) => one !== seen.caller?.workspace);
    },
  },
});
