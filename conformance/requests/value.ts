import type { OperationName } from '../model/operations.js';
import type { Send } from '../probe/request.js';
import type { Ctx, KnownIntern } from '../run/context.js';

/** States of an intern that a row can ask for. */
export type State = 'stopped' | 'running' | 'suspended' | 'booting' | 'going' | 'gone' | 'unknown';

/** One value of one part of a request. */
export interface Value {
  readonly name: string;
  /** Whether it is a mistake. */
  readonly bad?: true;
  /** The name of the mistake, which values may share. Default: the name of the value. */
  readonly kind?: string;
  /** Whether its refusal precedes that of any other mistake. */
  readonly whatever?: true;
  /** Whether it is a caller who sees no intern. */
  readonly blind?: true;
  /** The needs of the value. */
  readonly needs?: readonly string[];
  /** The part of the request. */
  make(ground: Ground): Partial<Send>;
}

/** The facts that values are made from. */
export interface Ground {
  readonly ctx: Pick<Ctx, 'target' | 'prompt' | 'random' | 'wrongKey'> & {
    readonly interns: Pick<Ctx['interns'], 'name' | 'body' | 'unknownId'>;
  };
  /** The intern that the request names. */
  readonly id: string;
  /** The run's knowledge of the intern, in a walk. */
  readonly known?: KnownIntern;
}

/** The parts of the requests of one operation: a request has one value of each. */
export interface Table {
  readonly operation: OperationName;
  readonly method: string;
  path(id: string): string;
  /** States in which the operation is accepted, and others. Without them it names no intern. */
  readonly states?: { readonly good: readonly State[]; readonly bad: readonly State[] };
  /** Whether it uses up its intern if it is accepted. */
  readonly uses?: true;
  /** Whether it costs a prompt if it is accepted. */
  readonly prompts?: true;
  /** Callers, contents, and any other parts. The first good content has an effect. */
  readonly parts: readonly (readonly Value[])[];
}

export const v = (name: string, make: Value['make'], needs?: readonly string[]): Value => ({
  name,
  make,
  ...(needs === undefined ? {} : { needs }),
});
export const bad = (value: Value): Value => ({ ...value, bad: true });
export const bads = (...values: readonly Value[]): readonly Value[] => values.map(bad);
export const alike = (kind: string, ...values: readonly Value[]): readonly Value[] =>
  bads(...values).map((value) => ({ ...value, kind }));
export const whatever = (...values: readonly Value[]): readonly Value[] =>
  bads(...values).map((value) => ({ ...value, whatever: true }));
/** Values for an emulator of ours alone. */
export const ours = (...values: readonly Value[]): readonly Value[] =>
  values.map((value) => ({ ...value, needs: [...(value.needs ?? []), 'control'] }));
