import type { Scope } from '../clock/scope.js';
import { Refusal } from '../contract/errors.js';
import type { InternRow } from '../contract/state.js';
import { DAEMON_TOKEN_PREFIX } from '../credentials/redaction.js';
import { messageOf } from './behaviour-events.js';
import type { Interns, InternsDeps } from './interns.js';

/** The `last_failure_message` of a `destroy_failed` intern (DELETE-3). */
export const ARCHIVE_FAILED = 'workspace_archive_failed: the workspace could not be archived';

export function createProvisioning(interns: Interns, deps: InternsDeps) {
  const { clock, random, store, log } = deps;
  /** The boots and teardowns in progress, by intern id: one each. */
  const going = new Map<string, Scope>();

  const cancel = (id: string) => {
    void going.get(id)?.dispose();
    going.delete(id);
  };
  /** Does a step of a boot or teardown. A step that throws, as a script in code may, ends the boot or teardown. */
  const guarded = (row: InternRow, step: () => void) => {
    try {
      step();
    } catch (error) {
      cancel(row.id);
      const now = interns.get(row.id);
      const what = now?.record.status === 'destroying' ? 'teardown' : 'boot';
      log({ level: 'error', event: `${what}_failed`, intern_id: row.id, message: messageOf(error) });
      const failure = { progress: null, last_failure_message: `The ${what} could not go on: ${messageOf(error)}` };
      if (now) interns.move(now, `${what}_failed`, failure);
    }
  };
  /** Continues with an intern after `ms`, if it still exists. Its changes are committed before the clock moves on; those of 0 ms by the caller. */
  const later = (id: string, ms: number, step: (row: InternRow) => void) => {
    if (ms <= 0) {
      // A step without a wait happens at once, also while the clock stands still.
      const row = interns.get(id);
      if (row) guarded(row, () => step(row));
      return;
    }
    const scope = deps.scope().child();
    const wake = () => {
      cancel(id);
      const row = interns.get(id);
      if (!row) return;
      guarded(row, () => step(row));
      // The store reports a failure; the next commit brings the change along.
      store.commit({ keep: true }).catch(() => {});
    };
    const timer = clock.timer(ms, wake, 'work');
    const waiting = interns.get(id);
    if (waiting) deps.waits?.(waiting, ms);
    scope.defer(timer.cancel);
    going.set(id, scope);
  };

  const finishBoot = (row: InternRow) => {
    const { boot } = deps.plan(row);
    if (boot.ends === 'failed') {
      interns.move(row, 'boot_failed', {
        progress: null,
        last_failure_message: boot.message ?? 'The runtime did not start',
      });
      return;
    }
    interns.move(
      row,
      'boot_succeeded',
      { progress: null, hostname: row.record.hostname ?? `${row.record.name}-${row.id.slice(0, 8)}.interns.localhost` },
      { daemon_token: random.token(DAEMON_TOKEN_PREFIX), disk_id: row.disk_id ?? random.uuid() },
    );
  };

  const bootStep = (row: InternRow, index: number): void => {
    const { boot } = deps.plan(row);
    const step = boot.steps[index];
    if (step === undefined) {
      if (boot.ends !== 'hangs') finishBoot(row);
      return;
    }
    const total = boot.steps.length;
    interns.move(row, 'boot_step', { progress: { step_label: step, step_number: index + 1, total_steps: total } });
    // Equal shares, in whole milliseconds, that add up to the whole.
    const due = (at: number) => Math.round((boot.after * at) / total);
    later(row.id, due(index + 1) - due(index), (next) => bootStep(next, index + 1));
  };

  const startBoot = (row: InternRow) => {
    cancel(row.id);
    const { model, instructions } = row.record;
    const booting = interns.put(row, undefined, { booted: { model, instructions } });
    const { boot } = deps.plan(booting);
    if (boot.steps.length > 0) return bootStep(booting, 0);
    const moved = interns.move(booting, 'boot_step', { progress: null });
    later(moved.id, boot.after, (next) => bootStep(next, 0));
  };

  const startTeardown = (row: InternRow) => {
    cancel(row.id);
    const { teardown } = deps.plan(row);
    if (teardown.ends === 'hangs') return;
    later(row.id, teardown.after, (next) => {
      if (deps.plan(next).teardown.ends === 'workspace_archive_failed' && !next.loss_acknowledged) {
        interns.move(next, 'teardown_failed', { last_failure_message: ARCHIVE_FAILED });
      } else {
        interns.remove(next);
      }
    });
  };

  return {
    /**
     * Queues an intern and starts its boot (PROV-1). Returns the queued row, which is the answer to the caller. An intern
     * runs with a private vault of its own: while its create has not made the vault, it is refused with 409 `intern_busy`.
     */
    provision(row: InternRow): InternRow {
      if (row.unfinished.includes('vault'))
        throw new Refusal('intern_busy', { detail: 'its create is unfinished: send the same create again' });
      const queued = interns.move(row, 'provision', { last_failure_message: null, progress: null });
      guarded(queued, () => startBoot(queued));
      return queued;
    },
    suspend(row: InternRow): InternRow {
      const stopped = interns.move(row, 'suspend', undefined, { daemon_token: null });
      deps.endRuns(row.id, 'suspended');
      return stopped;
    },
    /** Starts the teardown, or notes an acknowledgement while one is in progress (DELETE-1, DELETE-3). */
    destroy(row: InternRow, acknowledged: boolean): InternRow {
      const already = row.record.status === 'destroying';
      const change = { loss_acknowledged: row.loss_acknowledged || acknowledged, daemon_token: null };
      if (already) return interns.put(row, undefined, change);
      const destroying = interns.move(row, 'delete', { last_failure_message: null, progress: null }, change);
      deps.endRuns(row.id, 'deleted');
      guarded(destroying, () => startTeardown(destroying));
      return destroying;
    },
    /**
     * Resumes the boots and teardowns that a stopped process or an imported state left behind. With `ids`, only those of
     * the named interns, which were replaced: their earlier background work is dropped.
     */
    resume(ids?: ReadonlySet<string>): void {
      for (const id of ids ?? []) cancel(id);
      const rows = [...store.collection('interns').values()];
      for (const row of rows) {
        if (ids?.has(row.id) === false) continue;
        if (row.record.status === 'queued' || row.record.status === 'provisioning') guarded(row, () => startBoot(row));
        if (row.record.status === 'destroying') guarded(row, () => startTeardown(row));
      }
    },
  };
}

/** Background work: boots and teardowns, along the clock and the intern's script, until their scope ends. */
export type Provisioning = ReturnType<typeof createProvisioning>;
