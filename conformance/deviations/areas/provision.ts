import type { Interns } from '../../../emulator/domain/interns.js';
import { plans } from '../combinators/behaviours.js';
import { inside, moves, transitions, wrap } from '../combinators/parts.js';
import { errors, rewriteRecords } from '../combinators/replies.js';
import { rewriteFields } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

export const PROVISION = defineDeviations({
  'boot-writes-back-what-it-read': {
    description: 'An update while an intern boots is undone when the boot ends.',
    mutant: () => {
      const read = new Map<string, string | null>();
      return moves((move) => (row, event, record, change) => {
        if (event === 'provision') read.set(row.id, row.record.description);
        const back = event === 'boot_succeeded' ? { description: read.get(row.id) ?? null } : {};
        return move(row, event, { ...record, ...back }, change);
      });
    },
  },
  'boot-never-ends': {
    description: 'A boot never comes to its end.',
    mutant: plans((plan) => ({ ...plan, boot: { ...plan.boot, ends: 'hangs' } })),
  },
  'provision-at-create-is-ignored': {
    description: 'provision in a create is ignored.',
    mutant: rewriteFields('create', (body) => ({ ...body, ...(body.provision === true && { provision: false }) })),
  },
  'provision-at-every-create': {
    description: 'Every create provisions at once.',
    mutant: rewriteFields('create', (body) => (body.provision === undefined ? { ...body, provision: true } : body)),
  },
  'provision-by-itself-after-a-while': {
    description: 'An intern that waits is provisioned after ten minutes.',
    mutant: () => {
      let later: (ms: number, then: () => void) => void = () => {};
      let interns: Interns | undefined;
      return wrap({
        createClock(clock) {
          later = (ms, then) => void clock.timer(ms, then);
          return clock;
        },
        createInterns(usual) {
          interns = usual;
          return usual;
        },
        createProvisioning(usual) {
          if (!interns) return usual;
          const all = interns;
          inside(all, 'put', (put) => (row, ...rest) => {
            if (!all.get(row.id))
              later(600_000, () => {
                const now = all.get(row.id);
                if (now?.record.status === 'stopped') usual.provision(now);
              });
            return put(row, ...rest);
          });
          return usual;
        },
      });
    },
  },
  'boot-without-progress': {
    description: 'progress is null throughout a boot.',
    mutant: rewriteRecords((record) => ({ ...record, progress: null })),
  },
  'boot-without-hostname': {
    description: 'A running intern has no hostname.',
    mutant: rewriteRecords((record) => ({ ...record, hostname: null })),
  },
  'boot-starts-anew-when-asked-again': {
    description: 'A provision of a booting intern is accepted and starts over.',
    mutant: transitions((row) =>
      row.on === 'provision' ? { ...row, from: [...row.from, 'queued', 'provisioning'] } : row,
    ),
  },
  'provision-refusal-is-423': {
    description: 'intern_busy is 423.',
    mutant: errors({ reason: 'intern_busy', status: 409 }, { status: 423 }),
  },
  'failed-with-the-usual-message': {
    description: "A failed boot does not show the script's message.",
    mutant: plans(({ boot: { message: _, ...boot }, ...plan }) => ({ ...plan, boot })),
  },
});
