import type { Interns } from '../../../emulator/domain/interns.js';
import { plans } from '../combinators/behaviours.js';
import { inside, moves, transitions, wrap } from '../combinators/parts.js';
import { errors, rewriteRecords } from '../combinators/replies.js';
import { rewriteFields } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

export const PROVISION = defineDeviations({
  // An update while an intern boots is undone when the boot ends.
  'boot-writes-back-what-it-read': () => {
    const read = new Map<string, string | null>();
    return moves((move) => (row, event, record, change) => {
      if (event === 'provision') read.set(row.id, row.record.description);
      const back = event === 'boot_succeeded' ? { description: read.get(row.id) ?? null } : {};
      return move(row, event, { ...record, ...back }, change);
    });
  },
  'boot-never-ends': plans((plan) => ({ ...plan, boot: { ...plan.boot, ends: 'hangs' } })),
  'provision-at-create-is-ignored': rewriteFields('create', (body) => ({
    ...body,
    ...(body.provision === true && { provision: false }),
  })),
  // Every create provisions at once.
  'provision-at-every-create': rewriteFields('create', (body) =>
    body.provision === undefined ? { ...body, provision: true } : body,
  ),
  // An intern that waits is provisioned after ten minutes.
  'provision-by-itself-after-a-while': () => {
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
  // progress is null throughout a boot.
  'boot-without-progress': rewriteRecords((record) => ({ ...record, progress: null })),
  // A running intern has no hostname.
  'boot-without-hostname': rewriteRecords((record) => ({ ...record, hostname: null })),
  // A provision of a booting intern is accepted and starts over.
  'boot-starts-anew-when-asked-again': transitions((row) =>
    row.on === 'provision' ? { ...row, from: [...row.from, 'queued', 'provisioning'] } : row,
  ),
  'provision-refusal-is-423': errors({ reason: 'intern_busy', status: 409 }, { status: 423 }),
  // A failed boot does not show the script's message.
  'failed-with-the-usual-message': plans(({ boot: { message: _, ...boot }, ...plan }) => ({ ...plan, boot })),
});
