import { useState } from 'preact/hooks';
import { createIntern, type NewIntern } from '../actions.js';
import type { Intern } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Dialog } from '../ui/dialog.js';
import { Check, Field } from '../ui/field.js';

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
  const [problem, setProblem] = useState('');
  const set = (change: Partial<NewIntern>) => setForm({ ...form, ...change });
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      onCreated(await createIntern(model, form));
    } catch (error) {
      const { detail, message } = error as Error & { detail?: string };
      setProblem(detail ? `${message}: ${detail}` : message);
    }
  };
  return (
    <Dialog title="New intern" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <Field label="Name" required hint="Lower-case words joined by hyphens, 2 to 17 characters">
          {(ids) => (
            <input
              {...ids}
              required
              autocomplete="off"
              value={form.name}
              onInput={(event) => set({ name: event.currentTarget.value })}
            />
          )}
        </Field>
        {target?.foreign_workspace_id && (
          <Field label="Workspace">
            {(ids) => (
              <select
                {...ids}
                value={form.workspace_id ?? target.workspace_id}
                onChange={(event) => set({ workspace_id: event.currentTarget.value })}
              >
                <option value={target.workspace_id}>First — {target.workspace_id}</option>
                <option value={target.foreign_workspace_id}>Other — {target.foreign_workspace_id}</option>
              </select>
            )}
          </Field>
        )}
        <Field label="Description">
          {(ids) => (
            <input
              {...ids}
              autocomplete="off"
              value={form.description}
              onInput={(event) => set({ description: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field label="Instructions" hint="A first line such as “script: slow” chooses its script">
          {(ids) => (
            <textarea
              {...ids}
              rows={3}
              value={form.instructions}
              onInput={(event) => set({ instructions: event.currentTarget.value })}
            />
          )}
        </Field>
        <Check label="Provision it at once" checked={form.provision} onChange={(provision) => set({ provision })} />
        {problem !== '' && <p role="alert">{problem}</p>}
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary">
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
