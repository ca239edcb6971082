import { useState } from 'preact/hooks';
import { moveClock, reset } from '../actions.js';
import { dayOf, timeOf } from '../format.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { FormDialog } from '../ui/dialog.js';
import { Input } from '../ui/field.js';
import { useNow } from '../ui/ticking.js';
import { ThemeSwitch } from './theme.js';

const MODES: Readonly<Record<string, string>> = {
  real: 'The clock runs with this machine’s',
  virtual: 'The clock stands still until you advance it',
  frozen: 'The clock is frozen until you resume it',
  auto: 'The clock moves by itself to whatever is due next',
};

const STEPS = ['1s', '30s', '1m', '5m', '1h'] as const;

function AdvanceDialog({ onClose }: { onClose: () => void }) {
  const { model } = useServices();
  const [by, setBy] = useState('30s');
  const submit = () => model.attempt(() => moveClock(model, { advance: by }), `Advanced by ${by}`);
  return (
    <FormDialog title="Advance the clock" submit="Advance" onClose={onClose} onSubmit={submit}>
      <p>Every deadline, boot and wait on the way passes in order.</p>
      <div class="row wrap">
        {STEPS.map((step) => (
          <Button key={step} small pressed={by === step} onClick={() => setBy(step)}>
            {step}
          </Button>
        ))}
      </div>
      <Input label="By" hint="A number with ms, s, m or h" required value={by} onChange={setBy} />
    </FormDialog>
  );
}

function ResetDialog({ onClose }: { onClose: () => void }) {
  const { model } = useServices();
  const submit = () => model.attempt(() => reset(model), 'Back at the seed');
  return (
    <FormDialog title="Reset the emulator?" submit="Reset" tone="danger" onClose={onClose} onSubmit={submit}>
      <p>Interns, runs, keys, scripts, faults, limits and requests go back to the seed. The clock stays where it is.</p>
    </FormDialog>
  );
}

/** The emulator's clock, and what is one click away from everywhere. */
export function ClockBar() {
  const { model } = useServices();
  const [open, setOpen] = useState<'advance' | 'reset' | undefined>();
  const now = useNow();
  const clock = model.clock.value;
  const iso = new Date(now).toISOString();
  const stands = clock?.mode === 'frozen';
  const hold = () =>
    model.attempt(async () => {
      await moveClock(model, stands ? { resume: true } : { freeze: true });
      if (!stands && model.clock.value?.mode === 'virtual')
        model.notify('done', 'A virtual clock stands still already');
    });
  return (
    <div class="row between bar clock-bar">
      <section class="row shrinks clock" aria-label="Clock">
        {clock ? (
          <>
            <time class="ellipsis" dateTime={iso}>
              <span class="quiet day">{dayOf(iso)}</span>{' '}
              <b>
                {timeOf(iso)}
                {clock.mode !== 'real' && <span class="on-wide">{iso.slice(19, 23)}</span>}
              </b>
            </time>
            <span class={`pill ${stands ? 'live' : ''}`} title={MODES[clock.mode]}>
              {clock.mode}
            </span>
          </>
        ) : (
          <span class="quiet">…</span>
        )}
        <Button small onClick={() => model.attempt(() => moveClock(model, { advance: '5m' }), 'Advanced by 5 minutes')}>
          +5 min
        </Button>
        <Button small icon="clock" onClick={() => setOpen('advance')}>
          Advance…
        </Button>
        <Button small icon={stands ? 'play' : 'pause'} onClick={hold}>
          {stands ? 'Resume' : 'Freeze'}
        </Button>
      </section>
      <div class="row shrinks">
        <ThemeSwitch />
        <Button small icon="reset" onClick={() => setOpen('reset')}>
          Reset
        </Button>
      </div>
      {open === 'advance' && <AdvanceDialog onClose={() => setOpen(undefined)} />}
      {open === 'reset' && <ResetDialog onClose={() => setOpen(undefined)} />}
    </div>
  );
}
