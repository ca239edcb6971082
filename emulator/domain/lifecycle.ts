import { STATUSES, type Status } from '../contract/intern.js';

/** The events of an intern's life: the calls on it, and the steps of a boot and a teardown. */
export type LifecycleEvent =
  | 'provision'
  | 'boot_step'
  | 'boot_succeeded'
  | 'boot_failed'
  | 'suspend'
  | 'update'
  | 'delete'
  | 'teardown_failed'
  | 'teardown_succeeded';

export interface Transition {
  readonly from: readonly Status[];
  readonly on: LifecycleEvent;
  /** `gone`: the intern, its runtime and its vault cease to exist. `same`: allowed, and changes no status. */
  readonly to: Status | 'gone' | 'same';
}

const ALIVE: readonly Status[] = STATUSES.filter((status) => status !== 'destroying');

/**
 * The lifecycle as a table (PROV-1, SUSP-1, UPDATE-1, DELETE-1, DELETE-3). An event that is not here is not allowed,
 * and is refused with 409 `intern_busy`.
 */
export const TRANSITIONS: readonly Transition[] = [
  { from: ['stopped', 'failed'], on: 'provision', to: 'queued' },
  { from: ['queued', 'provisioning'], on: 'boot_step', to: 'provisioning' },
  { from: ['queued', 'provisioning'], on: 'boot_succeeded', to: 'running' },
  { from: ['queued', 'provisioning'], on: 'boot_failed', to: 'failed' },
  { from: ['running'], on: 'suspend', to: 'stopped' },
  { from: ALIVE, on: 'update', to: 'same' },
  { from: [...ALIVE, 'destroying'], on: 'delete', to: 'destroying' },
  { from: ['destroying'], on: 'teardown_failed', to: 'destroy_failed' },
  { from: ['destroying'], on: 'teardown_succeeded', to: 'gone' },
];

/** The status that an event leads to, or undefined if it is not allowed. */
export function transition(
  status: Status,
  event: LifecycleEvent,
  table: readonly Transition[],
): Transition['to'] | undefined {
  return table.find((row) => row.on === event && row.from.includes(status))?.to;
}
