import { useRef, useState } from 'preact/hooks';
import { counted } from '../../../contract/counted.js';
import type { LabRun } from '../types.js';
import { useServices } from '../ui/context.js';
import { Select } from '../ui/field.js';
import { Empty, Page } from '../ui/parts.js';
import { Cases } from './lab-cases.js';
import { Run } from './lab-run.js';

const VERDICTS = ['fail', 'error', 'skip', 'pass-alternative', 'pass'] as const;

const countOf = (runs: readonly LabRun[], verdict: string): number =>
  runs.filter(({ result }) => result?.verdict === verdict).length;

/** `3 fail, 390 pass`: of the runs that a kit judged. */
const summary = (runs: readonly LabRun[]): string =>
  VERDICTS.flatMap((verdict) => {
    const count = countOf(runs, verdict);
    return count === 0 ? [] : [`${count} ${verdict}`];
  }).join(', ');

/** The client lab: chooses cases, says how to run them, and shows verdicts, bytes and what the clients did (LAB-8). */
export function LabView() {
  const { model } = useServices();
  const [verdict, setVerdict] = useState('');
  const shown = useRef<HTMLElement>(null);
  const all = model.labRuns.value;
  const runs = verdict === '' ? all : all.filter(({ result }) => (result?.verdict ?? 'hand') === verdict);
  return (
    <Page
      title="Client lab"
      sub="Streams and refusals that clients got wrong. Choose cases, run your client through them, and see what it did."
    >
      <Cases onRun={() => shown.current?.scrollIntoView({ behavior: 'smooth' })} />
      <section class="stack said-below" aria-label="Runs" ref={shown}>
        {all.length === 0 ? (
          <Empty icon="lab" title="No runs yet">
            Run an adapter above, or start a case by hand and send your client to the address that it gets.
          </Empty>
        ) : (
          <>
            <div class="grid">
              <Select
                label="Verdict"
                value={verdict}
                onChange={setVerdict}
                options={[
                  ['', `every run (${all.length})`],
                  ...VERDICTS.map((one) => [one, `${one} (${countOf(all, one)})`] as const),
                  ['hand', 'by hand'],
                ]}
              />
            </div>
            <p role="status">
              {counted(all.length, 'run')}, newest first{summary(all) === '' ? '' : `: ${summary(all)}`}
            </p>
            <ul class="stack close" aria-label="Lab runs">
              {runs.map((run, index) => (
                <Run key={run.run} run={run} first={index === 0} />
              ))}
            </ul>
          </>
        )}
      </section>
    </Page>
  );
}
