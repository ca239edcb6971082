import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Connection, Model } from '../model.js';
import { linkTo, type Place } from '../router.js';
import { Button, CopyButton } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Form, Input } from '../ui/field.js';
import { Icon, type IconName } from '../ui/icons.js';
import { ClockBar } from './clock-bar.js';
import { ExploreView } from './explore.js';
import { FaultsView } from './faults.js';
import { InternsView } from './interns.js';
import { LabView } from './lab.js';
import { ProofsView } from './proofs.js';
import { RequestsView } from './requests.js';
import { RequirementsView } from './requirements.js';
import { ScriptsView } from './scripts.js';
import { StateView } from './state.js';
import { VaultView } from './vault.js';

interface Listed {
  name: string;
  page: (props: { id: string | undefined }) => preact.JSX.Element | null;
  /** Of a view in the navigation. The others are found under State. */
  icon?: IconName;
}

const VIEWS: Readonly<Record<Place['view'], Listed>> = {
  interns: { name: 'Interns', icon: 'interns', page: InternsView },
  requests: { name: 'Requests', icon: 'requests', page: RequestsView },
  scripts: { name: 'Scripts', icon: 'scripts', page: ScriptsView },
  state: { name: 'State', icon: 'state', page: StateView },
  lab: { name: 'Lab', icon: 'lab', page: LabView },
  explore: { name: 'Explore', icon: 'explore', page: ExploreView },
  faults: { name: 'Faults', page: FaultsView },
  vault: { name: 'Vault', page: VaultView },
  proofs: { name: 'Proofs', page: ProofsView },
  requirements: { name: 'Requirements', page: RequirementsView },
};
/** The parts of the state, each a view of its own. */
const OF_STATE = ['state', 'faults', 'vault', 'proofs'] as const;
const isOfState = (view: Place['view']): boolean => OF_STATE.some((each) => each === view);

const CONNECTIONS: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Reconnecting…',
  token: 'Needs a token',
  refused: 'Refused',
};

const DOTS: Readonly<Partial<Record<Connection, string>>> = { live: 'good', lost: 'bad' };

const waitingIn = (model: Model): number =>
  [...model.runs.value.values()].filter((run) => run.status === 'waiting').length;

interface ViewLinkProps extends Pick<Listed, 'name' | 'icon'> {
  view: Place['view'];
  current: boolean;
  /** How much there waits for the user, and its name. */
  waits?: readonly [count: number, what: string] | undefined;
}

const ViewLink = ({ view, name, icon, current, waits: [count, what] = [0, ''] }: ViewLinkProps) => (
  <a class="link" href={linkTo(view)} aria-current={current ? 'page' : undefined}>
    {icon && <Icon name={icon} />}
    <span>{name}</span>
    {count > 0 && (
      <span class="badge away">
        {count}
        <span class="unseen"> {what}</span>
      </span>
    )}
  </a>
);

function Navigation() {
  const { model, router } = useServices();
  const { view: current } = router.place.value;
  const waits: Partial<Record<string, [number, string]>> = {
    interns: [waitingIn(model), 'waiting for an answer'],
    state: [model.faults.value.length, 'faults still to come'],
  };
  return (
    <nav class="stack" aria-label="Views">
      {Object.entries(VIEWS).map(([name, { page: _, ...listed }]) => {
        const view = name as Place['view'];
        const isCurrent = current === view || (view === 'state' && isOfState(current));
        return listed.icon && <ViewLink key={view} {...listed} {...{ view, waits: waits[view] }} current={isCurrent} />;
      })}
    </nav>
  );
}

function StateTabs() {
  const { model, router } = useServices();
  return (
    <nav class="row bar" aria-label="Of the state">
      {OF_STATE.map((view) => (
        <ViewLink
          key={view}
          view={view}
          name={view === 'state' ? 'Whole' : VIEWS[view].name}
          current={router.place.value.view === view}
          waits={view === 'faults' ? [model.faults.value.length, 'still to come'] : undefined}
        />
      ))}
    </nav>
  );
}

/** An address that may be broken at its slashes, and nowhere else. */
const Address = ({ url }: { url: string }) => (
  <span class="mono">
    {url.split(/(?<=[^/:]\/)/).map((part, index) => (
      <Fragment key={index}>
        {part}
        <wbr />
      </Fragment>
    ))}
  </span>
);

function SideFoot() {
  const { model } = useServices();
  const target = model.target.value;
  const connection = model.connection.value;
  return (
    <div class="stack close on-wide side-foot">
      {target && (
        <div class="row between address">
          <Address url={target.base_url} />
          <CopyButton text={target.base_url} label="Copy the base URL" />
        </div>
      )}
      <p class="row quiet" role="status">
        <span class={`dot ${DOTS[connection] ?? ''}`} aria-hidden="true" />
        {CONNECTIONS[connection]}
        {model.version.value !== '' && <span class="away">v{model.version.value}</span>}
      </p>
    </div>
  );
}

/** If the emulator has a control token, the page asks for it. It is kept for this tab, and sent as a header only. */
function TokenForm() {
  const { model } = useServices();
  const [token, setToken] = useState('');
  return (
    <main class="gate">
      <Form panel submit="Continue" tone="primary" onSubmit={() => model.useToken(token.trim())}>
        <Icon name="key" size={28} />
        <h1>Control token</h1>
        <p>
          This emulator was started with <code>--control-token</code>. The page keeps the token until this tab is
          closed.
        </p>
        {model.tokenTried.value && <p role="alert">{model.refusal.value}</p>}
        <Input label="Token" type="password" required value={token} onChange={setToken} />
      </Form>
    </main>
  );
}

function Refused() {
  const { model } = useServices();
  return (
    <main class="gate">
      <div class="panel stack">
        <Icon name="warn" size={28} />
        <h1>The emulator refused this page</h1>
        <p role="alert">{model.refusal.value}</p>
        <p>Open it under a loopback name, such as http://127.0.0.1 with the emulator’s port.</p>
      </div>
    </main>
  );
}

function Notices() {
  const { model } = useServices();
  return (
    <div class="stack close notices" role="log" aria-live="polite" aria-label="Notices">
      {model.notices.value.map((notice) => (
        <div key={notice.id} class={`row card notice ${notice.tone === 'error' ? 'error bad' : 'good'}`}>
          <Icon name={notice.tone === 'done' ? 'check' : 'warn'} />
          <span class="grow">{notice.text}</span>
          <Button small tone="ghost" icon="close" label="Dismiss" onClick={() => model.dismiss(notice.id)} />
        </div>
      ))}
    </div>
  );
}

/** Names the tab after what it shows, with the number of waiting questions. */
function useTitle() {
  const { model, router } = useServices();
  const { view, id } = router.place.value;
  const shown = (id !== undefined && view === 'interns' && model.interns.value.get(id)?.name) || VIEWS[view].name;
  const waiting = waitingIn(model);
  const title = `${waiting > 0 ? `(${waiting}) ` : ''}${shown} · Intern emulator`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}

export function Shell() {
  const { model, router } = useServices();
  const { view, id } = router.place.value;
  const connection = model.connection.value;
  useTitle();
  if (connection === 'token') return <TokenForm />;
  if (connection === 'refused') return <Refused />;
  const { name, page: View } = VIEWS[view];
  return (
    <div class="shell">
      {/* biome-ignore lint/a11y/useValidAnchor: it moves the focus, and must not change the place in the page */}
      <a
        class="skip"
        href="#view"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('view')?.focus();
        }}
      >
        Skip to content
      </a>
      <header class="stack side">
        <a class="row on-wide brand" href={linkTo('interns')}>
          <img src="console/icon.svg" alt="" width="26" height="26" />
          <span>Intern emulator</span>
        </a>
        <Navigation />
        <SideFoot />
      </header>
      <div class="stack flush">
        <ClockBar />
        {connection === 'lost' && <p role="alert">The emulator does not answer. Trying again…</p>}
        <main id="view" tabIndex={-1} class="fill">
          <h1 class="unseen">{name}</h1>
          {isOfState(view) && <StateTabs />}
          <View id={id} />
        </main>
      </div>
      <Notices />
    </div>
  );
}
