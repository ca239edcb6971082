import { addFaults, removeFault } from '../actions.js';
import { CHAOS, sentenceOf } from '../faults.js';
import type { Fault } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Empty, ViewHead } from '../ui/parts.js';
import { NewFault } from './fault-form.js';

/** Makes the emulator fail in chosen ways, and shows the faults still to come. */
export function FaultsView() {
  const { model } = useServices();
  const faults = model.faults.value;
  const sentence = (fault: Fault) => sentenceOf(fault, (id) => model.interns.value.get(id)?.name ?? id.slice(0, 8));
  const clear = () =>
    model.attempt(async () => {
      await model.api.control('DELETE', 'faults');
      await model.readFaults();
    }, 'All faults are taken back');
  return (
    <div class="page">
      <ViewHead
        title="Faults"
        sub="What the next calls meet. A call that is refused for its caller, path, body or session uses none up."
      >
        {faults.length > 0 && (
          <Button small icon="trash" onClick={() => void clear()}>
            Take all back
          </Button>
        )}
      </ViewHead>
      {faults.length > 0 ? (
        <ol class="list" aria-label="Faults still to come">
          {faults.map(({ id = '', ...fault }) => (
            <li key={id}>
              <span class="tag bad">{fault.operation}</span>
              <span class="grow">{sentence(fault)}</span>
              <Button
                small
                tone="ghost"
                icon="trash"
                label={`Take back: ${sentence(fault)}`}
                onClick={() => void model.attempt(() => removeFault(model, id), 'The fault is taken back')}
              />
            </li>
          ))}
        </ol>
      ) : (
        <Empty icon="faults" title="All goes well">
          <p>Add a fault, or choose a bad day below, and see what your client makes of it.</p>
        </Empty>
      )}
      <div class="columns">
        <NewFault />
        <section class="panel stack" aria-label="Chaos">
          <h2>Chaos</h2>
          <p class="quiet">Several faults at once.</p>
          <ul class="choices">
            {CHAOS.map((profile) => (
              <li key={profile.name}>
                <div>
                  <b>{profile.name}</b>
                  <p class="quiet">{profile.does}</p>
                  <details>
                    <summary class="quiet small">What it adds</summary>
                    <ul class="quiet small">
                      {profile.faults.map((fault, index) => (
                        <li key={index}>{sentence(fault)}</li>
                      ))}
                    </ul>
                  </details>
                </div>
                <Button
                  small
                  onClick={() =>
                    void model.attempt(
                      () => addFaults(model, profile.faults),
                      `Added ${profile.faults.length} faults: ${profile.does}`,
                    )
                  }
                >
                  Add<span class="unseen"> {profile.name}</span>
                </Button>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </div>
  );
}
