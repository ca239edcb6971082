import { isPath, type Operation, operationOf } from '../../../emulator/contract/operation.js';
import type { Emulator } from '../../../emulator/emulator.js';
import { BASE } from '../../../emulator/http/route.js';
import { changedAt, isRecord, type Json, type JsonPath } from '../../../emulator/wire/json.js';
import { tokenOf } from '../../../emulator/wire/request.js';

export type { Operation };

export type Area = 'interns' | 'vault' | 'scim' | 'control' | 'none';

/** The memory of a mutant, for one emulator. */
export interface Memory {
  /** How often it was asked for this key before. */
  times(key: unknown): number;
  /** The value that was kept first under a key. */
  first<T>(key: unknown, value: T): T;
  /** A set of the mutant's own. */
  readonly noted: Set<unknown>;
}

export function createMemory(): Memory {
  const counts = new Map<unknown, number>();
  const firsts = new Map<unknown, unknown>();
  return {
    noted: new Set(),
    times(key) {
      const times = counts.get(key) ?? 0;
      counts.set(key, times + 1);
      return times;
    },
    first<T>(key: unknown, value: T) {
      if (!firsts.has(key)) firsts.set(key, value);
      return firsts.get(key) as T;
    },
  };
}

/** A request at this emulator, and its operation, by path and method in the published interface. */
export interface MutantExchange extends Memory {
  readonly request: Request;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly area: Area;
  /** Undefined where the path is known and the method is not, too. */
  readonly operation: Operation | undefined;
  /** Whether the path is one of the interface. */
  readonly known: boolean;
  readonly internId?: string;
  readonly mappingId?: string;
  /** Of a secret in the path. */
  readonly secretName?: string;
  /** The deprecated paths of the daemon. */
  readonly alias: boolean;
  readonly emulator: Emulator;
}

const CONTROL = '/_emulator';

export function exchangeOf(request: Request, emulator: Emulator, memory = createMemory()): MutantExchange {
  const { pathname, searchParams } = new URL(request.url);
  const below = pathname.startsWith(`${BASE}/`) ? pathname.slice(BASE.length) : '';
  const known = isPath(below);
  const areas = /^\/(interns|vault|scim)(?=\/|$)/.exec(below);
  const area = (areas?.[1] ?? (pathname.startsWith(`${CONTROL}/`) ? 'control' : 'none')) as Area;
  const named = (path: RegExp) => (known ? path.exec(below)?.[1] : undefined);
  const intern = named(/^(?:\/vault)?\/interns\/([^/]+)/);
  const mapping = named(/^\/scim\/group-mappings\/([^/]+)$/);
  const secret = named(/^\/vault\/.*\/?secrets\/([^/]+)$/);
  return {
    ...memory,
    request,
    emulator,
    path: area === 'control' ? pathname.slice(CONTROL.length) : below || pathname,
    query: searchParams,
    area,
    operation: operationOf(request.method, below),
    known,
    alias: known && /\/daemon-access(\/|$)/.test(below),
    ...(intern === undefined ? {} : { internId: decodeURIComponent(intern) }),
    ...(secret === undefined ? {} : { secretName: decodeURIComponent(secret) }),
    ...(mapping === undefined ? {} : { mappingId: decodeURIComponent(mapping) }),
  };
}

/** The exchanges that a mutation is about. */
export type Of = Operation | Area | readonly (Operation | Area)[] | ((exchange: MutantExchange) => boolean);

export const isOf = (of: Of, exchange: MutantExchange): boolean =>
  typeof of === 'function'
    ? of(exchange)
    : [of].flat().some((one) => exchange.operation === one || exchange.area === one);

/** All of it holds. */
export const all =
  (...of: readonly Of[]): Of =>
  (exchange) =>
    of.every((one) => isOf(one, exchange));

/** Exchanges of an HTTP method. */
export const method =
  (name: string): Of =>
  ({ request }) =>
    request.method === name;

/** Exchanges with this parameter in their query. */
export const filtered =
  (name: string): Of =>
  ({ query }) =>
    query.has(name);

/** Exchanges by the deprecated paths of the daemon. */
export const byAlias: Of = ({ alias }) => alias;

export type CredentialName = Exclude<keyof Emulator['target']['credentials'], 'intern'>;

/** Exchanges with a credential of the target, or with none. */
export const by =
  (name: CredentialName | 'nobody'): Of =>
  ({ request, emulator }) =>
    name === 'nobody'
      ? !request.headers.has('authorization')
      : tokenOf(request) !== undefined && tokenOf(request) === emulator.target.credentials[name];

/** The surroundings of a changed value. */
export interface About extends MutantExchange {
  readonly parent: Json;
  /** The whole body, or the chunk. */
  readonly whole: Json;
  /** Of a stream: how it finished, once it has. */
  readonly finish: string | undefined;
}

/** Another value, or one made of the value that is there; an undefined one is left out. */
export type NewValue<T> = ((value: T, about: About) => unknown) | string | number | boolean | null | undefined | object;

/** A JSON body with another value in some places. What is made of the value that is there needs one. */
export function put<T>(
  whole: Json,
  places: JsonPath | readonly JsonPath[],
  change: NewValue<T>,
  exchange: MutantExchange,
  finish?: string,
): Json {
  const made = (value: unknown, parent: unknown): unknown => {
    if (typeof change !== 'function') return change;
    if (value === undefined) return undefined;
    return (change as (value: T, about: About) => unknown)(value as T, {
      ...exchange,
      parent: isRecord(parent) ? parent : {},
      whole,
      finish,
    });
  };
  return [places].flat().reduce<Json>((body, place) => changedAt(body, place, made) as Json, whole);
}

/** The operations whose body must be declared as JSON. */
export const TYPED = ['create', 'update', 'delete', 'provision', 'suspend', 'sign'] as const;

export const isJsonType = (request: Request): boolean =>
  /^application\/json *(;|$)/i.test(request.headers.get('content-type') ?? '');
