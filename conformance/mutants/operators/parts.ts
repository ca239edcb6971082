import { Refusal } from '../../../emulator/contract/errors.js';
import type { Settings } from '../../../emulator/contract/settings.js';
import type { IdempotencyRow, InternRow } from '../../../emulator/contract/state.js';
import type { Caller } from '../../../emulator/domain/caller.js';
import type { Interns } from '../../../emulator/domain/interns.js';
import { type LifecycleEvent, TRANSITIONS, type Transition, transition } from '../../../emulator/domain/lifecycle.js';
import type { Factories } from '../../../emulator/factories.js';
import type { PlainResponse } from '../../../emulator/http/response.js';
import type { Call, Route } from '../../../emulator/http/route.js';
import type { Collection } from '../../../emulator/store/store.js';
import { isRecord } from '../../../emulator/wire/json.js';
import { type Mutation, together } from '../mutant.js';
import type { Reply } from './answers.js';
import type { Operation } from './exchange.js';

/** The product of a factory. */
export type Part<K extends keyof Factories> = ReturnType<Factories[K]>;

type Wrappers = { readonly [K in keyof Factories]?: (made: Part<K>) => Part<K> | Partial<Part<K>> };
type Given = { readonly [K in keyof Factories]?: (...given: Parameters<Factories[K]>) => Parameters<Factories[K]> };

/** A part with some of it changed. Functions and lists are changed as a whole. */
function changed(made: unknown, change: unknown): unknown {
  if (change === made || !isRecord(change)) return change;
  const all = { ...Object.getOwnPropertyDescriptors(made), ...Object.getOwnPropertyDescriptors(change) };
  return Object.defineProperties({}, all);
}

/** Exchanges what factories make, or some of it. */
export const wrap = (wrappers: Wrappers): Mutation => ({
  factories: (usual) =>
    Object.fromEntries(
      Object.entries(wrappers).map(([name, change]) => {
        const create = usual[name as keyof Factories] as (...given: unknown[]) => unknown;
        return [
          name,
          (...given: unknown[]) => {
            const made = create(...given);
            return changed(made, (change as (made: unknown) => unknown)(made));
          },
        ];
      }),
    ) as Partial<Factories>,
});

/**
 * A mutant that uses a part of the emulator from elsewhere: `make` gets it by a function, undefined until it was made. The
 * emulator itself gets what `change` makes of it.
 */
export const holding =
  <Name extends keyof Factories>(
    name: Name,
    make: (part: () => Part<Name> | undefined) => Mutation,
    change: (part: Part<Name>) => Part<Name> = (part) => part,
  ) =>
  (): Mutation => {
    let held: Part<Name> | undefined;
    const hold = (part: Part<Name>) => {
      held = part;
      return change(part);
    };
    return together(
      wrap({ [name]: hold } as Wrappers),
      make(() => held),
    );
  };

/** Exchanges what factories are given. */
export const rewire = (changes: Given): Mutation => ({
  factories: (usual) =>
    Object.fromEntries(
      Object.entries(changes).map(([name, change]) => {
        const create = usual[name as keyof Factories] as (...given: unknown[]) => unknown;
        return [name, (...given: unknown[]) => create(...(change as (...all: unknown[]) => unknown[])(...given))];
      }),
    ) as Partial<Factories>,
});

/** Has numbers of the interface be others. */
export const settings = (change: Partial<Settings>): Mutation => wrap({ loadSettings: () => change });

/** Edits the table of the lifecycle: from where an event may come. What it no longer allows is refused, what it newly allows goes as from a usual status. */
export function allows(event: LifecycleEvent, change: (from: Transition['from']) => Transition['from']): Mutation {
  const edited = TRANSITIONS.map((row) => (row.on === event ? { ...row, from: change(row.from) } : row));
  const allowed = (row: InternRow, event: LifecycleEvent): InternRow => {
    const { record } = row;
    if (transition(record.status, event, edited) === undefined) throw new Refusal('intern_busy');
    const usual = TRANSITIONS.find(({ on }) => on === event)?.from ?? [];
    const [status = record.status] = usual.includes(record.status) ? [record.status] : usual;
    return { ...row, record: { ...record, status } };
  };
  return wrap({
    createInterns: (interns) =>
      inside(
        inside(interns, 'update', (update) => (row, body) => update(allowed(row, 'update'), body)),
        'move',
        (move) =>
          (row, event, ...rest) =>
            move(allowed(row, event), event, ...rest),
      ),
  });
}

type Rows = Operation | readonly Operation[] | ((row: Route) => boolean);

/** The rows of the deprecated paths of the daemon. */
export const aliasOf =
  (operation: 'daemon' | 'sign'): Rows =>
  (row) =>
    row.operation === operation && row.path.includes('/daemon-access');

/** Edits rows of the route table: with other columns, made from a row or not; undefined leaves out a column, or the row. */
export const routes = (of: Rows, change: RowChange | ((row: Route) => RowChange) | undefined): Mutation =>
  wrap({
    createRoutes: (table) =>
      table.flatMap((row) => {
        if (!(typeof of === 'function' ? of(row) : [of].flat().includes(row.operation))) return [row];
        if (change === undefined) return [];
        return [{ ...row, ...(typeof change === 'function' ? change(row) : change) } as Route];
      }),
  });
type RowChange = { readonly [Column in keyof Route]?: Route[Column] | undefined };

/** Changes how an accepted call is handled. */
export const handles = (
  of: Rows,
  change: (call: Call<unknown>, handle: Route['handle']) => ReturnType<Route['handle']>,
): Mutation => routes(of, (row) => ({ handle: (call) => change(call, (other) => row.handle(other)) }));

/** Answers some accepted calls in the place of their handlers. */
export const refusesCalls = (of: Rows, when: (call: Call<unknown>) => boolean, reply: Reply): Mutation =>
  handles(of, (call, handle) => (when(call) ? (reply as PlainResponse) : handle(call)));

/** Goes on with a value at once where it is there, and later where it is promised. */
const after = <T, R>(value: T | Promise<T>, next: (value: T) => R): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/** Changes who a token belongs to. */
export const callers = (
  change: (caller: Caller | undefined, token: string, interns: Interns) => Caller | undefined,
): Mutation =>
  rewire({
    createPipeline: (deps) => [
      { ...deps, resolve: (token) => after(deps.resolve(token), (caller) => change(caller, token, deps.interns)) },
    ],
  });

/** Changes what a caller sees. */
export const visible = (change: (caller: Caller, id: string, interns: Interns) => ReturnType<Interns['visible']>) =>
  wrap({ createInterns: (usual) => ({ visible: (caller, id) => change(caller, id, usual) }) });

/** Changes one function of a part in place, so that the part's own calls of it are changed too. */
export function inside<P extends object, K extends keyof P>(part: P, name: K, change: (usual: P[K]) => P[K]): P {
  part[name] = change(part[name]);
  return part;
}

/** Changes how a row of an intern is written. */
export const puts = (change: (put: Interns['put'], interns: Interns) => Interns['put']): Mutation =>
  wrap({ createInterns: (usual) => inside(usual, 'put', (put) => change(put, usual)) });

type Put = Parameters<Interns['put']>;

/** Changes the record of an intern as it is written. */
export const writes = (change: (record: NonNullable<Put[1]>, row: Put[0]) => NonNullable<Put[1]>): Mutation =>
  puts(
    (put) =>
      (row, record, ...rest) =>
        put(row, record && change(record, row), ...rest),
  );

/** Makes a mutant that knows which interns are gone, by their ids. */
export const knowingGone = (make: (gone: ReadonlyMap<string, InternRow>) => Mutation) => (): Mutation => {
  const gone = new Map<string, InternRow>();
  const noting = (remove: Interns['remove']) => (row: InternRow) => {
    gone.set(row.id, row);
    remove(row);
  };
  return together(wrap({ createInterns: (usual) => inside(usual, 'remove', noting) }), make(gone));
};

/** Changes whether a name is taken. */
export const namesTaken = (change: (taken: Interns['nameTaken']) => Interns['nameTaken']): Mutation =>
  wrap({ createInterns: (usual) => inside(usual, 'nameTaken', change) });

/** Changes how an intern is moved along the lifecycle. */
export const moves = (change: (move: Interns['move']) => Interns['move']): Mutation =>
  wrap({ createInterns: (usual) => inside(usual, 'move', change) });

type Creates = Collection<IdempotencyRow>;

/** Changes how finished and unfinished creates are remembered. */
export const remembersCreates = (change: (entries: Creates) => Partial<Creates>): Mutation =>
  wrap({
    openStore: (store) =>
      inside(store, 'collection', (collection) => {
        let creates: unknown;
        return ((name: 'idempotency') => {
          const entries = collection(name);
          if (name !== 'idempotency') return entries;
          creates ??= changed(entries, change(entries));
          return creates;
        }) as typeof collection;
      }),
  });

/** Does something a few turns of the event loop later: simultaneous requests are in progress by then. */
export async function soon(then: () => void): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  then();
}
