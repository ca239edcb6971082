import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { lifecycle, putScriptOn, scriptNames } from '../actions.js';
import { conversationsOf } from '../conversation.js';
import type { Intern, Run } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Select } from '../ui/field.js';
import type { IconName } from '../ui/icons.js';
import { Back, Empty, Facts, Progress, StatusPill } from '../ui/parts.js';
import { useRead } from '../ui/use-read.js';
import { useTranscripts } from '../ui/use-transcripts.js';
import { Composer } from './composer.js';
import { ConversationView } from './conversation.js';
import { DeleteDialog, EditDialog } from './intern-dialogs.js';
import { InternVault } from './vault.js';

/** The facts that only the control interface has of an intern: its script and its own key. */
interface Inside {
  script: string | null;
  api_key: string;
}

const factsOf = (intern: Intern, inside: Inside | undefined) =>
  [
    ['Id', intern.id],
    ['Workspace', intern.workspace_id],
    ['Own API key', inside?.api_key],
    ['Model', intern.model],
    ['Host name', intern.hostname],
    ['Vault', intern.vault_id],
    ['Created', intern.created_at],
    ['Instructions', intern.instructions],
    ['Last failure', intern.last_failure_message],
  ] as const;

function InternHead({ intern }: { intern: Intern }) {
  const { model } = useServices();
  const [dialog, setDialog] = useState<typeof EditDialog | undefined>(undefined);
  const [facts, setFacts] = useState(false);
  const { value: inside, again } = useRead(
    () => model.api.control<Inside>('GET', `interns/${intern.id}`),
    [intern.id, intern.updated_at],
  );
  const button = (icon: IconName, words: string, onClick: () => unknown) => (
    <Button small icon={icon} onClick={onClick}>
      {words}
    </Button>
  );
  const run = (what: 'provision' | 'suspend', done: string) => () =>
    model.attempt(() => lifecycle(model, intern, what), `${intern.name} is ${done}`);
  const choose = (name: string) =>
    model.attempt(
      () => again(() => putScriptOn<Inside>(model, intern, name === '' ? null : name)),
      name === '' ? `${intern.name} behaves by its own again` : `${intern.name} now behaves by ${name}`,
    );
  const Dialog = dialog;
  return (
    <header class="stack close bar">
      <div class="row">
        <Back to="interns" label="Back to the interns" />
        <h2 class="title">{intern.name}</h2>
        <StatusPill status={intern.status} />
        <div class="row away shrinks">
          {(intern.status === 'stopped' || intern.status === 'failed') &&
            button('play', 'Provision', run('provision', 'being provisioned'))}
          {intern.status === 'running' && button('pause', 'Suspend', run('suspend', 'suspended'))}
          {button('edit', 'Edit', () => setDialog(() => EditDialog))}
          {button('trash', 'Delete', () => setDialog(() => DeleteDialog))}
        </div>
      </div>
      <div class="row wrap quiet">
        {intern.description && <p>{intern.description}</p>}
        <Select
          inline="labelled"
          label="Behaves by"
          value={inside?.script ?? ''}
          options={[['', 'its own choice'], ...scriptNames(model)]}
          onChange={choose}
        />
        <Button small tone="ghost" expanded={facts} onClick={() => setFacts(!facts)}>
          {facts ? 'Hide details' : 'Details'}
        </Button>
      </div>
      <Progress intern={intern} />
      {(intern.status === 'failed' || intern.status === 'destroy_failed') && intern.last_failure_message && (
        <p class="callout bad" role="status">
          {intern.last_failure_message}
        </p>
      )}
      {facts && <Facts of={factsOf(intern, inside)} />}
      {Dialog && <Dialog intern={intern} onClose={() => setDialog(undefined)} />}
    </header>
  );
}

/** Keeps a scrolling box at its end while its content grows, unless the user has scrolled up. */
function useStickToEnd(content: unknown) {
  const box = useRef<HTMLElement>(null);
  const stuck = useRef(true);
  useLayoutEffect(() => {
    const { current } = box;
    if (current && stuck.current) current.scrollTop = current.scrollHeight;
  }, [content]);
  const onScroll = () => {
    const { current } = box;
    if (current) stuck.current = current.scrollHeight - current.scrollTop - current.clientHeight < 40;
  };
  return { box, onScroll };
}

const NEXT_STEPS: Readonly<Partial<Record<Intern['status'], string>>> = {
  running: 'Send a prompt below, or talk to it from your own client: it shows here as it happens.',
  stopped: 'It has no runtime yet. Provision it, then send a prompt.',
  failed: 'Its boot failed. Provision it again, once you know why.',
  queued: 'It is about to boot.',
  provisioning: 'It is booting.',
};

/** Runs that are shown at first, and how many more each time. */
const SHOWN = 20;

export function InternView({ intern }: { intern: Intern }) {
  const { model } = useServices();
  const [most, setMost] = useState(SHOWN);
  const all: Run[] = [...model.runs.value.values()].filter((run) => run.intern_id === intern.id);
  const runs = all.slice(-most);
  const transcripts = useTranscripts(runs);
  const since = runs.length < all.length ? (runs[0]?.started_at ?? '') : '';
  const requests = model.requests.rows.value.filter((row) => row.internId === intern.id && row.at >= since);
  const conversations = conversationsOf(runs, transcripts, requests);
  const { box, onScroll } = useStickToEnd(transcripts);
  const sessions = [...new Set(runs.map((run) => run.session_id))].reverse();
  const [tab, setTab] = useState<'Conversation' | 'Vault'>('Conversation');
  return (
    <section class="stack flush grow fill" aria-label={intern.name}>
      <InternHead intern={intern} />
      <nav class="row bar" aria-label={`Of ${intern.name}`}>
        {(['Conversation', 'Vault'] as const).map((name) => (
          <Button key={name} small tone="ghost" pressed={tab === name} onClick={() => setTab(name)}>
            {name}
          </Button>
        ))}
      </nav>
      {tab === 'Vault' ? (
        <InternVault intern={intern} />
      ) : (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
          <section class="stack flush fill talk" ref={box} onScroll={onScroll} tabIndex={0} aria-label="Conversation">
            {all.length > runs.length && (
              <Button small tone="ghost" icon="up" onClick={() => setMost(most + SHOWN)}>
                {`Show earlier runs (${all.length - runs.length})`}
              </Button>
            )}
            {conversations.length === 0 && (
              <Empty icon="send" title="Nothing said yet">
                {NEXT_STEPS[intern.status] ?? 'Nothing more will be said here.'}
                {intern.status === 'failed' && intern.last_failure_message && ` ${intern.last_failure_message}.`}
                {intern.progress && model.clock.value?.mode !== 'real' && ' Advance the clock to go on.'}
              </Empty>
            )}
            {conversations.map((conversation) => (
              <ConversationView key={conversation.key} intern={intern} conversation={conversation} />
            ))}
          </section>
          <Composer intern={intern} sessions={sessions} />
        </>
      )}
    </section>
  );
}
