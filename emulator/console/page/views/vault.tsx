import { useState } from 'preact/hooks';
import { keyFor } from '../actions.js';
import type { Intern } from '../types.js';
import { useServices } from '../ui/context.js';
import { Select } from '../ui/field.js';
import { Page } from '../ui/parts.js';
import { workspacesOf } from '../workspaces.js';
import { Secrets, type Vault } from './secrets.js';

const ofWorkspace = (workspace_id: string, name: string): Vault => ({
  path: '/vault/secrets',
  of: name,
  key: (model) => keyFor(model, { id: '', workspace_id }),
});

/** The vault of an intern. It is filled from that of its workspace, where the page has a key of somebody there. */
export function InternVault({ intern }: { intern: Intern }) {
  const { model } = useServices();
  const target = model.target.value;
  const vault: Vault = {
    path: `/vault/interns/${intern.id}/secrets`,
    of: intern.name,
    key: (of) => keyFor(of, intern),
  };
  const known = [target?.workspace_id, target?.foreign_workspace_id].includes(intern.workspace_id);
  const from = known ? ofWorkspace(intern.workspace_id, `the workspace of ${intern.name}`) : undefined;
  return (
    <section class="stack fill padded" aria-label={`Vault of ${intern.name}`}>
      <p class="quiet">
        Values go in and never come out. A script asks for one with a step <code>release</code>.
      </p>
      <Secrets vault={vault} from={from} state={intern.status} />
    </section>
  );
}

export function VaultView() {
  const { model } = useServices();
  const target = model.target.value;
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  if (!target) return null;
  const workspace = chosen ?? target.workspace_id;
  const name = workspace === target.workspace_id ? 'the first workspace' : 'the other workspace';
  return (
    <Page
      title="Vault"
      sub="Secrets of a workspace: what its interns can be given. Values go in and never come out."
      action={
        target.foreign_workspace_id && (
          <Select
            inline="labelled"
            label="Workspace"
            value={workspace}
            options={workspacesOf(target)}
            onChange={setChosen}
          />
        )
      }
    >
      <Secrets key={workspace} vault={ofWorkspace(workspace, name)} />
    </Page>
  );
}
