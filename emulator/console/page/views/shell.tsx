import { useEffect, useState } from 'preact/hooks';
import type { Connection, Model } from '../model.js';
import { linkTo, type Place } from '../router.js';
import { Button, CopyButton } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Field } from '../ui/field.js';
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

const NAVIGATION: readonly { view: Place['view']; name: string; icon: IconName }[] = [
  { view: 'interns', name: 'Interns', icon: 'interns' },
  { view: 'requests', name: 'Requests', icon: 'requests' },
  { view: 'faults', name: 'Faults', icon: 'faults' },
  { view: 'scripts', name: 'Scripts', icon: 'scripts' },
  { view: 'proofs', name: 'Proofs', icon: 'proofs' },
  { view: 'vault', name: 'Vault', icon: 'key' },
  { view: 'state', name: 'State', icon: 'state' },
  { view: 'lab', name: 'Lab', icon: 'lab' },
  { view: 'explore', name: 'Explore', icon: 'explore' },
];

const VIEWS: Readonly<Record<Place['view'], (props: { id: string | undefined }) => preact.JSX.Element>> = {
  interns: InternsView,
  requests: RequestsView,
  faults: FaultsView,
  scripts: ScriptsView,
  proofs: ProofsView,
  vault: VaultView,
  state: StateView,
  lab: LabView,
  explore: ExploreView,
  requirements: RequirementsView,
};

const CONNECTIONS: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Reconnecting…',
  token: 'Needs a token',
  refused: 'Refused',
};

/** How many runs wait for an answer. */
const waitingIn = (model: Model): number =>
  [...model.runs.value.values()].filter((run) => run.status === 'waiting').length;

function Navigation() {
  const { model, router } = useServices();
  const current = router.place.value.view;
  const waiting = waitingIn(model);
  const counts: Partial<Record<Place['view'], number>> = { interns: waiting, faults: model.faults.value.length };
  return (
    <nav aria-label="Views">
      {NAVIGATION.map(({ view, name, icon }) => {
        const count = counts[view] ?? 0;
        const what = view === 'interns' ? 'waiting for an answer' : 'still to come';
        return (
          <a key={view} href={linkTo(view)} aria-current={current === view ? 'page' : undefined}>
            <Icon name={icon} />
            <span>{name}</span>
            {count > 0 && (
              <span class="badge">
                {count}
                <span class="unseen"> {what}</span>
              </span>
            )}
          </a>
        );
      })}
    </nav>
  );
}

function SideFoot() {
  const { model } = useServices();
  const target = model.target.value;
  const connection = model.connection.value;
  return (
    <div class="side-foot">
      {target && (
        <div class="address">
          <span class="mono">{target.base_url}</span>
          <CopyButton text={target.base_url} label="Copy the base URL" />
        </div>
      )}
      <p class={`connection ${connection}`} role="status">
        <span class="dot" aria-hidden="true" />
        {CONNECTIONS[connection]}
        {model.version.value !== '' && <span class="version">v{model.version.value}</span>}
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
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault();
          model.useToken(token.trim());
        }}
      >
        <Icon name="key" size={28} />
        <h1>Control token</h1>
        <p>
          This emulator was started with <code>--control-token</code>. The page keeps the token until this tab is
          closed.
        </p>
        {model.tokenTried.value && <p role="alert">{model.refusal.value}</p>}
        <Field label="Token">
          {(ids) => (
            <input
              {...ids}
              type="password"
              autocomplete="off"
              required
              value={token}
              onInput={(event) => setToken(event.currentTarget.value)}
            />
          )}
        </Field>
        <Button type="submit" tone="primary">
          Continue
        </Button>
      </form>
    </main>
  );
}

function Refused() {
  const { model } = useServices();
  return (
    <main class="gate">
      <div class="panel">
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
    <div class="notices" role="log" aria-live="polite" aria-label="Notices">
      {model.notices.value.map((notice) => (
        <div key={notice.id} class={`notice ${notice.tone}`}>
          <Icon name={notice.tone === 'done' ? 'check' : 'warn'} />
          <span>{notice.text}</span>
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
  const name = NAVIGATION.find((each) => each.view === view)?.name ?? 'Requirements';
  const shown = (id !== undefined && view === 'interns' && model.interns.value.get(id)?.name) || name;
  const waiting = waitingIn(model);
  const title = `${waiting > 0 ? `(${waiting}) ` : ''}${shown} · Intern emulator`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** The page: the views on the left, the clock above, one view. */
export function Shell() {
  const { model, router } = useServices();
  const { view, id } = router.place.value;
  const connection = model.connection.value;
  useTitle();
  if (connection === 'token') return <TokenForm />;
  if (connection === 'refused') return <Refused />;
  const View = VIEWS[view];
  const name = NAVIGATION.find((each) => each.view === view)?.name ?? 'Requirements';
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
      <header class="side">
        <a class="brand" href={linkTo('interns')}>
          <img src="console/icon.svg" alt="" width="26" height="26" />
          <span>Intern emulator</span>
        </a>
        <Navigation />
        <SideFoot />
      </header>
      <div class="main">
        <ClockBar />
        {connection === 'lost' && (
          <p class="lost" role="alert">
            The emulator does not answer. Trying again…
          </p>
        )}
        <main id="view" tabIndex={-1} class={`view view-${view}`}>
          <h1 class="unseen">{name}</h1>
          <View id={id} />
        </main>
      </div>
      <Notices />
    </div>
  );
}
