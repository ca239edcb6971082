import type { ListedSnapshot, SnapshotView } from '../contract/views.js';
import { json } from '../http/response.js';
import { type ControlRow, controlRow } from './router.js';

export interface SnapshotsPart {
  put(name: string): SnapshotView;
  list(): readonly ListedSnapshot[];
  get(name: string): SnapshotView;
  restore(name: string): Promise<void>;
  delete(name: string): void;
}

/** The calls of snapshots (SPACE-2). `clock` shows the time after a restore. */
export const snapshotRows = (snapshots: SnapshotsPart, clock: () => object): readonly ControlRow[] => [
  controlRow('GET /snapshots', {
    does: 'Lists the snapshots; `start` always exists',
    handle: () => json({ data: snapshots.list() }),
  }),
  controlRow('GET /snapshots/:name', {
    does: 'Shows one snapshot',
    handle: ({ params }) => json(snapshots.get(params.name)),
  }),
  controlRow('PUT /snapshots/:name', {
    does: 'Keeps the state under a name',
    handle: ({ params }) => json(snapshots.put(params.name)),
  }),
  controlRow('POST /snapshots/:name/restore', {
    does: 'Restores a snapshot',
    async handle({ params }) {
      await snapshots.restore(params.name);
      return json({ restored: params.name, ...clock() });
    },
  }),
  controlRow('DELETE /snapshots/:name', {
    does: 'Forgets a snapshot',
    handle: ({ params }) => snapshots.delete(params.name),
  }),
];
