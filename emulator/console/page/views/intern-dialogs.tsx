import { useState } from 'preact/hooks';
import { createIntern, deleteIntern, type NewIntern, updateIntern } from '../actions.js';
import { words } from '../format.js';
import type { Intern } from '../types.js';
import { useServices } from '../ui/context.js';
import { FormDialog } from '../ui/dialog.js';
import { Check, Input, Select } from '../ui/field.js';
import { useForm } from '../ui/use-form.js';
import { workspacesOf } from '../workspaces.js';

interface DialogProps {
  intern: Intern;
  onClose: () => void;
}

const NAME = 'Lower-case words joined by hyphens, 2 to 17 characters';

export function CreateDialog({ onClose }: Pick<DialogProps, 'onClose'>) {
  const { model, router } = useServices();
  const target = model.target.value;
  const { values, set, field } = useForm<NewIntern>({
    name: '',
    workspace_id: undefined,
    description: '',
    instructions: '',
    provision: true,
  });
  const submit = async () => router.go('interns', (await createIntern(model, values)).id);
  return (
    <FormDialog title="New intern" submit="Create" onClose={onClose} onSubmit={submit}>
      <Input label="Name" required hint={NAME} {...field('name')} />
      {target?.foreign_workspace_id && (
        <Select
          label="Workspace"
          value={values.workspace_id ?? target.workspace_id}
          options={workspacesOf(target)}
          onChange={(workspace_id) => set({ workspace_id })}
        />
      )}
      <Input label="Description" {...field('description')} />
      <Input
        label="Instructions"
        hint="A first line such as “script: slow” chooses its script"
        rows={3}
        {...field('instructions')}
      />
      <Check label="Provision it at once" {...field('provision')} />
    </FormDialog>
  );
}

const KEYS = ['name', 'description', 'instructions', 'model'] as const;
const HINTS: Readonly<Partial<Record<(typeof KEYS)[number], string>>> = {
  name: NAME,
  instructions: 'Counts from the next boot. A first line such as “script: slow” chooses its script',
  model: 'author/model, or script/NAME. Counts from the next boot',
};

/** Changes the settings of an intern. Only what was changed is sent. */
export function EditDialog({ intern, onClose }: DialogProps) {
  const { model } = useServices();
  const { values, field } = useForm(() => {
    const { name, description, instructions, model } = intern;
    return { name, description: description ?? '', instructions: instructions ?? '', model: model ?? '' };
  });
  const submit = async () => {
    const changed = KEYS.filter((key) => values[key] !== (intern[key] ?? ''));
    const change = Object.fromEntries(changed.map((key) => [key, values[key] === '' ? null : values[key]]));
    if (changed.length > 0) await updateIntern(model, intern, change);
  };
  return (
    <FormDialog title={`Edit ${intern.name}`} submit="Save" onClose={onClose} onSubmit={submit}>
      {KEYS.map((key) => (
        <Input
          key={key}
          label={words(key)}
          hint={HINTS[key]}
          required={key === 'name'}
          {...field(key)}
          {...(key === 'instructions' ? { rows: 3 } : {})}
        />
      ))}
    </FormDialog>
  );
}

/** Deletes an intern. If its archive failed, only the acknowledgement that its workspace is lost deletes it. */
export function DeleteDialog({ intern, onClose }: DialogProps) {
  const { model } = useServices();
  const [acknowledged, setAcknowledged] = useState(false);
  const submit = () =>
    model.attempt(() => deleteIntern(model, intern, acknowledged), `${intern.name} is being deleted`);
  return (
    <FormDialog title={`Delete ${intern.name}?`} submit="Delete" tone="danger" onClose={onClose} onSubmit={submit}>
      <p>Its runs end, then its runtime, its disk and its private vault are taken down.</p>
      {intern.status === 'destroy_failed' && (
        <p class="callout bad">{intern.last_failure_message ?? 'The last teardown failed.'}</p>
      )}
      <Check
        label="Delete it even if its workspace cannot be archived (acknowledge_workspace_loss)"
        value={acknowledged}
        onChange={setAcknowledged}
      />
    </FormDialog>
  );
}
