import { bodies, records, statuses, transitions } from './change.js';
import { moves, survives } from './change-lifecycle.js';
import { defineDeviations, together } from './deviation.js';

export const SUSPEND = defineDeviations([
  {
    name: 'suspend-loses-instructions',
    requirement: 'PROV-1',
    description: 'A suspended intern comes back without its instructions.',
    alters: moves(
      (move) => (row, event, record, change) =>
        move(row, event, event === 'suspend' ? { ...record, instructions: null } : record, change),
    ),
    caughtBy: ['suspend/stops-and-resumes', 'model/lifecycle'],
  },
  {
    name: 'resume-restores-the-first-boot',
    requirement: 'PROV-1',
    description: 'A resumed intern has the description it was first booted with.',
    alters: () => {
      const first = new Map<string, string | null>();
      return moves((move) => (row, event, record, change) => {
        if (event !== 'boot_succeeded') return move(row, event, record, change);
        if (!first.has(row.id)) first.set(row.id, row.record.description);
        return move(row, event, { ...record, description: first.get(row.id) ?? null }, change);
      });
    },
    caughtBy: ['suspend/keeps-what-was-changed'],
  },
  {
    name: 'suspend-answers-202',
    requirement: 'SUSP-1',
    description: 'A suspend answers 202.',
    alters: statuses('suspend', 200, 202),
    caughtBy: ['suspend/answer', 'suspend/only-what-runs'],
  },
  {
    name: 'suspend-answers-a-status',
    requirement: 'SUSP-1',
    description: 'A suspend answers {status: "stopped"}.',
    alters: bodies('suspend', () => ({ status: 'stopped' })),
    caughtBy: ['suspend/answer'],
  },
  {
    name: 'suspended-is-a-status',
    requirement: 'SUSP-1',
    description: 'A suspended intern has the status `suspended`.',
    alters: () => {
      const suspended = new Set<string>();
      return together(
        moves((move) => (row, event, record, change) => {
          if (event === 'suspend') suspended.add(row.id);
          if (event === 'provision') suspended.delete(row.id);
          return move(row, event, record, change);
        }),
        records((record) =>
          record.status === 'stopped' && suspended.has(String(record.id)) ? { ...record, status: 'suspended' } : record,
        ),
      );
    },
    caughtBy: ['suspend/answer'],
  },
  {
    name: 'suspend-does-nothing',
    requirement: 'SUSP-1',
    description: 'A suspend is answered, and the intern goes on running.',
    alters: { provisioning: (usual) => ({ ...usual, suspend: (row) => row }) },
    caughtBy: [
      'suspend/stops-and-resumes',
      'suspend/answer',
      'suspend/ends-runs',
      'suspend/race',
      'update/status-moves-updated-at',
    ],
  },
  {
    name: 'suspend-twice',
    requirement: 'SUSP-1',
    description: 'A suspend of a stopped intern is 200.',
    alters: transitions((row) => (row.on === 'suspend' ? { ...row, from: [...row.from, 'stopped'] } : row)),
    caughtBy: ['suspend/only-what-runs', 'suspend/race', 'model/statuses'],
  },
  {
    name: 'suspend-while-booting',
    requirement: 'SUSP-1',
    description: 'A booting intern can be suspended.',
    alters: transitions((row) => (row.on === 'suspend' ? { ...row, from: [...row.from, 'provisioning'] } : row)),
    caughtBy: ['provision/hanging-boot'],
  },
  {
    name: 'suspend-lets-runs-go-on',
    requirement: 'SUSP-1',
    description: 'A suspend ends no run.',
    alters: survives('suspended'),
    caughtBy: [
      'suspend/ends-runs',
      'suspend/ends-waiting-runs',
      'suspend/ends-every-run',
      'chat-endings/suspend-while-streaming',
      'chat-endings/suspend-while-waiting',
      'chat-endings/shown',
      'invoke-runs/ended-by-suspend',
    ],
  },
  {
    name: 'suspend-forgets-waiting-runs',
    requirement: 'SUSP-1',
    description: 'A suspend ends only the run that streams.',
    alters: () => {
      let suspending = false;
      return {
        runs: (usual) => ({
          ...usual,
          endAll(id, why) {
            suspending = why === 'suspended';
            usual.endAll(id, why);
            suspending = false;
          },
        }),
        runMakers: (makers) => ({
          ...makers,
          runner: (deps) => {
            const runner = makers.runner(deps);
            return {
              ...runner,
              end(run, how) {
                if (!suspending || run.status === 'running') runner.end(run, how);
              },
            };
          },
        }),
      };
    },
    caughtBy: ['suspend/ends-waiting-runs', 'suspend/ends-every-run', 'chat-endings/suspend-while-waiting'],
  },
  {
    name: 'suspend-forgets-invoke-runs',
    requirement: 'SUSP-1',
    description: 'A suspend leaves the runs of invoke.',
    alters: () => {
      let suspending = false;
      return {
        runs: (usual) => ({
          ...usual,
          endAll(id, why) {
            suspending = why === 'suspended';
            usual.endAll(id, why);
            suspending = false;
          },
        }),
        runMakers: (makers) => ({
          ...makers,
          runner: (deps) => {
            const runner = makers.runner(deps);
            return {
              ...runner,
              end(run, how) {
                if (!suspending || run.origin === 'chat') runner.end(run, how);
              },
            };
          },
        }),
      };
    },
    caughtBy: ['suspend/ends-every-run', 'invoke-runs/ended-by-suspend'],
  },
  {
    name: 'daemon-token-outlives-the-suspend',
    requirement: 'SUSP-1',
    description: 'The daemon token is the same at every boot.',
    alters: moves(
      (move) => (row, event, record, change) =>
        move(
          row,
          event,
          record,
          event === 'boot_succeeded' ? { ...change, daemon_token: `emu-dtok-${row.id.replaceAll('-', '')}` } : change,
        ),
    ),
    caughtBy: ['suspend/daemon-token-dies', 'daemon/token-per-boot'],
  },
]);
