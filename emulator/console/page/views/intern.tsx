import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { lifecycle, putScriptOn, scriptNames } from '../actions.js';
import { conversationsOf } from '../conversation.js';
import type { Intern, Run } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { InlineSelect } from '../ui/field.js';
import { Back, Empty, Facts, StatusPill } from '../ui/parts.js';
import { useRead } from '../ui/use-read.js';
import { useTranscripts } from '../ui/use-transcripts.js';
import { Composer } from './composer.js';
import { ConversationView } from './conversation.js';
import { DeleteDialog } from './delete-dialog.js';
import { EditDialog } from './edit-dialog.js';
import { Progress } from './progress.js';
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

function ScriptChoice({
  intern,
  inside,
  onChange,
}: {
  intern: Intern;
  inside: Inside | undefined;
  onChange: (inside: Inside) => void;
}) {
  const { model } = useServices();
  const choose = (name: string) =>
    model.attempt(
      async () => {
        onChange((await putScriptOn(model, intern, name === '' ? null : name)) as Inside);
      },
      name === '' ? `${intern.name} behaves by its own again` : `${intern.name} now behaves by ${name}`,
    );
  return (
    <InlineSelect
      label="Behaves by"
      value={inside?.script ?? ''}
      options={[['', 'its own choice'], ...scriptNames(model)]}
      onChange={(name) => void choose(name)}
    />
  );
}

function InternHead({ intern }: { intern: Intern }) {
  const { model } = useServices();
  const [deleting, setDeleting] = useState(false);
  const [editing, setEditing] = useState(false);
  const [facts, setFacts] = useState(false);
  const { value: inside, again } = useRead(
    () => model.api.control<Inside>('GET', `interns/${intern.id}`),
    [intern.id, intern.updated_at],
  );
  const run = (what: 'provision' | 'suspend', done: string) =>
    model.attempt(() => lifecycle(model, intern, what), done);
  return (
    <header class="stack close bar">
      <div class="row">
        <Back to="interns" label="Back to the interns" />
        <h2 class="title">{intern.name}</h2>
        <StatusPill status={intern.status} />
        <div class="row away shrinks">
          {(intern.status === 'stopped' || intern.status === 'failed') && (
            <Button small icon="play" onClick={() => void run('provision', `${intern.name} is being provisioned`)}>
              Provision
            </Button>
          )}
          {intern.status === 'running' && (
            <Button small icon="pause" onClick={() => void run('suspend', `${intern.name} is suspended`)}>
              Suspend
            </Button>
          )}
          <Button small icon="edit" onClick={() => setEditing(true)}>
            Edit
          </Button>
          <Button small icon="trash" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        </div>
      </div>
      <div class="row wrap quiet">
        {intern.description && <p>{intern.description}</p>}
        <ScriptChoice intern={intern} inside={inside} onChange={(next) => void again(async () => next)} />
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
      {editing && <EditDialog intern={intern} onClose={() => setEditing(false)} />}
      {deleting && <DeleteDialog intern={intern} onClose={() => setDeleting(false)} />}
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
  const [tab, setTab] = useState<'talk' | 'vault'>('talk');
  return (
    <section class="stack flush grow fill" aria-label={intern.name}>
      <InternHead intern={intern} />
      <nav class="row bar" aria-label={`Of ${intern.name}`}>
        <Button small tone="ghost" pressed={tab === 'talk'} onClick={() => setTab('talk')}>
          Conversation
        </Button>
        <Button small tone="ghost" pressed={tab === 'vault'} onClick={() => setTab('vault')}>
          Vault
        </Button>
      </nav>
      {tab === 'vault' ? (
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
                <p>
                  {NEXT_STEPS[intern.status] ?? 'Nothing more will be said here.'}
                  {intern.status === 'failed' && intern.last_failure_message && ` ${intern.last_failure_message}.`}
                  {intern.progress && model.clock.value?.mode !== 'real' && ' Advance the clock to go on.'}
                </p>
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
