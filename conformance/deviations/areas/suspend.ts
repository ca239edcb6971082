import { moves, transitions, wrap } from '../combinators/parts.js';
import { showsRuns, survives } from '../combinators/runs.js';
import { defineDeviations } from '../mutant.js';

export const SUSPEND = defineDeviations({
  // A suspend is answered, and the intern goes on running.
  'suspend-does-nothing': wrap({ createProvisioning: () => ({ suspend: (row) => row }) }),
  // A suspend of a stopped intern is 200.
  'suspend-twice': transitions((row) => (row.on === 'suspend' ? { ...row, from: [...row.from, 'stopped'] } : row)),
  // A suspend ends no run.
  'suspend-lets-runs-go-on': survives('suspended'),
  // Runs of invoke that a suspend ended are shown as going on.
  'suspend-forgets-invoke-runs': showsRuns(({ ended, ended_at, ...run }) =>
    run.origin === 'invoke' && ended === 'cancelled'
      ? { ...run, status: 'running' }
      : { ...run, ...(ended && { ended }), ...(ended_at && { ended_at }) },
  ),
  'daemon-token-outlives-the-suspend': moves(
    (move) => (row, event, record, change) =>
      move(
        row,
        event,
        record,
        event === 'boot_succeeded' ? { ...change, daemon_token: `emu-dtok-${row.id.replaceAll('-', '')}` } : change,
      ),
  ),
});
