import { useMemo, useState } from 'preact/hooks';
import { counted } from '../../../contract/counted.js';
import { commandLine, groupOf, type LabCase, type LabFilter, matching, patternsOf } from '../lab-command.js';
import { shellWords } from '../shell-words.js';
import { Button, CopyButton } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Check, Input, Select } from '../ui/field.js';
import { useChosen, useForm } from '../ui/use-form.js';
import { useRead } from '../ui/use-read.js';

const NO_CASES: readonly LabCase[] = [];
const ABILITIES = ['idle', 'abort', 'h2', 'br'];

interface CommandProps {
  chosen: ReadonlySet<string>;
  all: readonly LabCase[];
  /** Called before a run is shown. */
  onRun: () => void;
}

/**
 * Runs the chosen cases: here, where the emulator may run commands (`--agents-may-run`), or by a line for a terminal.
 */
function Command({ chosen, all, onRun }: CommandProps) {
  const { model } = useServices();
  const [adapter, setAdapter] = useState('');
  const [cuts, setCuts] = useState('few');
  const [running, setRunning] = useState(false);
  const show = model.target.value?.control_url ?? '';
  const patterns = patternsOf(chosen, all);
  const line = commandLine({ cases: patterns, cuts, show, adapter });
  const run = () =>
    model.attempt(async () => {
      const command = shellWords(adapter);
      if (command === undefined) throw new Error("The adapter's command has a quote that is not closed.");
      if (command.length === 0) throw new Error("Give the adapter's command.");
      setRunning(true);
      onRun();
      try {
        const only = patterns.length === 0 ? {} : { only: patterns.map((pattern) => pattern.replaceAll("'", '')) };
        const done = await model.api.control<{ headline: string }>('POST', 'lab/adapters', { command, cuts, ...only });
        model.notify('done', done.headline);
      } finally {
        setRunning(false);
      }
    });
  return (
    <section class="stack" aria-label="Run an adapter">
      <div class="grid">
        <Input
          label="The adapter's command"
          hint="a program that speaks the lab's protocol: docs/lab.md"
          class="mono"
          placeholder="node adapter.mjs"
          value={adapter}
          onChange={setAdapter}
        />
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
        <p class="quiet">Choose cases above to run them.</p>
      ) : (
        <>
          <output class="callout mono" aria-label="Command line">
            {line}
          </output>
          <div class="row wrap">
            <Button small tone="primary" icon="play" disabled={running} onClick={run}>
              {running ? 'Runs…' : 'Run it here'}
            </Button>
            <CopyButton text={line} label="Copy the command line">
              Copy
            </CopyButton>
            <span class="quiet small">
              Here it runs in the emulator’s folder, if that was started with <code>--agents-may-run</code>; in a
              terminal anywhere. Verdicts come in below as each case ends.
            </span>
          </div>
        </>
      )}
    </section>
  );
}

/** Chooses cases, and says how to run them: by an adapter, or one by hand. */
export function Cases({ onRun }: Pick<CommandProps, 'onRun'>) {
  const { model } = useServices();
  const { value: cases = NO_CASES } = useRead(() => model.api.list<LabCase>('lab/cases'), [], { tells: true });
  const { chosen, choose, chooseNone } = useChosen();
  const { values: filter, field } = useForm<LabFilter>({ group: '', ability: '', search: '' });
  const shown = useMemo(() => matching(cases, filter), [cases, filter]);
  const ids = shown.map(({ id }) => id);
  const groups = [...new Set(cases.map(groupOf))];
  return (
    <section class="panel stack" aria-label="Cases">
      <div class="grid">
        <Select label="Group" options={[['', 'every group'], ...groups]} {...field('group')} />
        <Select
          label="Needs"
          options={[['', 'any ability'], ['none', 'no ability'], ...ABILITIES]}
          {...field('ability')}
        />
        <Input label="Search" type="search" {...field('search')} />
      </div>
      <div class="row">
        <Button small onClick={() => choose(ids, true)}>
          Choose these {shown.length}
        </Button>
        <Button small disabled={chosen.size === 0} onClick={chooseNone}>
          Choose none
        </Button>
        <span class="quiet" role="status">
          {counted(chosen.size, 'case')} chosen of {cases.length}
        </span>
      </div>
      <ul class="frame rows picking" aria-label="Cases of the lab">
        {shown.map(({ id, needs, title }) => (
          <li key={id}>
            <Check
              label={
                <span class="row wrap">
                  <span class="mono">{id}</span>
                  {needs.map((need) => (
                    <span key={need} class="tag">
                      {need}
                    </span>
                  ))}
                  <span class="quiet small">{title}</span>
                </span>
              }
              value={chosen.has(id)}
              onChange={(on) => choose([id], on)}
            />
            <Button
              small
              tone="ghost"
              label={`Run ${id} by hand`}
              onClick={() =>
                model
                  .attempt(
                    () => model.api.control('POST', 'lab/runs', { case: id }),
                    `${id} has started: send your client to its address`,
                  )
                  .then(onRun)
              }
            >
              By hand
            </Button>
          </li>
        ))}
      </ul>
      <Command chosen={chosen} all={cases} onRun={onRun} />
    </section>
  );
}
