import { UUID } from '../framework/assert.js';
import { idempotencyHeaderOf } from '../framework/profile.js';
import { canonical } from '../model/exchange.js';
import { type InternFacts, PHASES, type Phase, phasesAfter, type RecordFields } from '../model/intern.js';
import type { Model } from '../model/model.js';
import { DAEMON, isPrompt, OPERATIONS, type Operation, type OperationName, SIGNING } from '../model/operations.js';
import { type CallerKind, isMember } from '../model/options.js';
import { isRecord, jsonOf } from '../probe/json.js';
import { type Level, type RequirementId, requirement } from '../requirements/index.js';
import {
  areNumbers,
  areStatuses,
  isChat,
  isCopy,
  isCreate,
  isDelete,
  isDigest,
  isInvoke,
  isRoute,
  isSecret,
  isSecretName,
  isUpdate,
} from './bodies.js';
import {
  about,
  byOperation,
  holds,
  is,
  isFromService,
  isTurning,
  type Judgement,
  once,
  type Rule,
  rulesOf,
  type Seen,
} from './rule.js';

/** Whether a request has a mistake. Undefined: unknown. */
type Wrong = boolean | undefined;

/** A mistake of requests, and the statuses that refuse it. */
export interface Refusal {
  readonly id: string;
  readonly requirement: RequirementId;
  readonly level: Level;
  readonly says: string;
  readonly statuses: readonly number[];
  /** The operations that can have the mistake. Default: all. */
  readonly of?: readonly OperationName[];
  /** Its published reason. */
  readonly reason?: string;
  /** The interface neither states nor forbids this refusal: it excuses a status, and is no rule. */
  readonly open?: true;
  /** This refusal precedes all others, except those with these ids. */
  readonly first?: RegExp;
  wrong(seen: Seen, model: Model): Wrong;
  /** The intern that makes the request wrong, where its path does not name that one. */
  other?(seen: Seen, model: Model): InternFacts | undefined;
}

/** The statuses of a refusal whose status the interface does not state. */
export const REFUSED: readonly number[] = [400, 401, 403, 404, 405, 409, 410, 413, 415, 421, 422];
/** Bytes of the largest body that the interface takes. */
const CAP = 1_048_576;

const not = (wrong: Wrong): Wrong => (wrong === undefined ? undefined : !wrong);
/** A mistake that nobody can be sure of. */
const maybe = (possible: boolean): Wrong => (possible ? undefined : false);

const those = (which: (operation: Operation) => boolean) => OPERATIONS.filter(which).map(({ name }) => name);
const INTERNS = those(({ area }) => area === 'interns');
const VAULT = those(({ area }) => area === 'vault');
/** Operations for which the interface states the largest body and the media type. */
const WRITES = ['create', 'update', 'delete', ...SIGNING] as const;
const BARE = ['provision', 'suspend'] as const;
/** Operations that need an existing secret. */
export const OF_A_SECRET: readonly OperationName[] = ['delete secret', 'delete intern secret', 'copy secrets'];

const sizeOf = ({ asked: { body } }: Seen): number | undefined =>
  body.kind === 'unknown' ? undefined : body.kind === 'none' ? 0 : body.size;
/** Whether a request has no body, or one of white space. */
const isBlank = ({ asked: { body } }: Seen): Wrong =>
  body.kind === 'unknown' ? undefined : body.kind === 'none' || /^\s*$/.test(body.text);

const isJsonType = (type: string | undefined): boolean => /^\s*application\/json\s*(;|$)/i.test(type ?? '');

/** Whether `wrong` holds for the JSON of a body, which is undefined without one. */
const json = (seen: Seen, wrong: (value: unknown) => boolean): Wrong => {
  const { body } = seen.asked;
  if (body.kind === 'unknown') return undefined;
  return wrong(body.kind === 'some' ? body.json : undefined);
};
const noObject = (seen: Seen): Wrong => json(seen, (value) => !isRecord(value));
/** The mistake of a body that is an object, but not a right one. */
const wrongObject =
  (isRight: (row: RecordFields) => boolean) =>
  (seen: Seen): Wrong =>
    json(seen, (value) => isRecord(value) && !isRight(value));
/** The mistake of a body that is no right object. */
const noRight =
  (isRight: (row: RecordFields) => boolean) =>
  (seen: Seen): Wrong =>
    json(seen, (value) => !isRecord(value) || !isRight(value));

/** Whether the caller cannot see the intern in the path. */
function isHidden(seen: Seen, model: Model): Wrong {
  const { caller, id, intern } = seen;
  if (id === undefined || caller === undefined || caller === null) return false;
  if (caller.kind === 'own') return caller.intern === undefined ? undefined : caller.intern !== id;
  if (!isMember(caller)) return false;
  if (model.options.madeUp?.(id) === true) return true;
  if (intern === undefined) return undefined;
  return not(model.isVisible(seen.asked, intern));
}

/** ms for which the status of a read holds, unless a conflict contradicts it. */
const BRIEF = 2_000;

/** The phases that the intern may have had while the request was under way. */
export function phasesOf({ answered, asked, intern, operation }: Seen): ReadonlySet<Phase> | undefined {
  const all = intern?.made === undefined ? undefined : intern.phase.since(asked.at, asked.number);
  const { awaited, moved = 0, moving = 0, shown } = intern ?? {};
  const itself = phasesAfter(operation.name, false) === undefined ? 0 : 1;
  // A running intern may need a moment before it takes prompts. A 409 may mean that the service has changed the state by itself.
  const isRead =
    shown?.sure === true && asked.at - shown.at <= BRIEF && !isPrompt(operation) && answered.status !== 409;
  // Since that read nothing happened to the intern, and no accepted call still has to take effect.
  const isFresh = isRead && awaited === undefined && moved < shown.at && moving <= itself;
  const here = isFresh ? PHASES[shown.status]?.filter((phase) => all?.has(phase)) : undefined;
  return here === undefined || here.length === 0 ? all : new Set(here);
}
/** Whether the intern is in no such phase. An intern that the caller cannot see has no state, like an unknown id. */
const isNotIn = (seen: Seen, model: Model, ...phases: readonly Phase[]): Wrong => {
  if (isHidden(seen, model) === true) return false;
  const all = phasesOf(seen);
  if (all === undefined || (all.has('new') && model.options.ours !== true && !phases.includes('new'))) return undefined;
  const some = phases.some((phase) => all.has(phase));
  return some ? ([...all].every((phase) => phases.includes(phase)) ? false : undefined) : true;
};

/** Whether a request has no valid key. */
const isWithoutKey = ({ caller }: Seen): Wrong =>
  caller === null || (caller === undefined ? undefined : caller.kind === 'invalid');
const isOf = ({ caller }: Seen, kind: CallerKind): Wrong => (caller === undefined ? undefined : caller?.kind === kind);
/** Whether the credential is of one of these kinds. */
const isOneOf = (caller: Seen['caller'], ...kinds: readonly CallerKind[]): Wrong =>
  caller === undefined || caller?.kind === 'member' ? undefined : caller !== null && kinds.includes(caller.kind);

type RefusalRow = Omit<Refusal, 'id' | 'level'> & { readonly level?: Level };
const rows = (all: Readonly<Record<string, RefusalRow>>): readonly Refusal[] =>
  Object.entries(all).map(([name, row]) => ({
    level: requirement(row.requirement).level,
    ...row,
    id: `${row.requirement}/${name}`,
  }));

/** The refusals in the order of interface.md: for the caller, for the intern, for the body, for the state. */
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
    first: /^BASE-4\//,
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
    // The interface states the refusals of large bodies and other media types just as generally.
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
    says: 'A route without a permitted method and a path as it is sent is refused with 400.',
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
    says: 'A service may refuse any body of provision or suspend, one without fields too.',
    statuses: [400],
    reason: 'invalid_body',
    of: BARE,
    wrong: (seen, model) =>
      maybe(
        model.options.ours !== true &&
          json(seen, (value) => isRecord(value) && Object.keys(value).length === 0) === true,
      ),
  },
  'taken-away': {
    open: true,
    requirement: 'GET-1',
    says: 'An intern may not be found: a read may be late, and others may have taken the intern away.',
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
    says: 'A parameter of a list that is given twice may be refused.',
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
  'reply-to-none': {
    requirement: 'CHAT-6',
    says: 'The answer to a question goes to the run that asked: with any other call, session or intern it is refused.',
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
    says: 'A question may have closed: its deadline has passed, its intern has ended the run, or another run has begun.',
    statuses: [404, 409, 410],
    of: ['chat'],
    wrong: (seen, model) =>
      maybe(
        replyIn(seen) !== undefined &&
          typeof seen.body?.session_id === 'string' &&
          isUnknownCall(seen, model) !== true &&
          questionOf(seen, model)?.value.over !== true,
      ),
  },
  'session-unknown': {
    open: true,
    requirement: 'CHAT-15',
    says: 'A service may refuse sessions that it has not issued.',
    statuses: [404, 400],
    of: ['chat'],
    wrong: (seen, model) => {
      const session = seen.body?.session_id;
      if (typeof session !== 'string' || seen.id === undefined || model.options.ours === true) return false;
      return maybe(model.session(seen.id, session) === undefined);
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
    wrong: (seen, model) => isNotIn(seen, model, 'new', 'off', 'failed', 'stuck'),
  },
  'suspend-rests': {
    requirement: 'SUSP-1',
    level: 'P',
    says: 'An intern that does not run is not suspended: 409.',
    statuses: [409],
    reason: 'intern_busy',
    of: ['suspend'],
    wrong: (seen, model) => isNotIn(seen, model, 'up'),
  },
  'chat-runs': {
    requirement: 'CHAT-16',
    says: 'An intern that does not run takes no prompt: 409.',
    statuses: [409],
    reason: 'intern_not_ready',
    of: ['chat'],
    wrong: (seen, model) => isNotIn(seen, model, 'up'),
  },
  'invoke-runs': {
    open: true,
    requirement: 'INVOKE-1',
    level: 'P',
    says: 'An intern that does not run starts no run: 409.',
    statuses: [409],
    reason: 'intern_not_ready',
    of: ['invoke'],
    wrong: (seen, model) => isNotIn(seen, model, 'up'),
  },
  'access-runs': {
    requirement: 'DAEMON-1',
    says: 'The daemon access is that of a running intern: for any other it is refused.',
    statuses: REFUSED,
    of: DAEMON,
    wrong: (seen, model) => isNotIn(seen, model, 'up'),
  },
  'access-runs-status': {
    requirement: 'DAEMON-1',
    level: 'P',
    says: 'The daemon access of an intern that does not run is refused with 409.',
    statuses: [409],
    reason: 'intern_not_running',
    of: DAEMON,
    wrong: (seen, model) => isNotIn(seen, model, 'up'),
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
      // Another workspace may be refused first, as one that the caller cannot see.
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
    wrong: (seen, model) => {
      const found = namesake(seen, model);
      return found === 'unknown' ? undefined : found !== undefined;
    },
    other: (seen, model) => {
      const found = namesake(seen, model);
      return found === 'unknown' ? undefined : found;
    },
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
  'secret-query': {
    requirement: 'VAULT-5',
    says: 'A list of secrets by an invalid limit or offset is refused with 400.',
    statuses: [400],
    reason: 'invalid_body',
    of: ['secrets', 'intern secrets'],
    wrong: ({ asked: { query } }) => !areNumbers(query, 'limit', 1, 100) || !areNumbers(query, 'offset', 0, 10_000),
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
/** The action of an answer to an elicitation. The fields of an `accept` are not looked at. */
export function actionIn(content: unknown): unknown {
  const answer = typeof content === 'string' ? jsonOf(content) : undefined;
  return isRecord(answer) && ACTIONS.includes(answer.action) ? answer.action : undefined;
}

/** The tool message of an answer to a question. */
export function replyIn({ operation, body }: Seen): RecordFields | undefined {
  const last = operation.name === 'chat' && Array.isArray(body?.messages) ? body.messages.at(-1) : undefined;
  return isRecord(last) && last.role === 'tool' ? last : undefined;
}
/** The question that an answer names, if that intern asked it in that session. */
export function questionOf(seen: Seen, model: Model) {
  // The intern has asked nothing of a caller who cannot see it.
  if (isHidden(seen, model) === true) return undefined;
  const question = model.questions.get(String(replyIn(seen)?.tool_call_id));
  return question?.value.intern === seen.id && question?.value.session === seen.body?.session_id ? question : undefined;
}
/** Whether an answer names a call that its session never asked. */
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
  if (isJsonType(seen.asked.header('content-type'))) return false;
  const size = sizeOf(seen);
  // A service may take white space for no body.
  return size === undefined || (size > 0 && isBlank(seen) === true) ? undefined : size > 0;
}
function goneNow(seen: Seen): Wrong {
  const phases = phasesOf(seen);
  if (phases === undefined) return seen.intern === undefined ? false : undefined;
  return phases.has('gone') ? (phases.size === 1 ? true : undefined) : false;
}
const sameBody = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other);
/** Whether the creator of an intern also made, or makes, the one that the request names. */
function isOfCreator({ person }: { readonly person: string | undefined }, seen: Seen, model: Model): Wrong {
  if (seen.operation.name === 'create') return model.isBy(seen.asked, person);
  const own = seen.intern?.made?.person;
  return own === undefined || person === undefined ? undefined : own === person;
}

const isKeyed = ({ asked }: Seen, { options }: Model): boolean =>
  asked.header(idempotencyHeaderOf(options.profile)) !== undefined;

/** The intern of the same creator that has the name which a request gives. */
const namesake = once((seen, model): InternFacts | 'unknown' | undefined => {
  if (typeof seen.body?.name !== 'string') return seen.asked.body.kind === 'unknown' ? 'unknown' : undefined;
  const wanted = JSON.stringify(seen.body.name);
  const { asked } = seen;
  const creates = seen.operation.name === 'create';
  if (creates && model.createBy(asked) !== undefined) return undefined;
  // An intern from before the first exchange may have the name.
  let unsure = model.options.inUse === true;
  for (const intern of model.called(seen.body.name)) {
    if (intern.made === undefined || intern.id === seen.id) continue;
    const ofCreator = isOfCreator(intern.made, seen, model);
    const values = ofCreator === false ? undefined : intern.settings.name.since(asked.at);
    if (values?.has(wanted) !== true) continue;
    const phases = intern.phase.since(asked.at);
    if (phases !== undefined && phases.size === 1 && phases.has('gone')) continue;
    if (ofCreator === undefined || values.size > 1 || phases === undefined || phases.has('gone')) unsure = true;
    // An equal create may be a retry, even with a key that the service has forgotten.
    else if (creates && (!isKeyed(seen, model) || sameBody(seen.body, intern.made.body))) unsure = true;
    // 200 answers the retry of a create from before the first exchange.
    else if (creates && seen.answered.status === 200) unsure = true;
    else return intern;
  }
  return unsure ? 'unknown' : undefined;
});

/** Statuses that do not judge the request: a limiter, a time-out, a gateway. */
export const ASIDE: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

const refusalsOf = byOperation(REFUSALS);

/** The sure mistakes of a request, and the possible ones. */
export const wrongIn = once((seen, model) => {
  const sure: Refusal[] = [];
  const maybe: Refusal[] = [];
  for (const refusal of refusalsOf(seen)) {
    const wrong = refusal.wrong(seen, model);
    if (wrong === true) sure.push(refusal);
    else if (wrong === undefined) maybe.push(refusal);
  }
  return { sure, maybe };
});

/** The exchanges that established the intern's phase: its create, and a record of it. */
export const because = ({ intern }: Pick<Seen, 'intern'>): readonly number[] =>
  intern === undefined ? [] : [...(intern.made === undefined ? [] : [intern.made.number]), ...intern.phase.because];

function judgeRefusal(refusal: Refusal, seen: Seen, model: Model): Judgement {
  const { status } = seen.answered;
  if (ASIDE.has(status) || !isFromService(seen)) return undefined;
  const { sure, maybe } = wrongIn(seen, model);
  if (!sure.includes(refusal)) return undefined;
  // The refusal of a regional host precedes all others, with any status.
  if (seen.asked.regional && status >= 400 && refusal.requirement !== 'BASE-4') return undefined;
  // A gateway may refuse a large body before the service reads it.
  const before = status === 413 && seen.error === undefined ? undefined : refusal.first;
  const others = [...sure, ...maybe].filter(
    (one) => one !== refusal && !refusal.statuses.includes(status) && before?.test(one.id) !== false,
  );
  // The interface does not state which of several mistakes the answer names.
  if (status >= 400 && others.some(({ statuses }) => statuses !== REFUSED && statuses.includes(status)))
    return undefined;
  const other = refusal.other?.(seen, model);
  return about(
    other?.id,
    holds(
      refusal.statuses.includes(status),
      `status of ${seen.called}`,
      refusal.statuses === REFUSED ? 'a refusal' : refusal.statuses.join(' or '),
      status,
      [...because(seen), ...because({ intern: other })],
    ),
  );
}

/** Judges the reason of a refusal, if all mistakes that the request may have share one published reason. */
function judgeReason(seen: Seen, model: Model): Judgement {
  const { answered, error, called } = seen;
  // A turn that has just begun or ended may keep an intern busy in any state.
  if (answered.status === 409 && isPrompt(seen.operation) && error?.reason === 'busy' && isTurning(seen, model))
    return undefined;
  if (answered.status < 400 || error?.metadata === undefined || !isFromService(seen)) return undefined;
  const { sure, maybe } = wrongIn(seen, model);
  const causes = [...sure, ...maybe].filter(({ statuses }) => statuses.includes(answered.status));
  const [first] = causes;
  if (first?.reason === undefined || causes.some(({ reason }) => reason !== first.reason)) return undefined;
  return sure.some((one) => causes.includes(one))
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
      says: 'A request that is refused for a published cause gets its published reason.',
      judge: judgeReason,
    },
  }),
];
