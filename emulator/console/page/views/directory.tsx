import { useEffect, useState } from 'preact/hooks';
import { short } from '../format.js';
import type { Model } from '../model.js';
import type { ScimGroup, ScimJob, ScimMapping } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Check, Form, Select } from '../ui/field.js';
import { DeleteButton, Panel, Table } from '../ui/parts.js';
import { useRead } from '../ui/use-read.js';
import { workspacesOf } from '../workspaces.js';

/** A call with the management key, and the `data` of its answer. */
async function call<T>(model: Model, method: string, path: string, body?: unknown): Promise<T> {
  const { management_key } = (await model.knownTarget()).credentials;
  const response = await model.api.call(method, path, management_key, { body });
  return ((await response.json()) as { data: T }).data;
}

function useDirectory() {
  const { model } = useServices();
  const load = async () => {
    const [groups, mappings] = await Promise.all([
      call<readonly ScimGroup[]>(model, 'GET', '/scim/groups?limit=100'),
      call<readonly ScimMapping[]>(model, 'GET', '/scim/group-mappings?limit=100'),
    ]);
    return { groups, mappings };
  };
  return useRead(load, [], {
    changedBy: (one) => one.kind === 'entry' && one.entry.operation === 'scim' && one.entry.request.method !== 'GET',
    tells: true,
  }).value;
}

function MappingRow({ mapping, group }: { mapping: ScimMapping; group: string }) {
  const { model } = useServices();
  const path = `/scim/group-mappings/${mapping.id}`;
  const change = (role: string) => model.attempt(() => call(model, 'PATCH', path, { role }), `${group} is ${role} now`);
  const remove = () =>
    model.attempt(() => call(model, 'DELETE', `${path}?keep_members=true`), 'The mapping is deleted');
  return (
    <tr>
      <th scope="row">{group}</th>
      <td class="mono" title={mapping.workspace_id}>
        {short(mapping.workspace_id)}…
      </td>
      <td>
        <Select
          inline="unlabelled"
          label={`Role of ${group}`}
          value={mapping.role}
          options={['admin', 'member']}
          onChange={change}
        />
      </td>
      <td>
        <DeleteButton label={`Delete the mapping of ${group}`} onClick={remove} />
      </td>
    </tr>
  );
}

function MappingForm({ groups }: { groups: readonly ScimGroup[] }) {
  const { model } = useServices();
  const target = model.target.value;
  const [group, setGroup] = useState('');
  const [workspace, setWorkspace] = useState('');
  if (!target || groups.length === 0) return null;
  const body = {
    scim_group_id: group || groups[0]?.id,
    workspace_id: workspace || target.workspace_id,
    role: 'member',
  };
  const submit = () => model.attempt(() => call(model, 'POST', '/scim/group-mappings', body), 'The group is mapped');
  return (
    <Form label="Map a group" submit="Map as member" onSubmit={submit}>
      <Select
        label="Group"
        value={body.scim_group_id ?? ''}
        options={groups.map(({ id, display_name }) => [id, display_name] as const)}
        onChange={setGroup}
      />
      <Select label="Workspace" value={body.workspace_id} options={workspacesOf(target)} onChange={setWorkspace} />
    </Form>
  );
}

const SENTENCES: Readonly<Record<ScimJob['status'], (job: ScimJob) => string>> = {
  queued: () => 'The sync is queued: it moves along the clock.',
  running: () => 'The sync is running.',
  succeeded: (job) => `The sync succeeded: ${job.synced_groups} groups.`,
  failed: (job) => `The sync failed: ${job.error_message}.`,
};
/** How often a job under way is looked at, in ms. */
const LOOK = 1_000;

function Sync() {
  const { model } = useServices();
  const [job, setJob] = useState<ScimJob | undefined>(undefined);
  const now = model.clock.value?.now;
  const going = job?.status === 'queued' || job?.status === 'running';
  const start = () => model.attempt(async () => setJob(await call<ScimJob>(model, 'POST', '/scim/sync-jobs')));
  useEffect(() => {
    if (!job || !going) return undefined;
    const look = () => call<ScimJob>(model, 'GET', `/scim/sync-jobs/${job.id}`).then(setJob, () => setJob(undefined));
    const timer = setTimeout(() => void look(), LOOK);
    return () => clearTimeout(timer);
  }, [job, now]);
  return (
    <div class="row">
      <Button disabled={going} onClick={start}>
        Sync the directory
      </Button>
      <p role="status">{job && SENTENCES[job.status](job)}</p>
    </div>
  );
}

export function DirectoryPanel() {
  const directory = useDirectory();
  if (!directory) return null;
  const { groups, mappings } = directory;
  const nameOf = (id: string) => groups.find((group) => group.id === id)?.display_name ?? id;
  return (
    <Panel label="Directory" title="Directory (SCIM)">
      {mappings.length === 0 && <p class="quiet">No group is mapped to a workspace.</p>}
      {mappings.length > 0 && (
        <Table deletable label="Group mappings" columns={['Group', 'Workspace', 'Role']}>
          {mappings.map((mapping) => (
            <MappingRow key={mapping.id} mapping={mapping} group={nameOf(mapping.scim_group_id)} />
          ))}
        </Table>
      )}
      <MappingForm groups={groups} />
      <Sync />
    </Panel>
  );
}

interface Settings {
  vault_writes: 'on' | 'off';
  scim_sync: 'succeeds' | 'fails';
}

/** Failures on purpose: writes of vaults are refused, the next sync fails. */
export function Switches() {
  const { model } = useServices();
  const { value: settings, again } = useRead(() => model.api.control<Settings>('GET', 'settings'), [], {
    // A sync spends its failure.
    changedBy: (one) => one.kind === 'entry' && one.entry.operation === 'scim',
    tells: true,
  });
  const put = (change: Partial<Settings>) => void again(() => model.api.control<Settings>('PUT', 'settings', change));
  return (
    <Panel title="Vault writes and sync">
      <Check
        label="Refuse vault writes (503)"
        value={settings?.vault_writes === 'off'}
        onChange={(refused) => put({ vault_writes: refused ? 'off' : 'on' })}
      />
      <Check
        label="The next directory sync fails"
        value={settings?.scim_sync === 'fails'}
        onChange={(fails) => put({ scim_sync: fails ? 'fails' : 'succeeds' })}
      />
    </Panel>
  );
}
