import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { counted } from '../../../contract/counted.js';
import { curlOf } from '../../../contract/curl.js';
import { injectedText } from '../../../contract/injected.js';
import { sendAgain } from '../actions.js';
import { scriptOf, vitestOf } from '../as-code.js';
import { atHumanLength, momentOf, pretty, short, size, span } from '../format.js';
import { linkTo } from '../router.js';
import type { Entry, ExchangeExplanation, Requirement } from '../types.js';
import { Button, CopyButton } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Back, Callout, Pairs, Shield, Snippet, StatusCode } from '../ui/parts.js';
import { useEntry } from '../ui/use-entry.js';
import { useRead } from '../ui/use-read.js';
import { TimeLine } from './time-line.js';

/** The ledger of requirements, read on first use. */
export function useRequirements(): readonly Requirement[] {
  const { model } = useServices();
  return useRead(() => model.api.asset<Requirement[]>('requirements.json'), []).value ?? [];
}

function Refusal({ entry }: { entry: Entry }) {
  const requirements = useRequirements();
  const row = requirements.find(({ id }) => id === entry.requirement);
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(entry.response.body ?? '')?.[1];
  return (
    <Callout label="Why it was refused" icon="warn" tone="warn">
      <p>
        <b>{entry.wrong ?? message ?? 'Refused'}</b>
      </p>
      {entry.requirement && (
        <p>
          Refused by <a href={linkTo('requirements', entry.requirement)}>{entry.requirement}</a>
          {row && (
            <>
              : <Prose text={row.sentence} />
            </>
          )}
        </p>
      )}
    </Callout>
  );
}

/** A sentence in which backticks mark code. */
const Prose = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={part}>{part}</code> : part))}</>
);

/** The emulator's explanation of the exchange: the mistake, to the field, and the right request. */
function Explained({ explained }: { explained: ExchangeExplanation }) {
  const { verdict, summary, wrong, requirement, next } = explained;
  const right = verdict === 'right';
  return (
    <Callout label="Explanation" icon={right ? 'check' : 'warn'} tone={right ? '' : 'warn'}>
      <p>
        <b>
          <Prose text={summary} />
        </b>
      </p>
      {wrong.length > 1 &&
        wrong.map((each) => (
          <p key={each.at}>
            <code>{each.at}</code> ({each.in}): {each.problem}
          </p>
        ))}
      {requirement && (
        <p>
          <a href={linkTo('requirements', requirement.id)}>{requirement.id}</a>:{' '}
          <Prose text={requirement.quote ?? requirement.sentence} />
        </p>
      )}
      {next && (
        <p>
          <Prose text={next.do} />
        </p>
      )}
      {next?.curl && (
        <Snippet text={next.curl} label="Copy what to send instead">
          <code class="grow said">{next.curl}</code>
        </Snippet>
      )}
      <p class="quiet">
        <a href={explained.page}>{explained.page}</a>
      </p>
    </Callout>
  );
}

function Judged({ judged: { verdict, rules, broken } }: { judged: NonNullable<Entry['judged']> }) {
  const requirementOf = (rule: string) => rule.split('/')[0] ?? rule;
  return (
    <Callout
      label="Rules of the interface"
      icon={<Shield verdict={verdict} />}
      tone={verdict === 'broken' ? 'bad' : ''}
    >
      {broken.map(({ rule, sentence, what, expected, actual }) => (
        <p key={rule}>
          <b>
            <a href={linkTo('requirements', requirementOf(rule))}>{rule}</a>: <Prose text={sentence} />
          </b>
          <br />
          {what}: expected {expected}, found <code>{actual}</code>
        </p>
      ))}
      {rules.length === 0 ? (
        <p>Not judged: no rule applies, or it is not known what was answered.</p>
      ) : (
        <details>
          <summary>
            {broken.length === 0 ? 'Keeps' : 'Held against'} {counted(rules.length, 'rule')}
          </summary>
          <p class="mono small">{rules.join(', ')}</p>
        </details>
      )}
    </Callout>
  );
}

function Body({ label, body }: { label: string; body: string | null }) {
  if (body === null || body === '') return <p class="quiet">No body</p>;
  return (
    <Snippet text={body} label={`Copy the ${label}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="grow" tabIndex={0} aria-label={label}>
        <pre>{pretty(body)}</pre>
      </section>
    </Snippet>
  );
}

function Part({ title, children, count }: { title: string; children: preact.ComponentChildren; count?: number }) {
  return (
    <details class="card" open>
      <summary>
        <h3>{title}</h3> {count !== undefined && <span class="quiet">{count}</span>}
      </summary>
      <div class="stack close">{children}</div>
    </details>
  );
}

function Headers({ title, of }: { title: string; of: Readonly<Record<string, string>> }) {
  const pairs = Object.entries(of);
  return (
    <Part title={title} count={pairs.length}>
      <Pairs of={pairs} />
    </Part>
  );
}

const CLOSED: Readonly<Record<string, string>> = {
  complete: 'The stream was complete',
  client_left: 'The client left before the end',
  dropped: 'An injected fault dropped the connection',
};

/** A repeated request goes to the interface with a key of the seed; sent to a daemon it would be another mistake. */
const NO_PROOF = 'A daemon needs a new proof, which this page does not make. Explain says how to get one.';

export function RequestDetail({ id }: { id: string }) {
  const { model, router } = useServices();
  const { entry, problem } = useEntry(id);
  const [explained, setExplained] = useState<ExchangeExplanation | undefined>(undefined);
  const framed = (title: ComponentChildren, children: ComponentChildren) => (
    <section class="stack padded" aria-label="Request">
      <header class="row between">
        <h2 class="grow">{title}</h2>
        <Back to="requests" label="Close this request" icon="close" />
      </header>
      {children}
    </section>
  );
  if (!entry && problem === '') return framed('Reading…', null);
  if (!entry) return framed('Not in the journal', <p class="quiet">{problem}</p>);
  const { request, response, writes, closed } = entry;
  const intern = entry.intern_id ? model.interns.value.get(entry.intern_id) : undefined;
  const url = new URL(request.url, 'http://none');
  const refused = response.status !== null && response.status >= 400;
  const explain = () =>
    model.attempt(async () => {
      setExplained(await model.api.control<ExchangeExplanation>('GET', `journal/${encodeURIComponent(id)}/explain`));
    });
  const again = () =>
    model.attempt(async () => {
      router.go('requests', await sendAgain(model, entry));
    }, 'Sent again');
  return framed(
    <>
      <span class={`method ${request.method}`}>{request.method}</span>{' '}
      <span class="mono" title={url.pathname + url.search}>
        {atHumanLength(url.pathname + url.search)}
      </span>
    </>,
    <>
      <div class="row wrap quiet small">
        <StatusCode status={response.status} />
        {entry.operation && <span>{entry.operation}</span>}
        {entry.caller && <span>by {entry.caller}</span>}
        <time dateTime={entry.at} title={entry.at}>
          {momentOf(entry.at)}
        </time>
        {entry.ms !== null && <span>{span(entry.ms)}</span>}
        {intern && <a href={linkTo('interns', intern.id)}>{intern.name}</a>}
        {entry.trace && (
          <span class="mono" title={entry.trace.trace_id}>{`trace ${short(entry.trace.trace_id)}…`}</span>
        )}
        <Button small icon="question" onClick={explain}>
          Explain
        </Button>
        <CopyButton text={curlOf(entry)}>Copy as curl</CopyButton>
        {entry.operation === 'daemon-request' ? (
          <Button small icon="send" disabled why={NO_PROOF}>
            Send again
          </Button>
        ) : (
          <>
            <CopyButton text={vitestOf(entry)}>Copy as a test</CopyButton>
            <CopyButton text={scriptOf(entry)}>Copy as a script</CopyButton>
            {url.pathname.includes('/api/v1/') && (
              <Button small icon="send" onClick={again}>
                Send again
              </Button>
            )}
          </>
        )}
      </div>
      {response.status === null && (
        <p class="callout bad">It got no answer: the connection was dropped, or it is still under way.</p>
      )}
      {explained && <Explained explained={explained} />}
      {entry.injected && (
        <Callout label="Injected fault" icon="faults" tone="warn">
          An injected fault {injectedText(entry.injected)}.
        </Callout>
      )}
      {entry.judged && <Judged judged={entry.judged} />}
      {refused && !explained && <Refusal entry={entry} />}
      {writes && (
        <Part title="Stream" count={writes.length}>
          {closed && (
            <p class={`callout small ${closed.how === 'complete' ? 'good' : 'bad'}`}>
              {CLOSED[closed.how]}
              {closed.run_ended && `; the run ended: ${closed.run_ended}`}
            </p>
          )}
          <TimeLine start={entry.at} writes={writes} open={closed === undefined} />
        </Part>
      )}
      {!writes && (
        <Part title="Response body">
          <Body label="response body" body={response.body} />
        </Part>
      )}
      <Part title="Request body">
        <Body label="request body" body={request.body} />
      </Part>
      <Headers title="Request headers" of={request.headers} />
      <Headers title="Response headers" of={response.headers} />
      {entry.truncated && <p class="quiet">Parts were left out for their size.</p>}
      <p class="quiet mono small">{`${entry.id} · ${size((request.body ?? '').length)} sent`}</p>
    </>,
  );
}
