import { useState } from 'preact/hooks';
import { save } from '../save.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Check, FileField, Form, Input } from '../ui/field.js';
import { Facts, Page, Panel } from '../ui/parts.js';
import { DirectoryPanel, Switches } from './directory.js';
import { Snapshots } from './snapshots.js';

function Export() {
  const { model } = useServices();
  const [credentials, setCredentials] = useState(false);
  const download = () =>
    model.attempt(async () => {
      const state = await model.api.control('GET', `state${credentials ? '?credentials=1' : ''}`);
      save('intern-emulator.state.json', `${JSON.stringify(state, null, 2)}\n`);
    }, 'The state is saved');
  return (
    <Panel
      title="Save"
      note="Interns, sessions, scripts put here and keys of retries, as a file that you can check in."
    >
      <Check label="With credentials" value={credentials} onChange={setCredentials} />
      <div class="row end">
        <Button icon="down" onClick={download}>
          Save to a file
        </Button>
      </div>
    </Panel>
  );
}

function Import() {
  const { model } = useServices();
  const restore = async (file: File) => {
    await model.api.control('PUT', 'state', JSON.parse(await file.text()));
    await model.load();
    model.notify('done', `Replaced by ${file.name}`);
  };
  return (
    <Panel title="Replace" note="Replaces everything by a saved state. Open runs end.">
      <FileField label="Saved state" read={restore} />
    </Panel>
  );
}

function Limit() {
  const { model } = useServices();
  const [turns, setTurns] = useState<string | undefined>(undefined);
  const shown = turns ?? String(model.limit.value ?? '');
  const submit = () =>
    model.attempt(async () => {
      await model.api.control('PUT', 'limits', { turns_per_minute: Number(shown) });
      await model.readLimit();
      setTurns(undefined);
    }, 'The limit is set, and what was counted forgotten');
  return (
    <Form panel label="Limit" title="Turn limit" submit="Set" onSubmit={submit}>
      <Input
        label="Turns a minute and caller"
        hint="0 is no limit"
        type="number"
        min={0}
        required
        value={shown}
        onChange={setTurns}
      />
    </Form>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  api_key: 'API key',
  peer_api_key: 'API key of a colleague',
  foreign_api_key: 'API key of another workspace',
  outsider_api_key: 'API key outside the programme',
  management_key: 'Management key',
  foreign_management_key: 'Management key of another organization',
  oauth_token: 'OAuth token',
  oauth_interns_only_token: 'OAuth token, interns only',
  peer_oauth_token: 'OAuth token of a colleague',
};

function Credentials() {
  const { model } = useServices();
  const target = model.target.value;
  if (!target) return null;
  const rows: [string, string][] = [
    ['Base URL', target.base_url],
    ['Daemons', target.daemon_origin],
    ['Workspace', target.workspace_id],
    ...Object.entries(target.credentials).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[NAMES[name] ?? name, value]] : [],
    ),
  ];
  return (
    <Panel title="Connect a client">
      <Facts of={rows} />
    </Panel>
  );
}

export function StateView() {
  return (
    <Page
      title="State"
      sub="What the emulator holds: save it, replace it, restore a snapshot, and connect a client to it."
    >
      <div class="columns">
        <div class="stack">
          <Snapshots />
          <Credentials />
          <Export />
        </div>
        <div class="stack">
          <Import />
          <Limit />
          <Switches />
          <DirectoryPanel />
        </div>
      </div>
    </Page>
  );
}
