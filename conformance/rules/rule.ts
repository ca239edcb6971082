import { isDeepStrictEqual } from 'node:util';
import { TURNING } from '../habits/dealings.js';
import { gist, hasKeys, unlike } from '../model/assert.js';
import type { Answered, Asked, Exchange } from '../model/exchange.js';
import { Finding, type Found } from '../model/finding.js';
import type { InternFacts, RecordFields } from '../model/intern.js';
import type { Model } from '../model/model.js';
import { OPERATIONS, type Operation, type OperationName, operationOf } from '../model/operations.js';
import type { Caller } from '../model/options.js';
import { isRecord } from '../probe/json.js';
import { type Level, type RequirementId, requirement } from '../requirements/index.js';

/** An exchange that breaks a rule. */
export interface Breach {
  /** The value that is wrong, as a noun: `status of an update`. */
  readonly what: string;
  /** The value, or fixed words for what should hold. */
  readonly expected: unknown;
  readonly actual: unknown;
  /** `expected` is a value, even if it is a text. */
  readonly exact?: true;
  /** The answer shows a secret: one exchange is enough, at any level. */
  readonly leak?: true;
  /** Whether the exchange alone shows the breach, where that differs from the rule. */
  readonly alone?: boolean;
  /** Numbers of the exchanges that established what was expected. */
  readonly because: readonly number[];
  /** Id of the intern that is wrong, where the path of the request does not name it. */
  readonly about?: string;
}

/** Undefined: the rule does not apply. */
export type Judgement = 'kept' | Breach | undefined;

/** The error of an answer, in its envelope. */
interface ErrorSeen {
  readonly code: unknown;
  readonly message: unknown;
  readonly metadata: unknown;
  readonly reason: unknown;
  readonly retryable: unknown;
}

/** An exchange as rules judge it. */
export interface Seen {
  readonly asked: Asked;
  readonly answered: Answered;
  readonly operation: Operation;
  /** The operation and the status: `get 404`. */
  readonly situation: string;
  /** The name of the request in findings: `a get`. */
  readonly called: string;
  /** The intern, or the mapping, that the path names. */
  readonly id: string | undefined;
  readonly secret: string | undefined;
  readonly caller: Caller | null | undefined;
  /** The facts of the intern before the answer. */
  readonly intern: InternFacts | undefined;
  /** The body of the request as an object. */
  readonly body: RecordFields | undefined;
  /** The body of the answer as an object. */
  readonly json: RecordFields | undefined;
  readonly error: ErrorSeen | undefined;
}

/** One clause of a requirement. It judges every exchange that it applies to. */
export interface Rule {
  /** `REQUIREMENT/what-is-held`, unique and stable. */
  readonly id: string;
  readonly requirement: RequirementId;
  readonly level: Level;
  /** The operations that the rule judges. Default: all. */
  readonly of?: readonly OperationName[];
  /** The rule in one sentence. */
  readonly says: string;
  /**
   * A late read may break the rule. `at the end`: the breach counts if the look at the end shows it, too. `between writes`: only a
   * write changes the value, so two exchanges are enough where reads are never late. `by itself`: the rule has waited for several
   * reads itself.
   */
  readonly settles?: 'at the end' | 'between writes' | 'by itself';
  /** The rule needs only the exchange itself. */
  readonly alone?: true;
  judge(seen: Seen, model: Model): Judgement;
}

/** Whether a request has a mistake. Undefined: unknown. */
export type Wrong = boolean | undefined;

/** The order in which a service looks for mistakes (BODY-5). */
export const STEPS = [
  'region',
  'credential',
  'programme',
  'visibility',
  'kind',
  'size',
  'media type',
  'body',
  'named',
  'state',
] as const;

/** A mistake of requests, and the statuses that refuse it. As a rule: a request with the mistake is refused with one of them. */
export interface Refusal extends Omit<Rule, 'judge' | 'settles' | 'alone'> {
  readonly statuses: readonly number[];
  readonly step: (typeof STEPS)[number];
  /** Its published reason. */
  readonly reason?: string;
  /** The interface neither states nor forbids this refusal: it excuses a status, and is no rule. */
  readonly open?: true;
  /** This refusal precedes all others, except those with these ids. */
  readonly first?: RegExp;
  wrong(seen: Seen, model: Model): Wrong;
  /** The intern that makes the request wrong, if the path names another or none. */
  other?(seen: Seen, model: Model): InternFacts | undefined;
}

/** A rule, or a refusal. */
export type AnyRule = Rule | Refusal;

type Named<T> = T extends AnyRule ? Omit<T, 'id' | 'requirement' | 'level'> & { readonly level?: Level } : never;
type Rows<T extends AnyRule> = Readonly<Record<string, Named<T>>>;

/** The rules of one requirement, by their names below its id. `of` are the operations of all of them. */
export function rulesOf<T extends AnyRule = AnyRule>(
  id: RequirementId,
  ...[first, second]: [rows: Rows<T>] | [of: readonly OperationName[], rows: Rows<T>]
): readonly T[] {
  const [common, rows] = second === undefined ? [{}, first] : [{ of: first }, second];
  const { level } = requirement(id);
  return Object.entries(rows).map(([name, row]) => ({
    id: `${id}/${name}`,
    requirement: id,
    level,
    ...common,
    ...row,
  }));
}

/** The rules that apply to the operation of an exchange. */
export function byOperation<T extends { readonly of?: Rule['of'] | undefined }>(
  rows: readonly T[],
): (seen: Seen) => readonly T[] {
  const all = new Map(OPERATIONS.map(({ name }) => [name, rows.filter(({ of }) => of?.includes(name) !== false)]));
  return ({ operation }) => all.get(operation.name) ?? [];
}

/** The part of a finding that a breach gives. */
export const foundBy = ({ what, expected, actual, exact }: Breach): Pick<Found, 'wanted' | 'got' | 'of'> =>
  unlike(what, expected, actual, exact === true);

/** Kept if the values are equal as JSON. */
export const is = (what: string, expected: unknown, actual: unknown, because: readonly number[] = []): Judgement =>
  actual === expected || isDeepStrictEqual(actual, expected)
    ? 'kept'
    : { what, expected, actual, exact: true, because };

/** Kept if `does`. `expected` says in fixed words what should hold. */
export const holds = (
  does: boolean,
  what: string,
  expected: string,
  actual: unknown,
  because: readonly number[] = [],
): Judgement => (does ? 'kept' : { what, expected, actual, because });

/** Whether a turn of the intern has just begun or ended. On an emulator of ours that takes no time. */
export const isTurning = ({ asked, intern }: Seen, { options }: Model): boolean =>
  options.ours !== true && asked.at - (intern?.turned?.at ?? Number.NEGATIVE_INFINITY) < TURNING;

/** The first breach among the items, else kept if the rule applies to any. */
export function each<T>(items: readonly T[], judge: (item: T) => Judgement): Judgement {
  let kept: Judgement;
  for (const item of items) {
    const one = judge(item);
    if (one !== undefined && one !== 'kept') return one;
    kept ??= one;
  }
  return kept;
}

/** A judgement about an intern that the path of the request does not name. */
export const about = (id: unknown, one: Judgement): Judgement =>
  one === undefined || one === 'kept' || typeof id !== 'string' ? one : { about: id, ...one };

/** The first breach among the records, with the intern that it is about, else kept if the rule applies to any. */
export const eachIntern = (records: readonly RecordFields[], judge: (record: RecordFields) => Judgement): Judgement =>
  each(records, (record) => about(record.id, judge(record)));

/** The first breach, else kept if any is. */
export const all = (...judgements: readonly Judgement[]): Judgement => each(judgements, (one) => one);

/** Computes a value once for each exchange. Rules judge one exchange after the other. */
export function once<T>(find: (seen: Seen, model: Model) => T): (seen: Seen, model: Model) => T {
  let last: { readonly seen: Seen; readonly found: T } | undefined;
  return (seen, model) => {
    if (last?.seen !== seen) last = { seen, found: find(seen, model) };
    return last.found;
  };
}

const article = (name: string): string => (/^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`);

/** An exchange as rules judge it. Undefined without an answer, or for an unknown operation. */
export function seenBy(model: Model, { asked, answered }: Exchange): Seen | undefined {
  const named = operationOf(asked);
  if (named === undefined || answered === undefined) return undefined;
  const { operation, id, secret } = named;
  const json = isRecord(answered.json) ? answered.json : undefined;
  const error = isRecord(json?.error) ? json.error : undefined;
  const metadata = isRecord(error?.metadata) ? error.metadata : undefined;
  return {
    asked,
    answered,
    operation,
    situation: `${operation.name} ${answered.status}`,
    called: article(operation.name),
    id,
    secret,
    caller: model.callerOf(asked),
    intern: id === undefined ? undefined : model.interns.get(id),
    body: asked.body.kind === 'some' && isRecord(asked.body.json) ? asked.body.json : undefined,
    json,
    error:
      answered.status < 400 || error === undefined
        ? undefined
        : {
            code: error.code,
            message: error.message,
            metadata: error.metadata,
            reason: metadata?.reason,
            retryable: metadata?.retryable,
          },
  };
}

/** Statuses of gateways, firewalls and limiters before a service, which answer in a form of their own. */
export const OF_OTHERS: ReadonlySet<number> = new Set([403, 429, 502, 503, 504]);

/** Whether the service itself answered, not a gateway before it. */
export const isFromService = ({ answered, json }: Pick<Seen, 'answered' | 'json'>): boolean =>
  !OF_OTHERS.has(answered.status) || json?.error !== undefined;

export const isBodyKnown = ({ asked }: Pick<Seen, 'asked'>): boolean => asked.body.kind !== 'unknown';

/** Whether a request succeeded. */
export const isDone = ({ answered }: Pick<Seen, 'answered'>): boolean => answered.status < 300;

/** The kind of secret that an answer shows. */
const secretIn = once(({ answered }, { options }) => options.secretIn?.(answered.all?.() ?? ''));

/** Kept if an answer shows no secret of a kind. A breach does not repeat the secret. */
export function shows(seen: Seen, model: Model, kind: 'credential' | 'value', what: string): Judgement {
  if (model.options.secretIn === undefined || seen.answered.all === undefined) return undefined;
  return secretIn(seen, model) === kind
    ? {
        what: `${what} in an answer of ${seen.called}`,
        expected: 'none of it',
        actual: gist('all of it'),
        because: [],
        leak: true,
      }
    : 'kept';
}

/** Operations that show interns. */
export const SHOW: readonly OperationName[] = ['list', 'create', 'get', 'update'];

/** The records of interns that an answer shows. */
export const recordsOf = once(({ operation, answered, json }): readonly RecordFields[] => {
  if (answered.status >= 300 || json === undefined) return [];
  if (operation.name === 'list') return Array.isArray(json.data) ? json.data.filter(isRecord) : [];
  return SHOW.includes(operation.name) ? [json] : [];
});

/** A value, if it is a text, else an empty one. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Kept if an object has exactly these keys. */
export const keysAre = (value: unknown, keys: readonly string[], of: string): Judgement => {
  try {
    hasKeys(value, keys, of);
    return 'kept';
  } catch (error) {
    if (!(error instanceof Finding)) throw error;
    return {
      what: `keys of ${of}`,
      expected: [...keys].sort(),
      actual: isRecord(value) ? Object.keys(value).sort() : value,
      because: [],
    };
  }
};
