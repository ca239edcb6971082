import { counted } from '../../../contract/counted.js';
import { pretty, size, span } from '../format.js';
import type { LabRequest, LabRun, Sent } from '../types.js';
import { CopyButton } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Folded, Pairs, StatusCode, Table } from '../ui/parts.js';
import { useRead } from '../ui/use-read.js';

/** How the answer to a request ended, if it has. */
function endOf({ answered, closed, arrived }: LabRequest): string {
  if (closed) return `${closed.by === 'reset' ? 'reset' : 'closed'} by the client after ${span(closed.at - arrived)}`;
  return answered === undefined ? 'under way' : `answered whole after ${span(answered - arrived)}`;
}

function SentParts({ sent }: { sent: Sent }) {
  return (
    <>
      <Table label={`Sent for request ${sent.request}`} columns={['at', 'size', 'bytes']}>
        {sent.parts.map(({ at, bytes, hex, text }, index) => (
          <tr key={index}>
            <td>{at === undefined ? (bytes === undefined ? '' : 'not sent') : span(at)}</td>
            <td>{bytes === undefined ? '' : size(bytes)}</td>
            <td>
              {bytes === undefined ? (
                <em class="quiet">{text}</em>
              ) : (
                <code>{hex ? `hex ${text}` : JSON.stringify(text).slice(1, -1)}</code>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {sent.more > 0 && <p class="quiet">… and {counted(sent.more, 'more write')}</p>}
    </>
  );
}

function Request({ run, request, sent }: { run: LabRun; request: LabRequest; sent: Sent | undefined }) {
  return (
    <details>
      <summary>
        <StatusCode status={request.status ?? null} />{' '}
        <span class="mono">
          {request.method} {request.path}
        </span>{' '}
        <span class="quiet">
          {request.at === 'client' ? '' : `to ${request.at}, `}
          {request.origin === 'other' ? 'to the other origin, ' : ''}
          at {span(Math.max(0, request.arrived - run.started))}, {size(request.taken)} taken, {endOf(request)}
        </span>
      </summary>
      <h4>What the client sent</h4>
      <Pairs of={request.headers} />
      {request.body === '' ? <p class="quiet">No body</p> : <pre class="scroll-x">{pretty(request.body)}</pre>}
      <h4>What it was sent</h4>
      {sent === undefined ? <p class="quiet">Reading…</p> : <SentParts sent={sent} />}
    </details>
  );
}

/** The result of a right client in a case. */
function Expected({ id }: { id: string }) {
  const { model } = useServices();
  const { value: found } = useRead(
    () => model.api.control<{ expect: unknown; alternatives?: unknown[]; why: string[] }>('GET', `lab/cases/${id}`),
    [id],
  );
  if (found === undefined) return null;
  return (
    <details>
      <summary>What a right client makes of it</summary>
      <pre class="scroll-x">{JSON.stringify(found.expect, null, 2)}</pre>
      {(found.alternatives ?? []).map((one, index) => (
        <pre key={index} class="scroll-x">
          or {JSON.stringify(one, null, 2)}
        </pre>
      ))}
      <ul class="quiet small">
        {found.why.map((why) => (
          <li key={why}>{why}</li>
        ))}
      </ul>
    </details>
  );
}

function Details({ run }: { run: LabRun }) {
  const { model } = useServices();
  const { value: sent = [] } = useRead(() => model.api.list<Sent>(`lab/runs/${run.run}/sent`), [run]);
  const { result } = run;
  return (
    <div class="stack">
      {result?.sentence !== undefined && <p>{result.sentence}</p>}
      {result?.expected !== undefined && (
        <Pairs
          of={(['expected', 'actual'] as const).map((name) => [
            name,
            <pre key={name} class="scroll-x">
              {result[name]}
            </pre>,
          ])}
        />
      )}
      {run.cuts !== undefined && (
        <p class="quiet">
          The body was {run.cuts.length === 0 ? 'sent in one piece' : `cut at ${run.cuts.slice(0, 20).join(', ')}`}.
        </p>
      )}
      {result === undefined && (
        <p class="row">
          <span class="mono small">{run.url}</span>
          <CopyButton text={run.url} label={`Copy the address of ${run.case}`} />
          <CopyButton
            text={`curl -N -X POST '${run.url}' -H 'content-type: application/json' -d '{}'`}
            label={`Copy a curl command for ${run.case}`}
          >
            curl
          </CopyButton>
        </p>
      )}
      <Expected id={run.case} />
      {run.requests.map((request) => (
        <Request key={request.n} run={run} request={request} sent={sent.find((one) => one.request === request.n)} />
      ))}
    </div>
  );
}

const TONES = { pass: 'good', 'pass-alternative': 'good', fail: 'bad', error: 'bad', skip: '' } as const;

/** A run: its verdict, if a kit judged it, what the client did, and what it was sent. */
export const Run = ({ run, first }: { run: LabRun; first: boolean }) => {
  const { result, requests } = run;
  return (
    <Folded
      open={first && result === undefined}
      summary={
        <>
          <h3 class="mono">{run.case}</h3>{' '}
          {result !== undefined && <span class={`tag ${TONES[result.verdict]}`}>{result.verdict}</span>}{' '}
          <span class="tag">{requests.length === 0 ? 'no request yet' : counted(requests.length, 'request')}</span>{' '}
          <span class="quiet">{result === undefined ? 'by hand' : result.client}</span>
        </>
      }
    >
      {() => <Details run={run} />}
    </Folded>
  );
};
