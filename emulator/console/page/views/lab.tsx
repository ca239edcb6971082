import { useEffect, useState } from 'preact/hooks';
import { plural, pretty, size, span } from '../format.js';
import type { LabRequest, LabRun } from '../types.js';
import { Button, CopyButton } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Field } from '../ui/field.js';
import { Empty, StatusCode, ViewHead } from '../ui/parts.js';

/** How the answer to a request ended, if it has. */
function endOf({ answered, closed, arrived }: LabRequest): string {
  if (closed) return `${closed.by === 'reset' ? 'reset' : 'closed'} by the client after ${span(closed.at - arrived)}`;
  return answered === undefined ? 'under way' : `answered whole after ${span(answered - arrived)}`;
}

function Run({ run }: { run: LabRun }) {
  return (
    <li>
      <h2>
        <span class="mono">{run.case}</span>
        <span class="tag">{run.requests.length === 0 ? 'no request yet' : plural(run.requests.length, 'request')}</span>
        <span class="quiet mono">{run.run}</span>
      </h2>
      <p class="row">
        <span class="mono small">{run.url}</span>
        <CopyButton text={run.url} label={`Copy the address of ${run.case}`} />
      </p>
      {run.requests.map((request) => (
        <details key={request.n}>
          <summary>
            <StatusCode status={request.status ?? null} />{' '}
            <span class="mono">
              {request.method} {request.path}
            </span>{' '}
            <span class="quiet">
              {request.at === 'client' ? '' : `to ${request.at}, `}
              {request.origin === 'other' ? 'to the other origin, ' : ''}
              at {span(request.arrived - run.started)}, {size(request.taken)} taken, {endOf(request)}
            </span>
          </summary>
          <dl class="headers">
            {request.headers.map(([name, value], index) => (
              <div key={index}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          {request.body === '' ? <p class="quiet">No body</p> : <pre class="scroll-x">{pretty(request.body)}</pre>}
        </details>
      ))}
    </li>
  );
}

interface LabCase {
  id: string;
  layer: string;
  class: string;
  title: string;
}

/** Starts a run of a case: what is left to do is to send the client to its address. */
function StartRun() {
  const { model } = useServices();
  const [cases, setCases] = useState<readonly LabCase[]>([]);
  const [chosen, setChosen] = useState('');
  useEffect(() => {
    model.api.control<{ data: LabCase[] }>('GET', 'lab/cases').then(
      ({ data }) => setCases(data),
      () => {},
    );
  }, []);
  return (
    <form
      class="panel stack"
      aria-label="Start a run"
      onSubmit={(event) => {
        event.preventDefault();
        void model.attempt(
          () => model.api.control('POST', 'lab/runs', { case: chosen }),
          `${chosen} has started: send your client to its address`,
        );
      }}
    >
      <Field label="Case" required hint={cases.find(({ id }) => id === chosen)?.title}>
        {(ids) => (
          <select {...ids} required value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
            <option value="">Choose…</option>
            {[...new Set(cases.map(({ layer }) => layer))].map((layer) => (
              <optgroup key={layer} label={layer}>
                {cases
                  .filter((one) => one.layer === layer)
                  .map(({ id }) => (
                    <option key={id} value={id}>
                      {id}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
        )}
      </Field>
      <div class="row end">
        <Button type="submit" tone="primary">
          Start a run
        </Button>
      </div>
    </form>
  );
}

/** Runs of the client lab as they come: what each client was served, and what it did (LAB-8). */
export function LabView() {
  const { model } = useServices();
  const runs = model.labRuns.value;
  return (
    <div class="page">
      <ViewHead
        title="Client lab"
        sub="Runs of client cases in this emulator, newest first, and what the clients did."
      />
      <StartRun />
      {runs.length === 0 ? (
        <Empty icon="lab" title="No runs yet">
          <p>
            Start one with <code>POST /_emulator/lab/runs</code> and <code>{'{"case": "sse-crlf-split"}'}</code>, and
            send your client to the <code>url</code> that it answers.
          </p>
        </Empty>
      ) : (
        <ul class="requirements" aria-label="Lab runs">
          {runs.map((run) => (
            <Run key={run.run} run={run} />
          ))}
        </ul>
      )}
    </div>
  );
}
