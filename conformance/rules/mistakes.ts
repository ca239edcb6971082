import { PHASES, type Phase, phasesAfter, type RecordFields } from '../model/intern.js';
import type { Model } from '../model/model.js';
import { isPrompt, OPERATIONS, type Operation, type OperationName, SIGNING } from '../model/operations.js';
import { type CallerKind, isMember } from '../model/options.js';
import { isRecord } from '../probe/json.js';
import type { Seen, Wrong } from './rule.js';

/** Statuses that do not judge the request: a limiter, a time-out, a gateway. */
export const ASIDE: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
/** The statuses of a refusal whose status the interface does not state. */
export const REFUSED: readonly number[] = [400, 401, 403, 404, 405, 409, 410, 413, 415, 421, 422];
/** Bytes of the largest body that the interface takes. */
export const CAP = 1_048_576;

export const not = (wrong: Wrong): Wrong => (wrong === undefined ? undefined : !wrong);
/** A mistake that is possible, but never certain. */
export const maybe = (possible: boolean): Wrong => (possible ? undefined : false);

export const those = (which: (operation: Operation) => boolean) => OPERATIONS.filter(which).map(({ name }) => name);
export const INTERNS = those(({ area }) => area === 'interns');
export const VAULT = those(({ area }) => area === 'vault');
/** Operations for which the interface states the largest body and the media type. */
export const WRITES = ['create', 'update', 'delete', ...SIGNING] as const;
/** Operations that take no body. */
export const BARE = ['provision', 'suspend'] as const;
/** Operations that need an existing secret. */
export const OF_A_SECRET: readonly OperationName[] = ['delete secret', 'delete intern secret', 'copy secrets'];

export const sizeOf = ({ asked: { body } }: Seen): number | undefined =>
  body.kind === 'unknown' ? undefined : body.kind === 'none' ? 0 : body.size;
/** Whether a request has no body, or one of white space. */
export const isBlank = ({ asked: { body } }: Seen): Wrong =>
  body.kind === 'unknown' ? undefined : body.kind === 'none' || /^\s*$/.test(body.text);

export const isJsonType = (type: string | undefined): boolean => /^\s*application\/json\s*(;|$)/i.test(type ?? '');

/** Whether `wrong` holds for the JSON of a body. Without JSON it gets undefined. */
export const json = (seen: Seen, wrong: (value: unknown) => boolean): Wrong => {
  const { body } = seen.asked;
  if (body.kind === 'unknown') return undefined;
  return wrong(body.kind === 'some' ? body.json : undefined);
};
export const noObject = (seen: Seen): Wrong => json(seen, (value) => !isRecord(value));
/** The mistake of a JSON object that is not right. Another body does not have it. */
export const wrongObject =
  (isRight: (row: RecordFields) => boolean) =>
  (seen: Seen): Wrong =>
    json(seen, (value) => isRecord(value) && !isRight(value));
/** The mistake of a body that is not a right JSON object. */
export const noRight =
  (isRight: (row: RecordFields) => boolean) =>
  (seen: Seen): Wrong =>
    json(seen, (value) => !isRecord(value) || !isRight(value));

/** Whether a request names a workspace that is not the caller's. */
export function isOtherWorkspace(named: string, caller: Seen['caller']): Wrong {
  const { workspace } = caller ?? {};
  if (workspace === undefined) return undefined;
  if (named === workspace) return false;
  // A UUID in another letter case is the same one. A service may refuse it nevertheless.
  return named.toLowerCase() === workspace.toLowerCase() ? undefined : true;
}

/** Whether the caller cannot see the intern in the path. */
export function isHidden(seen: Seen, model: Model): Wrong {
  const { caller, id, intern } = seen;
  if (id === undefined || caller === undefined || caller === null) return false;
  if (caller.kind === 'own') return caller.intern === undefined ? undefined : caller.intern !== id;
  if (!isMember(caller)) return false;
  if (model.options.madeUp?.(id) === true) return true;
  if (intern === undefined) return undefined;
  return not(model.isVisible(seen.asked, intern));
}

/** ms for which the status of a read stays valid, unless a 409 contradicts it. */
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
/** Whether the intern is in none of these phases. An intern that the caller cannot see has none, like an unknown id. */
export const isNotIn = (seen: Seen, model: Model, ...phases: readonly Phase[]): Wrong => {
  if (isHidden(seen, model) === true) return false;
  const all = phasesOf(seen);
  if (all === undefined || (all.has('new') && model.options.ours !== true && !phases.includes('new'))) return undefined;
  const some = phases.some((phase) => all.has(phase));
  return some ? ([...all].every((phase) => phases.includes(phase)) ? false : undefined) : true;
};

/** Whether a request has no valid key. */
export const isWithoutKey = ({ caller }: Seen): Wrong =>
  caller === null || (caller === undefined ? undefined : caller.kind === 'invalid');
export const isOf = ({ caller }: Seen, kind: CallerKind): Wrong =>
  caller === undefined ? undefined : caller?.kind === kind;
/** Whether the credential is of one of these kinds. */
export const isOneOf = (caller: Seen['caller'], ...kinds: readonly CallerKind[]): Wrong =>
  caller === undefined || caller?.kind === 'member' ? undefined : caller !== null && kinds.includes(caller.kind);

export function tooLarge(seen: Seen): Wrong {
  const size = sizeOf(seen);
  return size === undefined ? undefined : size > CAP;
}
