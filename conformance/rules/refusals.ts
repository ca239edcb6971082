import { idempotencyHeaderOf } from '../framework/profile.js';
import { STATUSES } from '../habits/status-words.js';
import { canonical } from '../model/exchange.js';
import { isModel, PHASES, type Phase, phasesAfter, type RecordFields } from '../model/intern.js';
import type { Model } from '../model/model.js';
import {
  DAEMON,
  isDaemon,
  isPrompt,
  isSigning,
  OPERATIONS,
  type Operation,
  type OperationName,
  SIGNING,
} from '../model/operations.js';
import { type CallerKind, isMember } from '../model/options.js';
import { isRecord, jsonOf } from '../probe/json.js';
import { type Level, type RequirementId, requirement, speaksAt } from '../requirements/index.js';
import { byOperation, holds, is, isFromService, type Judgement, once, type Rule, rulesOf, type Seen } from './rule.js';

/** The mistake of a request. `undefined`: it is not known. */
type Wrong = boolean | undefined;

/** Why a request is refused, and with which statuses. */
interface Refusal {
  readonly id: string;
  readonly requirement: RequirementId;
  readonly level: Level;
  readonly says: string;
  readonly statuses: readonly number[];
  /** The operations that it is about. Default: all. */
  readonly of?: readonly OperationName[];
  /** Its published reason. */
  readonly reason?: string;
  /** Nothing states it, and nothing forbids it. */
  readonly open?: true;
  /** It comes first, for whatever else a request has wrong: the refusals that may come before it, by their ids. */
  readonly first?: RegExp;
  wrong(seen: Seen, model: Model): Wrong;
}

/** Statuses of a refusal, where nothing states which. */
const REFUSED: readonly number[] = [400, 401, 403, 404, 405, 409, 410, 413, 415, 421, 422];
const CAP = 1_048_576;

const not = (wrong: Wrong): Wrong => (wrong === undefined ? undefined : !wrong);

const those = (which: (operation: Operation) => boolean) => OPERATIONS.filter(which).map(({ name }) => name);
const INTERNS = those(({ area }) => area === 'interns');
const VAULT = those(({ area }) => area === 'vault');
/** Operations whose body the interface caps, and whose media type it wants. */
const WRITES = ['create', 'update', 'delete', ...SIGNING] as const;
const BARE = ['provision', 'suspend'] as const;
/** Operations on secrets that may not be there. */
const OF_A_SECRET: readonly OperationName[] = ['delete secret', 'delete intern secret', 'copy secrets'];

const sizeOf = ({ asked: { body } }: Seen): number | undefined =>
  body.kind === 'unknown' ? undefined : body.kind === 'none' ? 0 : body.size;
const isEmpty = (seen: Seen): Wrong => {
  const size = sizeOf(seen);
  return size === undefined ? undefined : size === 0;
};
/** Without a body, or with white space alone. */
const isBlank = ({ asked: { body } }: Seen): Wrong =>
  body.kind === 'unknown' ? undefined : body.kind === 'none' || /^\s*$/.test(body.text);

const isJsonType = (type: string | undefined): boolean => /^\s*application\/json\s*(;|$)/i.test(type ?? '');

/** A body that is there, is JSON and is no object holds what `wrong` finds in it. */
const json = (seen: Seen, wrong: (value: unknown) => boolean): Wrong => {
  const { body } = seen.asked;
  if (body.kind === 'unknown') return undefined;
  return wrong(body.kind === 'some' ? body.json : undefined);
};

/** Whether the intern that the path names may not be seen by the caller. */
function isHidden(seen: Seen, model: Model): Wrong {
  const { caller, id, intern } = seen;
  if (id === undefined || caller === undefined || caller === null) return false;
  if (caller.kind === 'own') return caller.intern === undefined ? undefined : caller.intern !== id;
  if (!isMember(caller)) return false;
  if (model.options.madeUp?.(id) === true) return true;
  if (intern === undefined) return undefined;
  return not(model.isVisible(seen.asked, intern));
}

/** ms in which an intern is where it was read, as long as no conflict says otherwise. */
const BRIEF = 2_000;

/** Phases that the intern may have had while the request was under way. */
function phasesOf({ answered, asked, intern, operation }: Seen): ReadonlySet<Phase> | undefined {
  const all = intern?.made === undefined ? undefined : intern.phase.since(asked.at, asked.number);
  const { awaited, moved = 0, moving = 0, shown } = intern ?? {};
  const itself = phasesAfter(operation.name, false) === undefined ? 0 : 1;
  // Nothing has happened to it since it was read, and nothing that was asked for is to show yet. One that runs may need a moment
  // before it takes prompts. A service that says that its state does not allow the call may know of a change by itself.
  const isRead =
    shown?.sure === true && asked.at - shown.at <= BRIEF && !isPrompt(operation) && answered.status !== 409;
  const isFresh = isRead && awaited === undefined && moved < shown.at && moving <= itself;
  const here = isFresh ? PHASES[shown.status]?.filter((phase) => all?.has(phase)) : undefined;
  return here === undefined || here.length === 0 ? all : new Set(here);
}
/** Whether the intern has none of these phases. One that the caller cannot see has no state, as an unknown id has none. */
const isNone = (seen: Seen, model: Model, ...phases: readonly Phase[]): Wrong => {
  if (isHidden(seen, model) === true) return false;
  const all = phasesOf(seen);
  if (all === undefined || (all.has('new') && model.options.ours !== true && !phases.includes('new'))) return undefined;
  const some = phases.some((phase) => all.has(phase));
  return some ? ([...all].every((phase) => phases.includes(phase)) ? false : undefined) : true;
};

/** Whether it comes without a key that opens anything. */
const isWithoutKey = ({ caller }: Seen): Wrong =>
  caller === null || (caller === undefined ? undefined : caller.kind === 'invalid');
const isOf = ({ caller }: Seen, kind: CallerKind): Wrong => (caller === undefined ? undefined : caller?.kind === kind);
/** Whether a credential is of one of these kinds. */
const isOneOf = (caller: Seen['caller'], ...kinds: readonly CallerKind[]): Wrong =>
  caller === undefined || caller?.kind === 'member' ? undefined : caller !== null && kinds.includes(caller.kind);

/** A text of so many code points, of which each is one code unit or two. */
function text(value: unknown, least: number, most: number): boolean {
  if (typeof value !== 'string' || value.length < least || value.length > 2 * most) return false;
  if (value.length <= most && value.length >= 2 * least) return true;
  const { length } = [...value];
  return length >= least && length <= most;
}
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const isName = (value: unknown): boolean => text(value, 2, 17) && NAME.test(String(value));
const has = (row: RecordFields, key: string, right: (value: unknown) => boolean): boolean =>
  !(key in row) || right(row[key]);
const orNull = (right: (value: unknown) => boolean) => (value: unknown) => value === null || right(value);
const only = (row: RecordFields, ...keys: readonly string[]): boolean =>
  Object.keys(row).every((key) => keys.includes(key));

const isCreate = (row: RecordFields): boolean =>
  only(row, 'name', 'workspace_id', 'description', 'instructions', 'provision', 'vault_id') &&
  isName(row.name) &&
  has(row, 'workspace_id', (value) => typeof value === 'string' && value !== '') &&
  has(row, 'description', (value) => value === null || text(value, 0, 2000)) &&
  has(row, 'instructions', (value) => value === null || text(value, 0, 100_000)) &&
  has(row, 'provision', (value) => typeof value === 'boolean');
const isUpdate = (row: RecordFields): boolean =>
  only(row, 'name', 'description', 'instructions', 'model') &&
  has(row, 'name', isName) &&
  has(
    row,
    'description',
    orNull((value) => text(value, 0, 2000)),
  ) &&
  has(
    row,
    'instructions',
    orNull((value) => text(value, 0, 100_000)),
  ) &&
  has(
    row,
    'model',
    orNull((value) => typeof value === 'string' && isModel(value)),
  );

const contentOf = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
    : Array.isArray(value) &&
        value.every((part) => isRecord(part) && part.type === 'text' && typeof part.text === 'string')
      ? value.map((part) => String((part as RecordFields).text)).join('')
      : undefined;
const isSession = (value: unknown): boolean => text(value, 1, 256) && !/\p{Cc}/u.test(String(value));
function isChatBody(row: RecordFields, published: boolean): boolean {
  const { messages, stream, session_id: session, approval_mode: mode } = row;
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!isRecord(last) || stream !== true) return false;
  if (session !== undefined && session !== null && !isSession(session)) return false;
  if (mode !== undefined && mode !== null && mode !== 'manual' && mode !== 'self-drive') return false;
  if (last.role === 'tool') return session !== undefined && typeof last.tool_call_id === 'string';
  const content = contentOf(last.content);
  return last.role === 'user' && content !== undefined && (!published || text(content, 1, 32_000));
}

/** A listing of statuses, as it is published. */
function areStatuses(query: URLSearchParams): boolean {
  const statuses = query.getAll('status').flatMap((one) => one.split(','));
  return statuses.every((one) => STATUSES.includes(one)) && statuses.length <= 8;
}
const areLimits = (query: URLSearchParams): boolean =>
  query.getAll('limit').every((one) => /^\d+$/.test(one) && Number(one) >= 1 && Number(one) <= 500);

/** Parameters of a list that have one value. */
const ONCE = ['limit', 'starting_after', 'workspace_id'] as const;

const isDigest = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
/** A path as it is sent: one slash, percent-encoded, without origin, query and fragment. */
const isRoutePath = (value: unknown): boolean =>
  typeof value === 'string' && /^\/(?!\/)(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/.test(value);

const SECRET_NAME = /^(?=.{1,255}$)[a-z](?:[a-z0-9]|_(?!_))*(?<!_)$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type RefusalRow = Omit<Refusal, 'id' | 'level'> & { readonly level?: Level };
const rows = (all: Readonly<Record<string, RefusalRow>>): readonly Refusal[] =>
  Object.entries(all).map(([name, row]) => ({
    level: requirement(row.requirement).level,
    ...row,
    id: `${row.requirement}/${name}`,
  }));

/** Why requests are refused, in the order of interface.md: who asks, then for what, then with which body, then in which state. */
export const REFUSALS: readonly Refusal[] = rows({
  'regional-refused': {
    requirement: 'BASE-4',
    says: 'Requests on regional hostnames are refused.',
    statuses: REFUSED,
    wrong: ({ asked }) => asked.regional,
  },
  'regional-status': {
    requirement: 'BASE-4',
    level: 'P',
    says: 'A request on a regional hostname is answered 403.',
    statuses: [403],
    wrong: ({ asked }) => asked.regional,
  },
  'key-needed': {
    requirement: 'AUTH-1',
    says: 'A missing or invalid key gives 401.',
    statuses: [401],
    of: INTERNS.filter((name) => !SIGNING.includes(name)),
    wrong: isWithoutKey,
  },
  'signing-key-needed': {
    requirement: 'SIGN-10',
    says: 'A missing or invalid key on the signing route gives 401.',
    statuses: [401],
    of: SIGNING,
    wrong: isWithoutKey,
  },
  'management-key-needed': {
    requirement: 'AUTH-6',
    says: 'The SCIM mapping read requires a management key: with none, or an invalid one, it is 401.',
    statuses: [401],
    of: ['scim'],
    wrong: isWithoutKey,
  },
  'management-key-only': {
    requirement: 'AUTH-6',
    says: 'The SCIM mapping read requires a management key: any other credential is refused.',
    statuses: [401, 403, 404],
    of: ['scim'],
    wrong: (seen) =>
      isWithoutKey(seen) === true ? false : seen.caller === undefined ? undefined : seen.caller?.kind !== 'management',
  },
  'vault-key-needed': {
    requirement: 'VAULT-1',
    says: 'The vault needs an API key: without one it is 401.',
    statuses: [401],
    of: VAULT,
    wrong: (seen) => isWithoutKey(seen) || isOf(seen, 'management'),
  },
  'management-key-elsewhere': {
    requirement: 'AUTH-1',
    says: 'A management key is no API key: the intern operations refuse it.',
    statuses: [401, 403, 404],
    of: INTERNS,
    wrong: (seen) => isOf(seen, 'management'),
  },
  'outside-the-programme': {
    requirement: 'AUTH-5',
    says: 'Callers outside the programme receive 404 for every path under /interns.',
    statuses: [404],
    first: /^(BASE-4|AUTH-\d+)\//,
    of: INTERNS,
    wrong: (seen) => isOf(seen, 'outsider'),
  },
  'vault-outside-the-programme': {
    requirement: 'VAULT-1',
    says: 'Callers outside the programme receive 404 for every path under /vault.',
    statuses: [404],
    of: VAULT,
    wrong: (seen) => isOf(seen, 'outsider'),
  },
  'own-key': {
    requirement: 'AUTH-4',
    says: "For an intern's own key the collection and every other intern answer 404.",
    statuses: [404],
    // That a large body, and one of another media type, is refused is stated as widely.
    first: /^(BASE-4|AUTH-\d+|BODY-[23])\//,
    reason: 'not_found',
    of: INTERNS,
    wrong: (seen, model) => {
      const own = isOf(seen, 'own');
      return own === true ? seen.id === undefined || isHidden(seen, model) : own;
    },
  },
  'not-visible': {
    requirement: 'AUTH-3',
    says: 'An intern that the caller cannot see answers 404, as an unknown id does.',
    statuses: [404],
    reason: 'not_found',
    of: INTERNS,
    wrong: (seen, model) =>
      seen.caller?.kind === 'own'
        ? false
        : seen.caller === undefined && seen.id !== undefined
          ? undefined
          : isHidden(seen, model),
  },
  'vault-own-key': {
    requirement: 'VAULT-1',
    level: 'C',
    says: "An intern's own key reads and writes no vault but its own: the workspace's, and a copy from it, answer 404.",
    statuses: [404],
    of: VAULT.filter((name) => name === 'copy secrets' || !name.includes('intern')),
    wrong: (seen) => isOf(seen, 'own'),
  },
  'vault-not-visible': {
    requirement: 'VAULT-1',
    says: 'The vault of an intern that the caller cannot see answers 404.',
    statuses: [404],
    reason: 'not_found',
    of: VAULT,
    wrong: (seen, model) =>
      seen.id === undefined ? false : seen.caller === undefined ? undefined : isHidden(seen, model),
  },
  gone: {
    requirement: 'DELETE-1',
    says: 'An intern whose teardown ended is gone: 404.',
    statuses: [404],
    reason: 'not_found',
    wrong: (seen) => (seen.id === undefined || seen.operation.area === 'scim' ? false : goneNow(seen)),
  },
  'access-is-personal': {
    requirement: 'AUTH-7',
    says: 'An API key that reads the daemon access gets 403, reason personal_identity_required.',
    statuses: [403],
    reason: 'personal_identity_required',
    of: DAEMON,
    wrong: ({ caller }) => isOneOf(caller, 'key', 'own'),
  },
  'signing-is-personal': {
    requirement: 'AUTH-8',
    says: 'An API key or an interns-only grant cannot sign: 403, reason personal_identity_required.',
    statuses: [403],
    reason: 'personal_identity_required',
    of: SIGNING,
    wrong: ({ caller }) => isOneOf(caller, 'key', 'own', 'interns-only'),
  },
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
    wrong: (seen) => not(isBlank(seen)) && json(seen, (value) => !isRecord(value)),
  },
  'body-is-an-object': {
    requirement: 'BODY-4',
    says: 'A body of create, update, delete or signing that is no JSON object is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: WRITES,
    wrong: (seen) =>
      seen.operation.name === 'delete' && isBlank(seen) !== false
        ? not(isBlank(seen))
        : json(seen, (value) => !isRecord(value)),
  },
  'prompt-is-an-object': {
    requirement: 'CHAT-15',
    says: 'A body of chat that is no JSON object is refused with 400.',
    statuses: [400],
    reason: 'bad_request',
    of: ['chat'],
    wrong: (seen) => json(seen, (value) => !isRecord(value)),
  },
  'input-is-an-object': {
    requirement: 'INVOKE-1',
    level: 'P',
    says: 'A body of invoke that is no JSON object is refused with 400.',
    statuses: [400],
    reason: 'bad_request',
    of: ['invoke'],
    wrong: (seen) => json(seen, (value) => !isRecord(value)),
  },
  'create-body': {
    requirement: 'CREATE-5',
    says: 'A create with a name, text or field that is not published is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['create'],
    wrong: (seen) => json(seen, (value) => isRecord(value) && !isCreate(value)),
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
      options.profile.default_workspace !== true &&
      json(seen, (value) => isRecord(value) && !('workspace_id' in value)),
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
      // In other letter case it is the same UUID, and a service may refuse it all the same.
      return body.workspace_id.toLowerCase() === workspace.toLowerCase() ? undefined : true;
    },
  },
  'update-body': {
    requirement: 'UPDATE-1',
    level: 'P',
    says: 'An update with a value or field that is not published is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['update'],
    wrong: (seen) => json(seen, (value) => isRecord(value) && !isUpdate(value)),
  },
  'delete-body': {
    requirement: 'DELETE-2',
    says: 'The only field of a delete is the boolean acknowledge_workspace_loss: anything else is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['delete'],
    wrong: (seen) =>
      json(
        seen,
        (value) =>
          isRecord(value) &&
          !(
            only(value, 'acknowledge_workspace_loss') &&
            has(value, 'acknowledge_workspace_loss', (one) => typeof one === 'boolean')
          ),
      ),
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
      // An empty one may be none.
      return key === '' ? undefined : key !== undefined && key.length > 255;
    },
  },
  'list-status': {
    requirement: 'LIST-2',
    level: 'P',
    says: 'A list by a status that is none is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['list'],
    wrong: ({ asked }) => !areStatuses(asked.query),
  },
  'list-limit': {
    requirement: 'LIST-3',
    says: 'A list by a limit that is none is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['list'],
    wrong: ({ asked }) => !areLimits(asked.query),
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
  'list-cursor': {
    requirement: 'LIST-3',
    says: 'A cursor that no list gave is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['list'],
    wrong: (seen, model) => {
      const cursor = seen.asked.query.get('starting_after');
      if (cursor === null || model.pages.has(cursor)) return false;
      return /^[!]/.test(cursor) ? true : undefined;
    },
  },
  digest: {
    requirement: 'SIGN-2',
    says: 'A bodySha256 that does not match ^[0-9a-f]{64}$ is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: SIGNING,
    wrong: (seen) => json(seen, (value) => isRecord(value) && !isDigest(value.bodySha256)),
  },
  route: {
    requirement: 'SIGN-3',
    says: 'A route without a permitted method and a path as it is sent is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: SIGNING,
    wrong: (seen, { options }) =>
      json(
        seen,
        (value) =>
          isRecord(value) &&
          'route' in value &&
          !(
            isRecord(value.route) &&
            options.profile.route_methods.some((method) => isRecord(value.route) && value.route.method === method) &&
            isRoutePath(value.route.path)
          ),
      ),
  },
  prompt: {
    requirement: 'CHAT-15',
    says: 'A prompt whose form is not published is refused with 400.',
    statuses: [400],
    reason: 'bad_request',
    of: ['chat'],
    wrong: (seen) => json(seen, (value) => isRecord(value) && !isChatBody(value, true)),
  },
  input: {
    requirement: 'INVOKE-1',
    level: 'P',
    says: 'An invoke without an input of 1 to 32000 characters, or with a session that is none, is refused with 400.',
    statuses: [400],
    reason: 'bad_request',
    of: ['invoke'],
    wrong: (seen) =>
      json(
        seen,
        (value) =>
          isRecord(value) &&
          !(
            text(value.input, 1, 32_000) &&
            (value.session_id === undefined || value.session_id === null || isSession(value.session_id))
          ),
      ),
  },
  'route-unknown': {
    open: true,
    requirement: 'SIGN-3',
    says: 'A service may sign for the routes alone that it knows.',
    statuses: [400],
    of: SIGNING,
    wrong: (seen, model) =>
      isRecord(seen.body?.route) && model.options.ours !== true && !model.routes.has(JSON.stringify(seen.body.route))
        ? undefined
        : false,
  },
  role: {
    open: true,
    requirement: 'CREATE-1',
    says: 'A service may let some members alone create interns.',
    statuses: [403],
    of: ['create'],
    wrong: (seen, model) =>
      seen.caller !== null &&
      (seen.caller === undefined || isMember(seen.caller)) &&
      model.options.ours !== true &&
      !model.hasCreated(seen.asked)
        ? undefined
        : false,
  },
  characters: {
    open: true,
    requirement: 'CREATE-5',
    says: 'A service may refuse texts for their characters.',
    statuses: [400],
    of: ['create', 'update'],
    wrong: (seen, model) =>
      model.options.ours !== true &&
      [seen.body?.description, seen.body?.instructions].some(
        (value) => typeof value === 'string' && /^$|[^A-Za-z0-9 .,]/.test(value),
      )
        ? undefined
        : false,
  },
  'taken-away': {
    open: true,
    requirement: 'GET-1',
    says: 'An intern may not be found: a read may be late, and others may have taken the intern away.',
    statuses: [404],
    reason: 'not_found',
    wrong: ({ caller, intern }, { options }) =>
      // A missing or invalid key is refused before the intern is looked for.
      options.ours === true || intern?.made === undefined || caller === null || caller?.kind === 'invalid'
        ? false
        : undefined,
  },
  'vault-attached': {
    open: true,
    requirement: 'CREATE-2',
    says: 'A vault that is named may be one that cannot be attached.',
    statuses: [400, 404, 409],
    of: ['create'],
    wrong: ({ body }) => (body !== undefined && 'vault_id' in body ? undefined : false),
  },
  'secret-there': {
    open: true,
    requirement: 'VAULT-6',
    says: 'A secret that is named may not be there.',
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
    wrong: (seen) =>
      json(
        seen,
        (value) =>
          !isRecord(value) ||
          !only(value, 'names') ||
          !Array.isArray(value.names) ||
          value.names.length < 1 ||
          value.names.length > 100 ||
          new Set(value.names).size < value.names.length ||
          !value.names.every((name) => typeof name === 'string' && SECRET_NAME.test(name)),
      ),
  },
  'parameter-twice': {
    open: true,
    requirement: 'LIST-1',
    says: 'A parameter of a list that is given twice may be refused.',
    statuses: [400],
    of: ['list'],
    wrong: ({ asked }) => (ONCE.some((name) => asked.query.getAll(name).length > 1) ? undefined : false),
  },
  'status-words': {
    open: true,
    requirement: 'LIST-2',
    says: 'A service may have statuses of its own, beside destroy_failed, which is stated.',
    statuses: [400],
    of: ['list'],
    wrong: (seen, model) =>
      model.options.ours !== true &&
      seen.asked.query.has('status') &&
      ((model.options.ownStatuses?.() ?? []).length > 0 ||
        seen.asked.query.getAll('status').some((text) => text.split(',').some((one) => !model.statuses.has(one)))) &&
      seen.asked.query.getAll('status').join() !== 'destroy_failed'
        ? undefined
        : false,
  },
  'reply-to-none': {
    requirement: 'CHAT-6',
    says: 'The answer to a question is delivered to the run that asked: for any other call, session or intern it is refused.',
    statuses: REFUSED,
    of: ['chat'],
    wrong: isUnknownCall,
  },
  'call-unknown': {
    requirement: 'CHAT-7',
    level: 'P',
    says: 'The answer to a call that was never asked in its session is refused with 404.',
    statuses: [404],
    reason: 'interaction_unknown',
    of: ['chat'],
    wrong: isUnknownCall,
  },
  'answered-once': {
    requirement: 'CHAT-7',
    says: 'A question is answered once: a further answer is refused.',
    statuses: REFUSED,
    of: ['chat'],
    wrong: (seen, model) => questionOf(seen, model)?.value.answered !== undefined,
  },
  'run-over': {
    requirement: 'CHAT-7',
    level: 'P',
    says: 'The answer to a question whose run has ended is refused with 409.',
    statuses: [409],
    reason: 'interaction_not_pending',
    of: ['chat'],
    wrong: (seen, model) => questionOf(seen, model)?.value.over === true,
  },
  'no-option': {
    requirement: 'CHAT-7',
    level: 'P',
    says: 'An answer that the question does not offer is refused with 400.',
    statuses: [400],
    reason: 'bad_request',
    of: ['chat'],
    wrong: (seen, model) => {
      const { answered, asks, options } = questionOf(seen, model)?.value ?? {};
      const content = replyIn(seen)?.content;
      if (answered !== undefined || typeof content !== 'string') return false;
      if (asks?.kind === 'elicitation') return actionIn(content) === undefined ? true : undefined;
      return options !== undefined && content !== 'cancel' && !options.includes(content);
    },
  },
  'question-closed': {
    open: true,
    requirement: 'CHAT-7',
    says: 'A question that waits may have been closed: its deadline has passed, its intern has ended the run, or another runs.',
    statuses: [404, 409, 410],
    of: ['chat'],
    wrong: (seen, model) =>
      replyIn(seen) === undefined ||
      typeof seen.body?.session_id !== 'string' ||
      isUnknownCall(seen, model) === true ||
      questionOf(seen, model)?.value.over === true
        ? false
        : undefined,
  },
  'session-unknown': {
    open: true,
    requirement: 'CHAT-15',
    says: 'A service may know no sessions but its own.',
    statuses: [404, 400],
    of: ['chat'],
    wrong: (seen, model) => {
      const session = seen.body?.session_id;
      if (typeof session !== 'string' || seen.id === undefined || model.options.ours === true) return false;
      return model.session(seen.id, session) === undefined ? undefined : false;
    },
  },
  'session-of-others': {
    requirement: 'INVOKE-3',
    says: 'A session is accepted only from the caller it was issued to, on the same intern: any other is refused with 404.',
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
  'provision-runs': {
    requirement: 'PROV-1',
    level: 'P',
    says: 'An intern that boots or runs is not provisioned: 409.',
    statuses: [409],
    reason: 'intern_busy',
    of: ['provision'],
    wrong: (seen, model) => isNone(seen, model, 'new', 'off', 'failed', 'stuck'),
  },
  'suspend-rests': {
    requirement: 'SUSP-1',
    level: 'P',
    says: 'An intern that does not run is not suspended: 409.',
    statuses: [409],
    reason: 'intern_busy',
    of: ['suspend'],
    wrong: (seen, model) => isNone(seen, model, 'up'),
  },
  'chat-runs': {
    requirement: 'CHAT-16',
    says: 'An intern that does not run takes no prompt: 409.',
    statuses: [409],
    reason: 'intern_not_ready',
    of: ['chat'],
    wrong: (seen, model) => isNone(seen, model, 'up'),
  },
  'invoke-runs': {
    open: true,
    requirement: 'INVOKE-1',
    level: 'P',
    says: 'An intern that does not run starts no run: 409.',
    statuses: [409],
    reason: 'intern_not_ready',
    of: ['invoke'],
    wrong: (seen, model) => isNone(seen, model, 'up'),
  },
  'access-runs': {
    requirement: 'DAEMON-1',
    says: 'The daemon access is that of a running intern: for any other it is refused.',
    statuses: REFUSED,
    of: DAEMON,
    wrong: (seen, model) => isNone(seen, model, 'up'),
  },
  'access-runs-status': {
    requirement: 'DAEMON-1',
    level: 'P',
    says: 'The daemon access of an intern that does not run is refused with 409.',
    statuses: [409],
    reason: 'intern_not_running',
    of: DAEMON,
    wrong: (seen, model) => isNone(seen, model, 'up'),
  },
  'key-reused': {
    requirement: 'CREATE-4',
    level: 'P',
    says: 'An idempotency key that comes with another body is refused with 409.',
    statuses: [409],
    reason: 'idempotency_key_reused',
    of: ['create'],
    wrong: (seen, model) => {
      const known = model.createBy(seen.asked);
      // A workspace that the caller may not see is refused before.
      if (
        known !== undefined &&
        isRecord(known.value.body) &&
        seen.body?.workspace_id !== known.value.body.workspace_id
      )
        return undefined;
      return known !== undefined && json(seen, (value) => isRecord(value) && !sameBody(value, known.value.body));
    },
  },
  'name-taken': {
    requirement: 'CREATE-5',
    says: 'A name that another intern of the creator has is refused with 409.',
    statuses: [409],
    reason: 'name_conflict',
    of: ['create', 'update'],
    wrong: nameTaken,
  },
  'scim-unknown': {
    requirement: 'SCIM-2',
    says: 'A mapping that is unknown answers 404.',
    statuses: [404],
    of: ['scim'],
    wrong: (seen, model) =>
      seen.id !== undefined
        ? !UUID.test(seen.id) ||
          model.options.madeUp?.(seen.id) === true ||
          (model.options.mapping === undefined || model.options.mapping.toLowerCase() !== seen.id.toLowerCase()
            ? undefined
            : false)
        : false,
  },
  'secret-name': {
    requirement: 'VAULT-3',
    says: 'A name that no secret can have is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: VAULT.filter((name) => /^(store|delete)/.test(name)),
    wrong: ({ secret }) => secret !== undefined && !(SECRET_NAME.test(secret) && secret.length <= 255),
  },
  'secret-value': {
    requirement: 'VAULT-3',
    says: 'A secret without a value of 1 to 65536 characters and 1 to 100 hosts is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['store secret', 'store intern secret'],
    wrong: (seen) =>
      json(
        seen,
        (value) =>
          !isRecord(value) ||
          !only(value, 'value', 'hosts') ||
          typeof value.value !== 'string' ||
          value.value.length < 1 ||
          value.value.length > 65_536 ||
          !Array.isArray(value.hosts) ||
          value.hosts.length < 1 ||
          value.hosts.length > 100 ||
          !value.hosts.every((host) => typeof host === 'string' && host !== '' && !/[/:*\s[\]]/.test(host)),
      ),
  },
  'secret-query': {
    requirement: 'VAULT-5',
    says: 'A list of secrets by a limit or an offset that is none is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['secrets', 'intern secrets'],
    wrong: (seen) => {
      const bad = (key: string, least: number, most: number) =>
        seen.asked.query.getAll(key).some((one) => !/^\d+$/.test(one) || Number(one) < least || Number(one) > most);
      return bad('limit', 1, 100) || bad('offset', 0, 10_000);
    },
  },
  'vault-too-large': {
    requirement: 'VAULT-3',
    says: 'A secret whose body is over the cap is refused with 413.',
    statuses: [413],
    reason: 'payload_too_large',
    of: VAULT,
    wrong: tooLarge,
  },
});

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel'];
/** The action of an answer to a question: whether `accept` is one, its fields decide. */
function actionIn(content: unknown): unknown {
  const answer = typeof content === 'string' ? jsonOf(content) : undefined;
  return isRecord(answer) && ACTIONS.includes(answer.action) ? answer.action : undefined;
}

/** The tool message of an answer to a question. */
function replyIn({ operation, body }: Seen): RecordFields | undefined {
  const last = operation.name === 'chat' && Array.isArray(body?.messages) ? body.messages.at(-1) : undefined;
  return isRecord(last) && last.role === 'tool' ? last : undefined;
}
/** The question that an answer names, where it was asked in its session, of its intern. */
function questionOf(seen: Seen, model: Model) {
  // A caller who cannot see the intern was asked nothing by it.
  if (isHidden(seen, model) === true) return undefined;
  const question = model.questions.get(String(replyIn(seen)?.tool_call_id));
  return question?.value.intern === seen.id && question?.value.session === seen.body?.session_id ? question : undefined;
}
/** Whether an answer names a call that was never asked in its session. */
function isUnknownCall(seen: Seen, model: Model): Wrong {
  const { tool_call_id: call } = replyIn(seen) ?? {};
  if (typeof call !== 'string' || typeof seen.body?.session_id !== 'string') return false;
  if (questionOf(seen, model) !== undefined) return false;
  return model.questions.has(call) || model.hasSeenAll ? true : undefined;
}

function tooLarge(seen: Seen): Wrong {
  const size = sizeOf(seen);
  return size === undefined ? undefined : size > CAP;
}
function otherType(seen: Seen): Wrong {
  const empty = isEmpty(seen);
  if (isJsonType(seen.asked.header('content-type'))) return false;
  // White space is no body to some.
  return empty === false && isBlank(seen) === true ? undefined : not(empty);
}
function goneNow(seen: Seen): Wrong {
  const phases = phasesOf(seen);
  if (phases === undefined) return seen.intern === undefined ? false : undefined;
  return phases.has('gone') ? (phases.size === 1 ? true : undefined) : false;
}
const sameBody = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);
/** Whether an intern is another of the same creator. */
function isOfCreator({ person }: { readonly person: string | undefined }, seen: Seen, model: Model): Wrong {
  if (seen.operation.name === 'create') return model.isBy(seen.asked, person);
  const own = seen.intern?.made?.person;
  return own === undefined || person === undefined ? undefined : own === person;
}

const isKeyed = ({ asked }: Seen, { options }: Model): boolean =>
  asked.header(idempotencyHeaderOf(options.profile)) !== undefined;

function nameTaken(seen: Seen, model: Model): Wrong {
  if (typeof seen.body?.name !== 'string') return seen.asked.body.kind === 'unknown' ? undefined : false;
  const wanted = JSON.stringify(seen.body.name);
  const { asked } = seen;
  const creates = seen.operation.name === 'create';
  if (creates && model.createBy(asked) !== undefined) return false;
  // An intern of before all that was seen may have it.
  let unsure = model.options.inUse === true;
  for (const intern of model.called(seen.body.name)) {
    if (intern.made === undefined || intern.id === seen.id) continue;
    const ofCreator = isOfCreator(intern.made, seen, model);
    const values = ofCreator === false ? undefined : intern.settings.name.since(asked.at);
    if (values?.has(wanted) !== true) continue;
    const phases = intern.phase.since(asked.at);
    if (phases !== undefined && phases.size === 1 && phases.has('gone')) continue;
    if (ofCreator === undefined || values.size > 1 || phases === undefined || phases.has('gone')) unsure = true;
    // An equal create is a retry, with a key that the service does not know, too.
    else if (creates && (!isKeyed(seen, model) || sameBody(seen.body, intern.made.body))) unsure = true;
    // A key that was used before all that was seen is answered again.
    else if (creates && seen.answered.status === 200) unsure = true;
    else return true;
  }
  return unsure ? undefined : false;
}

/** Statuses that say nothing of the request: a limiter, a time-out, a gateway. */
const ASIDE: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

const refusalsOf = byOperation(REFUSALS);

/** The mistakes of a request: sure ones, and possible ones. */
const wrongIn = once((seen, model) => {
  const sure: Refusal[] = [];
  const maybe: Refusal[] = [];
  for (const refusal of refusalsOf(seen)) {
    const wrong = refusal.wrong(seen, model);
    if (wrong === true) sure.push(refusal);
    else if (wrong === undefined) maybe.push(refusal);
  }
  return { sure, maybe };
});

/** The exchanges that show a request to be wrong: the create of the intern, and its record. */
const because = ({ intern }: Seen): readonly number[] =>
  intern === undefined ? [] : [...(intern.made === undefined ? [] : [intern.made.number]), ...intern.phase.because];

function judgeRefusal(refusal: Refusal, seen: Seen, model: Model): Judgement {
  const { status } = seen.answered;
  if (ASIDE.has(status) || !isFromService(seen)) return undefined;
  const { sure, maybe } = wrongIn(seen, model);
  if (!sure.includes(refusal)) return undefined;
  // A regional host refuses in any way, whatever else is wrong.
  if (seen.asked.regional && status >= 400 && refusal.requirement !== 'BASE-4') return undefined;
  // A gateway may refuse what is large before the service hears of it.
  const before = status === 413 && seen.error === undefined ? undefined : refusal.first;
  const others = [...sure, ...maybe].filter(
    (one) => one !== refusal && !refusal.statuses.includes(status) && before?.test(one.id) !== false,
  );
  // Another thing is wrong as well: which one is told is not stated.
  if (status >= 400 && others.some(({ statuses }) => statuses !== REFUSED && statuses.includes(status)))
    return undefined;
  return holds(
    refusal.statuses.includes(status),
    `status of ${seen.called}`,
    refusal.statuses === REFUSED ? 'a refusal' : refusal.statuses.join(' or '),
    status,
    because(seen),
  );
}

/** The published reason of a refusal, where all that may be wrong with the request has the same. */
function judgeReason(seen: Seen, model: Model): Judgement {
  const { answered, error, called } = seen;
  if (answered.status < 400 || error?.metadata === undefined || !isFromService(seen)) return undefined;
  const { sure, maybe } = wrongIn(seen, model);
  const told = [...sure, ...maybe].filter(({ statuses }) => statuses.includes(answered.status));
  const [first] = told;
  if (first?.reason === undefined || told.some(({ reason }) => reason !== first.reason)) return undefined;
  return sure.some((one) => told.includes(one))
    ? is(`error.metadata.reason of a ${answered.status} of ${called}`, first.reason, error.reason, because(seen))
    : undefined;
}

/** A rule for each refusal, and one for the published reasons of all. */
export const REFUSAL_RULES: readonly Rule[] = [
  ...REFUSALS.filter(({ open }) => open !== true).map(
    (refusal): Rule => ({
      id: refusal.id,
      requirement: refusal.requirement,
      level: refusal.level,
      says: refusal.says,
      ...(refusal.of === undefined ? {} : { of: refusal.of }),
      judge: (seen, model) => judgeRefusal(refusal, seen, model),
    }),
  ),
  ...rulesOf('BASE-3', {
    reason: {
      level: 'P',
      says: 'A request that is refused for a published cause is told its published reason.',
      judge: judgeReason,
    },
  }),
];

/** A request that has nothing wrong is accepted. */
export const ACCEPTED_BY = {
  list: 'LIST-1',
  create: 'CREATE-1',
  get: 'GET-1',
  update: 'UPDATE-1',
  delete: 'DELETE-1',
  provision: 'PROV-1',
  suspend: 'SUSP-1',
  invoke: 'INVOKE-1',
  daemon: 'DAEMON-1',
  'daemon alias': 'DAEMON-3',
  sign: 'SIGN-1',
  'sign alias': 'SIGN-11',
  scim: 'SCIM-1',
  secrets: 'VAULT-1',
  'store secret': 'VAULT-3',
  'delete secret': 'VAULT-6',
  'intern secrets': 'VAULT-1',
  'store intern secret': 'VAULT-3',
  'delete intern secret': 'VAULT-6',
  'copy secrets': 'VAULT-7',
} as const satisfies Partial<Record<OperationName, RequirementId>>;

/** Phases in which no state keeps a service from it: any intern that runs, or rests, is changed or deleted. */
const TAKEN_IN: Readonly<Record<string, readonly Phase[]>> = {
  update: ['up', 'off'],
  delete: ['up', 'off'],
  provision: ['off'],
};

/** Whether a state may keep a service from it: none keeps it from a read, or from a proof. */
function mayConflict(seen: Seen, model: Model): boolean {
  const { name, reads } = seen.operation;
  // A name that is taken is a cause of its own.
  if (name === 'create') return model.mayRetry(seen.asked);
  if ((reads === true && !isDaemon(seen.operation)) || isSigning(seen.operation)) return false;
  return [...(phasesOf(seen) ?? ['new' as const])].some((phase) => TAKEN_IN[name]?.includes(phase) !== true);
}

/** Whether it is refused for who asks, by the reason of a cause that it does not have. */
const isCallerBlamed = ({ answered: { status }, error }: Seen, maybe: readonly Refusal[]): boolean =>
  status === 403 &&
  REFUSALS.some(({ reason, statuses }) => reason === error?.reason && statuses.includes(403)) &&
  maybe.every(({ reason }) => reason !== error?.reason);

/** ms that a question surely stays open: its deadline is five minutes by default. */
const OPEN = 240_000;
/** Reasons that say of a question that it is not open. */
const CLOSED: ReadonlySet<unknown> = new Set([
  'interaction_unknown',
  'interaction_not_pending',
  'not_found',
  'run_ended',
]);

/** An answer that its question offers, of the caller who was asked. */
const ANSWERED: readonly Rule[] = rulesOf('CHAT-7', {
  'open-question-answered': {
    of: ['chat'],
    says: 'A question stays open, whatever answers were refused: one that it offers is taken of the caller who was asked.',
    judge: (seen, model) => {
      const { asked, answered, error, id, intern } = seen;
      const question = questionOf(seen, model);
      const { session = '', asks, options, at = 0, moved = 0, answered: before, replies } = question?.value ?? {};
      const passed = asked.at - at + (model.options.moved?.() ?? 0) - moved;
      if (question === undefined || id === undefined || before !== undefined || passed > OPEN) return undefined;
      // Another answer may be taken before this one, and a call of the lifecycle may have ended the run.
      if ((replies?.size ?? 0) > 1 || (intern?.moving ?? 0) > 1 || (intern?.halted ?? 0) > at) return undefined;
      if (model.options.partial === true || ASIDE.has(answered.status) || !isFromService(seen)) return undefined;
      if (model.isBy(asked, model.session(id, session)?.value.person) !== true) return undefined;
      const content = replyIn(seen)?.content;
      const declines = asks?.kind === 'elicitation' && ['decline', 'cancel'].includes(String(actionIn(content)));
      if (!declines && options?.includes(String(content)) !== true) return undefined;
      if (wrongIn(seen, model).sure.length > 0) return undefined;
      if (answered.status >= 300 && !CLOSED.has(error?.reason)) return undefined;
      return holds(answered.status < 300, 'status of the answer to a question', 'a stream', answered.status, [
        question.number,
      ]);
    },
  },
});

/** No source says with which success these are answered. */
const ANY_SUCCESS: ReadonlySet<string> = new Set(['sign', 'sign alias', 'daemon', 'daemon alias']);

export const ACCEPTED_RULES: readonly Rule[] = [
  ...ANSWERED,
  ...(Object.entries(ACCEPTED_BY) as [keyof typeof ACCEPTED_BY, RequirementId][]).flatMap(([name, id]) => {
    const published = name === 'invoke' ? requirement(id).level : 'P';
    const applies = (seen: Seen, model: Model): boolean => {
      const { status } = seen.answered;
      if (ASIDE.has(status) || !isFromService(seen)) return false;
      // A credential that was good may have come to its end.
      if (seen.caller?.kind === 'member' && status === 401) return false;
      if (status === 409 && mayConflict(seen, model)) return false;
      const { sure, maybe } = wrongIn(seen, model);
      // A cause whose statuses are stated explains no other, and none explains a failure of the service.
      return (
        sure.length === 0 &&
        (isCallerBlamed(seen, maybe) ||
          maybe.every(
            ({ level, statuses }) =>
              !statuses.includes(status) &&
              (status === 409 || status >= 500 || (level === 'S' && statuses !== REFUSED)),
          ))
      );
    };
    const accepted: Rule = {
      id: `${id}/${name.replaceAll(' ', '-')}-accepted`,
      requirement: id,
      level: requirement(id).level,
      of: [name],
      says: `A ${name} that has nothing wrong is accepted.`,
      judge: (seen, model) =>
        !applies(seen, model)
          ? undefined
          : holds(
              seen.answered.status < 300,
              `status of ${seen.called}`,
              'a success',
              seen.answered.status,
              because(seen),
            ),
    };
    const status: Rule = {
      id: `${id}/${name.replaceAll(' ', '-')}-status`,
      requirement: id,
      level: published,
      of: [name],
      says: `A ${name} that is accepted answers with its status.`,
      judge: (seen) =>
        seen.answered.status >= 300
          ? undefined
          : holds(
              seen.operation.success.includes(seen.answered.status),
              `status of ${seen.called}`,
              seen.operation.success.join(' or '),
              seen.answered.status,
            ),
    };
    return [
      // A secret that is named may not be there: only a scenario knows.
      ...(OF_A_SECRET.includes(name) ? [] : [accepted]),
      ...(!ANY_SUCCESS.has(name) && speaksAt(requirement(id), published) ? [status] : []),
    ];
  }),
];
