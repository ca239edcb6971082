import { moves, transitions, wrap } from '../combinators/parts.js';
import { showsRuns, survives } from '../combinators/runs.js';
import { defineDeviations } from '../mutant.js';

export const SUSPEND = defineDeviations({
  'suspend-does-nothing': {
    description: 'A suspend is answered, and the intern goes on running.',
    mutant: wrap({ createProvisioning: () => ({ suspend: (row) => row }) }),
  },
  'suspend-twice': {
    description: 'A suspend of a stopped intern is 200.',
    mutant: transitions((row) => (row.on === 'suspend' ? { ...row, from: [...row.from, 'stopped'] } : row)),
  },
  'suspend-lets-runs-go-on': {
    description: 'A suspend ends no run.',
    mutant: survives('suspended'),
  },
  'suspend-forgets-invoke-runs': {
    description: 'Runs of invoke that a suspend ended are shown as going on.',
    mutant: showsRuns(({ ended, ended_at, ...run }) =>
      run.origin === 'invoke' && ended === 'cancelled'
        ? { ...run, status: 'running' }
        : { ...run, ...(ended && { ended }), ...(ended_at && { ended_at }) },
    ),
  },
  'daemon-token-outlives-the-suspend': {
    description: 'The daemon token is the same at every boot.',
    mutant: moves(
      (move) => (row, event, record, change) =>
        move(
          row,
          event,
          record,
          event === 'boot_succeeded' ? { ...change, daemon_token: `emu-dtok-${row.id.replaceAll('-', '')}` } : change,
        ),
    ),
  },
});
