import type { Interns } from '../../emulator/domain/interns.js';
import { bodies, records, remeta, restatus, statuses, transitions } from './change.js';
import { isObject, moves, objects, plans } from './change-lifecycle.js';
import { defineDeviations } from './deviation.js';

export const PROVISION = defineDeviations([
  {
    name: 'boot-writes-back-what-it-read',
    requirement: 'UPDATE-1',
    description: 'An update while an intern boots is undone when the boot ends.',
    alters: () => {
      const read = new Map<string, string | null>();
      return moves((move) => (row, event, record, change) => {
        if (event === 'provision') read.set(row.id, row.record.description);
        const back = event === 'boot_succeeded' ? { description: read.get(row.id) ?? null } : {};
        return move(row, event, { ...record, ...back }, change);
      });
    },
    caughtBy: ['update/while-it-boots'],
  },
  {
    name: 'boot-never-ends',
    requirement: 'PROV-1',
    description: 'A boot never comes to its end.',
    alters: plans((plan) => ({ ...plan, boot: { ...plan.boot, ends: 'hangs' } })),
    caughtBy: ['provision/first-boot', 'provision/at-create'],
  },
  {
    name: 'provision-at-create-is-ignored',
    requirement: 'CREATE-3',
    description: 'provision in a create is ignored.',
    alters: objects('create', (body) =>
      'provision' in body && body.provision === true ? { ...body, provision: false } : body,
    ),
    caughtBy: ['provision/at-create', 'provision/answer'],
  },
  {
    name: 'provision-at-every-create',
    requirement: 'CREATE-3',
    description: 'Every create provisions at once.',
    alters: objects('create', (body) => (body.provision === undefined ? { ...body, provision: true } : body)),
    caughtBy: ['create/stopped-without-provision', 'provision/waits'],
  },
  {
    name: 'provision-by-itself-after-a-while',
    requirement: 'CREATE-3',
    description: 'An intern that waits is provisioned after ten minutes.',
    alters: () => {
      let later: (ms: number, then: () => void) => void = () => {};
      let interns: Interns | undefined;
      return {
        clock(clock) {
          later = (ms, then) => void clock.timer(ms, then);
          return clock;
        },
        interns(usual) {
          interns = usual;
          return usual;
        },
        provisioning: (usual) => {
          const put = interns?.put;
          if (interns && put)
            interns.put = (row, record, change) => {
              if (!interns?.get(row.id))
                later(600_000, () => {
                  const now = interns?.get(row.id);
                  if (now?.record.status === 'stopped') usual.provision(now);
                });
              return put(row, record, change);
            };
          return usual;
        },
      };
    },
    caughtBy: ['provision/waits'],
  },
  {
    name: 'provision-is-200',
    requirement: 'PROV-1',
    description: 'A provision answers 200.',
    alters: statuses('provision', 202, 200),
    caughtBy: ['provision/answer', 'provision/race'],
  },
  {
    name: 'provision-answers-a-status',
    requirement: 'PROV-1',
    description: 'A provision answers {status: "provisioning"}.',
    alters: bodies('provision', () => ({ status: 'provisioning' })),
    caughtBy: ['provision/answer'],
  },
  {
    name: 'boot-without-progress',
    requirement: 'PROV-1',
    description: 'progress is null throughout a boot.',
    alters: records((record) => ({ ...record, progress: null })),
    caughtBy: ['provision/states', 'provision/takes-a-second', 'provision/scripted-failure-message'],
  },
  {
    name: 'boot-counts-steps-from-nought',
    requirement: 'PROV-1',
    description: 'The first step of a boot is number 0.',
    alters: records((record) =>
      isObject(record.progress)
        ? { ...record, progress: { ...record.progress, step_number: Number(record.progress.step_number) - 1 } }
        : record,
    ),
    caughtBy: ['provision/states'],
  },
  {
    name: 'boot-leaves-its-progress',
    requirement: 'PROV-1',
    description: 'A running intern still shows the progress of its boot.',
    alters: moves(
      (move) => (row, event, record, change) =>
        move(row, event, event === 'boot_succeeded' && record ? { hostname: record.hostname ?? null } : record, change),
    ),
    caughtBy: ['provision/states', 'get/record-form'],
  },
  {
    name: 'boot-without-hostname',
    requirement: 'PROV-1',
    description: 'A running intern has no hostname.',
    alters: records((record) => ({ ...record, hostname: null })),
    caughtBy: ['provision/states', 'get/record-form', 'provision/failed-boot'],
  },
  {
    name: 'boot-takes-half-a-second',
    requirement: 'PROV-1',
    description: 'A boot takes 500 ms.',
    alters: plans((plan) => ({ ...plan, boot: { ...plan.boot, after: plan.boot.after / 2 } })),
    caughtBy: ['provision/takes-a-second', 'provision/scripted-failure-message'],
  },
  {
    name: 'boot-in-one-step',
    requirement: 'PROV-1',
    description: 'A boot has one step.',
    alters: plans((plan) => ({ ...plan, boot: { ...plan.boot, steps: plan.boot.steps.slice(0, 1) } })),
    caughtBy: ['provision/takes-a-second', 'provision/scripted-failure-message'],
  },
  {
    name: 'boot-starts-as-pending',
    requirement: 'PROV-1',
    description: 'A provisioned intern is `pending` in place of `queued`.',
    alters: records((record) => (record.status === 'queued' ? { ...record, status: 'pending' } : record)),
    caughtBy: ['provision/answer'],
  },
  {
    name: 'boot-starts-anew-when-asked-again',
    requirement: 'PROV-1',
    description: 'A provision of a booting intern is accepted and starts over.',
    alters: transitions((row) =>
      row.on === 'provision' ? { ...row, from: [...row.from, 'queued', 'provisioning'] } : row,
    ),
    caughtBy: ['provision/only-where-it-can', 'provision/race'],
  },
  {
    name: 'boot-again-while-running',
    requirement: 'PROV-1',
    description: 'A provision of a running intern boots it again.',
    alters: transitions((row) => (row.on === 'provision' ? { ...row, from: [...row.from, 'running'] } : row)),
    caughtBy: ['provision/only-where-it-can', 'suspend/race', 'model/statuses'],
  },
  {
    name: 'boot-after-a-failed-teardown',
    requirement: 'PROV-1',
    description: 'An intern whose teardown failed can be provisioned.',
    alters: transitions((row) => (row.on === 'provision' ? { ...row, from: [...row.from, 'destroy_failed'] } : row)),
    caughtBy: ['provision/not-from-destroy-failed'],
  },
  {
    name: 'provision-refusal-is-retryable',
    requirement: 'PROV-1',
    description: 'intern_busy says that trying again helps.',
    alters: remeta('intern_busy', 409, { retryable: true }),
    caughtBy: ['provision/only-where-it-can', 'suspend/only-what-runs', 'delete/destroying-is-busy'],
  },
  {
    name: 'provision-refusal-is-423',
    requirement: 'PROV-1',
    description: 'intern_busy is 423.',
    alters: restatus('intern_busy', 409, 423),
    caughtBy: [
      'provision/not-from-destroy-failed',
      'provision/only-where-it-can',
      'suspend/only-what-runs',
      'delete/destroying-is-busy',
      'model/statuses',
    ],
  },
  {
    name: 'failed-without-a-message',
    requirement: 'PROV-1',
    description: 'A failed boot leaves no last_failure_message.',
    alters: moves(
      (move) => (row, event, record, change) =>
        move(row, event, event === 'boot_failed' ? { ...record, last_failure_message: null } : record, change),
    ),
    caughtBy: ['provision/failed-boot', 'provision/scripted-failure-message'],
  },
  {
    name: 'failed-for-good',
    requirement: 'PROV-1',
    description: 'A failed intern cannot be provisioned again.',
    alters: transitions((row) => (row.on === 'provision' ? { ...row, from: ['stopped'] } : row)),
    caughtBy: ['provision/failed-boot'],
  },
  {
    name: 'failed-with-the-usual-message',
    requirement: 'EMU-9',
    description: "A failed boot does not tell the script's message.",
    alters: plans(({ boot: { message: _, ...boot }, ...plan }) => ({ ...plan, boot })),
    caughtBy: ['provision/scripted-failure-message'],
  },
  {
    name: 'boot-gives-up',
    requirement: 'EMU-9',
    description: 'A boot that hangs comes up after all.',
    alters: plans((plan) => ({
      ...plan,
      boot: { ...plan.boot, ends: plan.boot.ends === 'hangs' ? 'running' : plan.boot.ends },
    })),
    caughtBy: ['provision/hanging-boot'],
  },
]);
