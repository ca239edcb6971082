import { useEffect, useMemo, useState } from 'preact/hooks';
import { plural } from '../format.js';
import { commandLine, groupOf, type LabCase, type LabFilter, matching, patternsOf } from '../lab-command.js';
import { Button, CopyButton } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Check, Field, Select } from '../ui/field.js';

const ABILITIES = ['idle', 'abort', 'h2', 'br'];

/** The command line that runs the chosen cases. It is shown and not run: a page that starts programs would be a door. */
function Command({ chosen, all }: { chosen: ReadonlySet<string>; all: readonly LabCase[] }) {
  const { model } = useServices();
  const [adapter, setAdapter] = useState('');
  const [cuts, setCuts] = useState('few');
  const show = model.target.value?.control_url ?? '';
  const line = commandLine({ cases: patternsOf(chosen, all), cuts, show, adapter });
  return (
    <section class="stack" aria-label="Run an adapter">
      <div class="grid">
        <Field label="The adapter's command" hint="a program that speaks the lab's protocol: docs/lab.md">
          {(ids) => (
            <input
              {...ids}
              class="mono"
              placeholder="node adapter.mjs"
              value={adapter}
              onInput={(event) => setAdapter(event.currentTarget.value)}
            />
          )}
        </Field>
        <Select
          label="Cuts"
          value={cuts}
          onChange={setCuts}
          options={[
            ['few', 'few: at the places that matter'],
            ['all', 'all: at every byte'],
            ['none', 'none'],
          ]}
        />
      </div>
      {chosen.size === 0 ? (
        <p class="quiet">Choose cases above to get the command line that runs them.</p>
      ) : (
        <>
          <output class="command mono" aria-label="Command line">
            {line}
          </output>
          <div class="row">
            <CopyButton text={line} label="Copy the command line">
              Copy
            </CopyButton>
            <span class="quiet small">
              Run it in a terminal, in the folder of your client: verdicts come in below as each case ends.
            </span>
          </div>
        </>
      )}
    </section>
  );
}

/** Chooses cases, and says how to run them: by an adapter, or one by hand. */
export function Cases() {
  const { model } = useServices();
  const [cases, setCases] = useState<readonly LabCase[]>([]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [filter, setFilter] = useState<LabFilter>({ group: '', ability: '', search: '' });
  useEffect(() => {
    model.api.control<{ data: LabCase[] }>('GET', 'lab/cases').then(
      ({ data }) => setCases(data),
      (error: Error) => model.notify('error', error.message),
    );
  }, []);
  const shown = useMemo(() => matching(cases, filter), [cases, filter]);
  const change = (ids: readonly string[], on: boolean) => {
    const next = new Set(chosen);
    for (const id of ids) {
      if (on) next.add(id);
      else next.delete(id);
    }
    setChosen(next);
  };
  const groups = [...new Set(cases.map(groupOf))];
  return (
    <section class="panel stack" aria-label="Cases">
      <div class="grid">
        <Select
          label="Group"
          value={filter.group}
          onChange={(group) => setFilter({ ...filter, group })}
          options={[['', 'every group'], ...groups.map((one) => [one, one] as const)]}
        />
        <Select
          label="Needs"
          value={filter.ability}
          onChange={(ability) => setFilter({ ...filter, ability })}
          options={[['', 'any ability'], ['none', 'no ability'], ...ABILITIES.map((one) => [one, one] as const)]}
        />
        <Field label="Search">
          {(ids) => (
            <input
              {...ids}
              type="search"
              value={filter.search}
              onInput={(event) => setFilter({ ...filter, search: event.currentTarget.value })}
            />
          )}
        </Field>
      </div>
      <div class="row">
        <Button
          small
          onClick={() =>
            change(
              shown.map(({ id }) => id),
              true,
            )
          }
        >
          Choose these {shown.length}
        </Button>
        <Button small disabled={chosen.size === 0} onClick={() => setChosen(new Set())}>
          Choose none
        </Button>
        <span class="quiet" role="status">
          {plural(chosen.size, 'case')} chosen of {cases.length}
        </span>
      </div>
      <ul class="picking" aria-label="Cases of the lab">
        {shown.map(({ id, needs, title }) => (
          <li key={id}>
            <Check
              label={
                <>
                  <span class="mono">{id}</span>
                  {needs.map((need) => (
                    <span key={need} class="tag">
                      {need}
                    </span>
                  ))}
                  <span class="quiet small">{title}</span>
                </>
              }
              checked={chosen.has(id)}
              onChange={(on) => change([id], on)}
            />
            <Button
              small
              tone="ghost"
              label={`Run ${id} by hand`}
              onClick={() =>
                void model.attempt(
                  () => model.api.control('POST', 'lab/runs', { case: id }),
                  `${id} has started: send your client to its address`,
                )
              }
            >
              By hand
            </Button>
          </li>
        ))}
      </ul>
      <Command chosen={chosen} all={cases} />
    </section>
  );
}
