import * as z from 'zod';
import { durationSchema } from '../contract/duration.js';
import { ERRORS, type ErrorRow } from '../contract/errors.js';
import { type Disconnect, OPERATIONS, type Operation } from './route.js';

/** Body of `POST /_emulator/faults`. */
export const faultSchema = z
  .strictObject({
    operation: z.enum(OPERATIONS),
    /** How many of the next calls. */
    times: z.int().min(1).max(1_000_000).default(1),
    status: z
      .union([z.literal(408), z.literal(429), z.literal(500), z.literal(502), z.literal(503), z.literal(504)])
      .optional(),
    delay: durationSchema.optional(),
    /** `true` is `before-headers`. */
    disconnect: z.union([z.literal(true), z.enum(['before-headers', 'mid-event', 'before-done'])]).optional(),
    at: z.enum(['vault', 'provisioner']).optional(),
  })
  .refine((fault) => fault.at === undefined || fault.operation === 'create', {
    path: ['at'],
    message: 'only create fails at a step',
  })
  .refine((fault) => fault.at === undefined || fault.disconnect === undefined, {
    path: ['disconnect'],
    message: 'a fault with "at" answers 502 and drops no connection',
  })
  .refine(
    (fault) =>
      fault.disconnect === undefined ||
      fault.disconnect === true ||
      fault.disconnect === 'before-headers' ||
      fault.operation === 'chat',
    { path: ['disconnect'], message: 'only chat streams' },
  )
  .refine(
    (fault) =>
      fault.status !== undefined ||
      fault.delay !== undefined ||
      fault.disconnect !== undefined ||
      fault.at !== undefined,
    { message: 'expected one of status, delay, disconnect, at' },
  );
export type Fault = z.infer<typeof faultSchema>;

/** A step of a create that a fault can make fail (CREATE-4). */
export type CreateStep = NonNullable<Fault['at']>;

export interface Faults {
  add(fault: Fault): void;
  list(): Fault[];
  clear(): void;
  /**
   * The fault that the next accepted call of an operation meets. It uses up one of its times, unless it has a step: that
   * is used up where the call gets to it ({@link Faults.takeAt}). `meets` tells whether the call can meet a fault, or one
   * at that step.
   */
  take(operation: Operation, meets?: (step: CreateStep | undefined) => boolean): Fault | undefined;
  /** Whether a create fails at this step; uses up one of the fault's times if so. */
  takeAt(step: CreateStep): boolean;
}

/** `changed` is called when a fault is added, used or taken back. */
export function createFaults(changed: () => void = () => {}): Faults {
  let faults: Fault[] = [];
  const use = (used: Fault) => {
    const left = { ...used, times: used.times - 1 };
    faults = faults.flatMap((fault) => (fault !== used ? [fault] : left.times > 0 ? [left] : []));
    changed();
  };
  return {
    add(fault) {
      faults.push(fault);
      changed();
    },
    list: () => faults.map((fault) => ({ ...fault })),
    clear() {
      faults = [];
      changed();
    },
    take(operation, meets = () => true) {
      if (faults.length === 0) return undefined;
      const found = faults.find((fault) => fault.operation === operation && meets(fault.at));
      if (found && found.at === undefined) use(found);
      return found;
    },
    takeAt(step) {
      const found = faults.find((fault) => fault.at === step);
      if (found) use(found);
      return found !== undefined;
    },
  };
}

const BY_STATUS: Readonly<Record<NonNullable<Fault['status']>, ErrorRow>> = {
  408: ERRORS.timeout,
  429: ERRORS.rate_limited,
  500: ERRORS.internal_error,
  502: ERRORS.upstream_unavailable,
  503: ERRORS.service_unavailable,
  504: ERRORS.gateway_timeout,
};

/** The error an injected status has on an operation: SCIM errors carry no metadata, and its 500 has its own message. */
export function faultRow(operation: Operation, status: NonNullable<Fault['status']>): ErrorRow {
  const row = BY_STATUS[status];
  if (operation !== 'scim') return row;
  return status === 500 ? ERRORS.scim_internal : { status: row.status, message: row.message };
}

export const dropOf = (fault: Fault): Disconnect | undefined =>
  fault.disconnect === true ? 'before-headers' : fault.disconnect;
