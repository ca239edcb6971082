import { useState } from 'preact/hooks';
import { createIntern, type NewIntern } from '../actions.js';
import type { Intern } from '../types.js';
import { useServices } from '../ui/context.js';
import { Dialog } from '../ui/dialog.js';
import { Check, Form, Input, Select } from '../ui/field.js';
import { workspacesOf } from '../workspaces.js';

interface CreateDialogProps {
  onClose: () => void;
  onCreated: (intern: Intern) => void;
}

/** Asks for the fields of a create, and creates. */
export function CreateDialog({ onClose, onCreated }: CreateDialogProps) {
  const { model } = useServices();
  const target = model.target.value;
  const [form, setForm] = useState<NewIntern>({
    name: '',
    workspace_id: undefined,
    description: '',
    instructions: '',
    provision: true,
  });
  const set = (change: Partial<NewIntern>) => setForm({ ...form, ...change });
  const submit = async () => onCreated(await createIntern(model, form));
  return (
    <Dialog title="New intern" onClose={onClose}>
      <Form submit="Create" tone="primary" onCancel={onClose} onSubmit={submit}>
        <Input
          label="Name"
          required
          hint="Lower-case words joined by hyphens, 2 to 17 characters"
          value={form.name}
          onInput={(name) => set({ name })}
        />
        {target?.foreign_workspace_id && (
          <Select
            label="Workspace"
            value={form.workspace_id ?? target.workspace_id}
            options={workspacesOf(target)}
            onChange={(workspace_id) => set({ workspace_id })}
          />
        )}
        <Input label="Description" value={form.description} onInput={(description) => set({ description })} />
        <Input
          label="Instructions"
          hint="A first line such as “script: slow” chooses its script"
          rows={3}
          value={form.instructions}
          onInput={(instructions) => set({ instructions })}
        />
        <Check label="Provision it at once" checked={form.provision} onChange={(provision) => set({ provision })} />
      </Form>
    </Dialog>
  );
}
