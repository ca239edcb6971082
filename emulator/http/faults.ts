import type { Random } from '../clock/random.js';
import { ERRORS, type ErrorRow } from '../contract/errors.js';
import type { Disconnect, Fault, Injected } from '../contract/fault.js';
import type { Called, Operation } from '../contract/operation.js';

/** A step of a create that a fault can make fail (CREATE-4). */
export type CreateStep = NonNullable<Fault['at']>;

export interface FaultsDeps {
  /** Called when a fault is added, used or taken back. */
  readonly changed?: () => void;
  readonly random: Pick<Random, 'float'>;
  /** The faults of the start: a chaos profile. */
  readonly initial?: readonly Fault[];
}

export function createFaults({ changed = () => {}, random, initial = [] }: FaultsDeps) {
  let faults: readonly Fault[] = [...initial];
  let ids = 0;
  /** A fault keeps its id while its times run down. */
  const idOf = new WeakMap<Fault, string>();
  const id = (fault: Fault): string => {
    const known = idOf.get(fault) ?? `fault-${++ids}`;
    idOf.set(fault, known);
    return known;
  };
  const put = (next: readonly Fault[]) => {
    faults = next;
    changed();
  };
  const exchange = (old: Fault, left: Fault | undefined) => {
    if (left) idOf.set(left, id(old));
    put(faults.flatMap((fault) => (fault === old ? (left ? [left] : []) : [fault])));
  };
  /** Whether a call that a fault matches meets it; counts the call either way. */
  const meets = (fault: Fault): boolean => {
    const { after = 0, nth = 1, probability = 1, times } = fault;
    if (after > 0 || nth > 1) {
      exchange(fault, after > 0 ? { ...fault, after: after - 1 } : { ...fault, nth: nth - 1 });
      return false;
    }
    if (probability < 1 && random.float() >= probability) return false;
    if (times !== 'always') exchange(fault, times > 1 ? { ...fault, times: times - 1 } : undefined);
    return true;
  };
  const isOf = (fault: Fault, operation: Called, internId: string | undefined) =>
    fault.operation === operation && (fault.intern_id === undefined || fault.intern_id === internId);
  return {
    add: (fault: Fault): void => put([...faults, fault]),
    /** The faults still to come, with their remaining times. */
    list: (): Fault[] => faults.map((fault) => ({ ...fault })),
    /** The same, each with the id that takes it back. */
    listed: (): (Fault & { readonly id: string })[] => faults.map((fault) => ({ id: id(fault), ...fault })),
    /** Takes one back; false where it is not to come. */
    remove(gone: string): boolean {
      const left = faults.filter((fault) => id(fault) !== gone);
      const found = left.length < faults.length;
      if (found) put(left);
      return found;
    },
    clear: (): void => put([]),
    reset: (): void => put([...initial]),
    /** Restores what {@link Faults.list} returned. */
    restore: (kept: readonly Fault[]): void => put([...kept]),
    /**
     * The fault that the next accepted call meets: the first that matches it. It uses up one of its times, unless it has
     * a step: that is used up when the call gets there ({@link Faults.takeAt}). `can` says whether the call can meet a
     * fault, or one at that step.
     */
    take(
      operation: Operation,
      can: (step: CreateStep | undefined) => boolean = () => true,
      internId?: string,
    ): Fault | undefined {
      if (faults.length === 0) return undefined;
      return faults.find(
        (fault) =>
          fault.disturb === undefined &&
          isOf(fault, operation, internId) &&
          can(fault.at) &&
          (fault.at !== undefined || meets(fault)),
      );
    },
    /** The disturbances that the next call of an operation meets, before anything of it is looked at; uses them up. */
    takeDisturbing: (operation: Called, internId?: string): Fault[] =>
      faults.filter((fault) => fault.disturb !== undefined && isOf(fault, operation, internId) && meets(fault)),
    /** Whether a disturbance is still to come, of any operation or of this one. */
    disturbing: (operation?: Called, internId?: string): boolean =>
      faults.some(
        (fault) => fault.disturb !== undefined && (operation === undefined || isOf(fault, operation, internId)),
      ),
    /** Whether a create fails at this step; uses up one of the fault's times if so. */
    takeAt: (step: CreateStep): boolean => faults.some((fault) => fault.at === step && meets(fault)),
  };
}

export type Faults = ReturnType<typeof createFaults>;

const BY_STATUS: Readonly<Record<NonNullable<Fault['status']>, ErrorRow>> = {
  408: ERRORS.timeout,
  429: ERRORS.rate_limited,
  500: ERRORS.internal_error,
  502: ERRORS.upstream_unavailable,
  503: ERRORS.service_unavailable,
  504: ERRORS.gateway_timeout,
};

/** The operations that count a turn (CHAT-17). */
const TURNS: readonly Operation[] = ['chat', 'invoke', 'sign'];

/** The error of an injected status, in words that are true of the operation. */
function rowOf(operation: Operation, status: NonNullable<Fault['status']>): ErrorRow {
  const row = BY_STATUS[status];
  if (status === 408 && operation !== 'sign') return { ...row, message: ERRORS.gateway_timeout.message };
  return status === 429 && !TURNS.includes(operation) ? { ...row, message: 'Too many requests' } : row;
}

/** The error an injected status has on an operation: SCIM errors carry no metadata, and its 500 has its own message. */
export function faultRow(operation: Operation, status: NonNullable<Fault['status']>): ErrorRow {
  const row = rowOf(operation, status);
  if (operation !== 'scim') return row;
  return status === 500 ? ERRORS.scim_internal : { status: row.status, message: row.message };
}

export const dropOf = ({ disconnect }: Fault): Disconnect | undefined =>
  disconnect === true || disconnect === 'reset' ? 'before-headers' : disconnect;

/** Whether a fault resets the connection that it drops. */
export const resets = ({ disconnect, reset }: Fault): boolean => disconnect === 'reset' || reset === true;

/** The part of a fault that the journal shows; a step is shown once the call has reached it. */
export const injectedOf = (fault: Fault): Injected | undefined => {
  const { status, delay, disconnect, reset, at, disturb, write, state } = fault;
  const shown = Object.entries({ status: at ? undefined : status, delay, disconnect, reset, disturb, write, state });
  const given = shown.filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
};
