import type { InternRow } from '../../emulator/contract/state.js';
import type { Interns } from '../../emulator/domain/interns.js';
import type { EndCause } from '../../emulator/domain/runs.js';
import type { LifecyclePlan } from '../../emulator/scripts/behaviour.js';
import type { Alterations } from './alterations.js';
import { inside, reads } from './change.js';

export type Json = Record<string, unknown>;
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Changes a body that is a JSON object; others stay. */
export const objects = (of: Parameters<typeof reads>[0], change: (body: Json) => unknown): Alterations =>
  reads(of, (value) => (isObject(value) ? change(value) : value));

/** Changes how boots and teardowns go. */
export const plans = (change: (plan: LifecyclePlan, row: InternRow) => LifecyclePlan): Alterations => ({
  scripts: (usual) => inside(usual, 'resolveLifecycle', (resolve) => (row) => change(resolve(row), row)),
});

/** Changes how a row is moved along the lifecycle. */
export const moves = (change: (move: Interns['move']) => Interns['move']): Alterations => ({
  interns: (usual) => inside(usual, 'move', change),
});

/** Changes how a row is written. */
export const puts = (change: (put: Interns['put'], interns: Interns) => Interns['put']): Alterations => ({
  interns: (usual) => inside(usual, 'put', (put) => change(put, usual)),
});

/** Leaves runs alone that a suspend or a delete should end. */
export const survives = (cause: EndCause): Alterations => ({
  runs: (usual) => ({
    ...usual,
    endAll(id, why) {
      if (why !== cause) usual.endAll(id, why);
    },
  }),
});

export const iso = (time: number) => new Date(time).toISOString();
