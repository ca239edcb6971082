import { addFaults } from '../actions.js';
import { CHAOS, requestOf, sentenceOf } from '../faults.js';
import { short } from '../format.js';
import type { Fault } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { DeleteButton, Empty, Page, Panel } from '../ui/parts.js';
import { NewFault } from './fault-form.js';

/** The effect of a fault, and the request that meets it. */
function Said({ fault }: { fault: Fault }) {
  const nameOf = useNames();
  return (
    <>
      <span>{sentenceOf(fault, nameOf)}</span>
      <br />
      <span class="quiet small mono">{requestOf(fault, nameOf)}</span>
    </>
  );
}

function useNames() {
  const { model } = useServices();
  return (id: string) => model.interns.value.get(id)?.name ?? short(id);
}

export function FaultsView() {
  const { model } = useServices();
  const faults = model.faults.value;
  const nameOf = useNames();
  const clear = () => model.attempt(() => model.api.control('DELETE', 'faults'), 'All faults are taken back');
  return (
    <Page
      title="Faults"
      sub="What the next calls meet. A call that is refused for its caller, path, body or session uses none up."
      action={
        faults.length > 0 && (
          <Button small icon="trash" onClick={clear}>
            Take all back
          </Button>
        )
      }
    >
      {faults.length > 0 ? (
        <ol class="frame rows" aria-label="Faults still to come">
          {faults.map(({ id = '', ...fault }) => (
            <li key={id}>
              <span class="tag bad">{fault.operation}</span>
              <span class="grow">
                <Said fault={fault} />
              </span>
              <DeleteButton
                label={`Take back: ${sentenceOf(fault, nameOf)}`}
                onClick={() =>
                  model.attempt(() => model.api.control('DELETE', `faults/${id}`), 'The fault is taken back')
                }
              />
            </li>
          ))}
        </ol>
      ) : (
        <Empty icon="faults" title="All goes well">
          Add a fault, or choose a bad day below, and see what your client makes of it.
        </Empty>
      )}
      <div class="columns">
        <NewFault />
        <Panel title="Chaos" note="Several faults at once.">
          <ul class="frame rows">
            {CHAOS.map((profile) => (
              <li key={profile.name}>
                <div class="grow">
                  <b>{profile.name}</b>
                  <p class="quiet">{profile.does}</p>
                  <details>
                    <summary class="quiet small">What it adds</summary>
                    <ul class="quiet small">
                      {profile.faults.map((fault, index) => (
                        <li key={index}>
                          <Said fault={fault} />
                        </li>
                      ))}
                    </ul>
                  </details>
                </div>
                <Button
                  small
                  onClick={() =>
                    model.attempt(
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
        </Panel>
      </div>
    </Page>
  );
}
