import { plural, size, span } from '../format.js';
import type { LabRequest, LabRun } from '../types.js';
import { useServices } from '../ui/context.js';
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
      {run.requests.map((request) => (
        <p key={request.n}>
          <StatusCode status={request.status ?? null} />{' '}
          <span class="mono">
            {request.method} {request.path}
          </span>{' '}
          <span class="quiet">
            {request.at === 'client' ? '' : `to ${request.at}, `}
            {request.origin === 'other' ? 'to the other origin, ' : ''}
            at {span(request.arrived - run.started)}, {size(request.taken)} taken, {endOf(request)}
          </span>
        </p>
      ))}
    </li>
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
