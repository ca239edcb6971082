import { useState } from 'preact/hooks';
import { counted } from '../../../contract/counted.js';
import type { Conversation, Item } from '../conversation.js';
import { short, span, timeOf, words } from '../format.js';
import type { RequestRow } from '../requests.js';
import { linkTo } from '../router.js';
import type { Intern, Run } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Icon } from '../ui/icons.js';
import { Pill } from '../ui/parts.js';
import { Question } from './question.js';

/** How a run stands: by its end, or its status. */
const STANDS: Readonly<Record<string, readonly [tone: string, text: string]>> = {
  stop: ['idle', 'finished'],
  cancelled: ['bad', 'cancelled'],
  deadline: ['bad', 'deadline passed'],
  severed: ['bad', 'severed'],
  failed: ['bad', 'failed'],
  running: ['live', 'at work'],
  waiting: ['ask', 'waits for an answer'],
};

function RunHead({ run, script }: { run: Run; script: string | undefined }) {
  const took = run.ended_at ? span(Date.parse(run.ended_at) - Date.parse(run.started_at)) : undefined;
  const [tone, text] = STANDS[run.ended ?? run.status] ?? ['idle', run.status];
  return (
    <header class="row wrap quiet small">
      <time dateTime={run.started_at}>{timeOf(run.started_at)}</time>
      <span>{run.origin}</span>
      {script && <span class="tag">{script}</span>}
      <span title={run.session_id}>{`session ${short(run.session_id)}`}</span>
      {took !== undefined && <span>{took}</span>}
      <span class="away">
        <Pill tone={tone} live={run.status !== 'ended'}>
          {text}
        </Pill>
      </span>
    </header>
  );
}

/** Longer texts are folded, to this many characters. */
const LONG = 4_000;

/** A text that was said; a long one is folded until somebody wants all of it. */
function Folding({ text, kind }: { text: string; kind: string }) {
  const [open, setOpen] = useState(false);
  if (text.length <= LONG) return <p class={kind}>{text}</p>;
  return (
    <>
      <p class={kind}>{open ? text : `${text.slice(0, LONG)}…`}</p>
      <Button small tone="ghost" expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Show less' : `Show all ${text.length.toLocaleString('en')} characters`}
      </Button>
    </>
  );
}

/** The sender and the time, with a link to the request. */
const Meta = ({ at, request }: { at: string; request: RequestRow | undefined }) => (
  <p class="row quiet small meta">
    {request?.caller && <span>{request.caller}</span>}
    <time dateTime={at}>{timeOf(at)}</time>
    {request && <a href={linkTo('requests', request.id)}>request</a>}
  </p>
);

/** The name of a message that is no prompt. */
const LABELS = {
  steer: { tone: 'live', icon: 'steer', text: 'Steered into the run' },
  answer: { tone: 'ask', icon: 'check', text: 'Answered' },
} as const;

/** A message of a client. */
function Mine({ item }: { item: Extract<Item, { kind: 'prompt' | 'steer' | 'answer' }> }) {
  const label = item.kind === 'prompt' ? undefined : LABELS[item.kind];
  return (
    <div class="stack mine">
      <div class={`bubble ${label?.tone ?? ''}`}>
        {label && (
          <p class="row small label">
            <Icon name={label.icon} size={14} /> {label.text}
          </p>
        )}
        {item.kind === 'answer' ? <AnswerText answer={item.answer} /> : <p class="said">{item.text}</p>}
      </div>
      <Meta at={item.at} request={item.request} />
    </div>
  );
}

function AnswerText({ answer }: { answer: unknown }) {
  if (typeof answer === 'string') return <p class="said">{words(answer)}</p>;
  const { action, content } = answer as { action: string; content?: Record<string, unknown> };
  const values = Object.entries(content ?? {});
  if (action !== 'accept' || values.length === 0) return <p class="said">{words(action)}</p>;
  return (
    <dl>
      {values.map(([name, value]) => (
        <div key={name} class="row">
          <dt>{name}</dt>
          <dd class="label">{String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function ItemView({ item, intern, run }: { item: Item; intern: Intern; run: Run | undefined }) {
  switch (item.kind) {
    case 'prompt':
    case 'steer':
    case 'answer':
      return <Mine item={item} />;
    case 'content':
      return <Folding text={item.text} kind="frame theirs said" />;
    case 'reasoning':
      return (
        <details class="reasoning" open>
          <summary>Reasoning</summary>
          <p class="said">{item.text}</p>
        </details>
      );
    case 'ask':
      return <Question intern={intern} run={run} question={item} answer={item.answer} />;
    default:
      return (
        <p class={`row wrap small callout ${item.tone}`}>
          <Icon name={item.tone === 'calm' ? 'check' : 'warn'} size={15} />
          <span>{item.text}</span>
          <time class="away" dateTime={item.at}>
            {timeOf(item.at)}
          </time>
          {item.request && <a href={linkTo('requests', item.request.id)}>request</a>}
        </p>
      );
  }
}

function Streaming({ conversation }: { conversation: Conversation }) {
  const { model } = useServices();
  const { streaming, run } = conversation;
  if (run?.status !== 'running' || model.connection.value === 'lost') return null;
  const own = streaming && model.own.value.get(streaming.id);
  const to =
    run.origin === 'invoke'
      ? 'Works by itself: nothing goes back to its caller'
      : `Streams to ${own ? 'this page' : (streaming?.caller ?? 'its client')}`;
  return (
    <div class="row quiet small">
      <Pill tone="live" />
      <span>{to}</span>
      {own && (
        <Button small tone="ghost" icon="plug" onClick={() => own.abort()}>
          Disconnect
        </Button>
      )}
    </div>
  );
}

interface ConversationProps {
  intern: Intern;
  conversation: Conversation;
}

export function ConversationView({ intern, conversation }: ConversationProps) {
  const { items, run, usage, at } = conversation;
  return (
    <article class="stack close measure run" aria-label={run ? `Run of ${timeOf(at)}` : `Refused at ${timeOf(at)}`}>
      {run && <RunHead run={run} script={conversation.script} />}
      {run?.status === 'ended' && conversation.silent && <p class="quiet">What was said is not held any more.</p>}
      {items.map((item, index) => (
        <ItemView key={index} item={item} intern={intern} run={run} />
      ))}
      <Streaming conversation={conversation} />
      {usage && (
        <p class="quiet small">{`${counted(usage.prompt_tokens, 'token')} in, ${usage.completion_tokens} out`}</p>
      )}
    </article>
  );
}
