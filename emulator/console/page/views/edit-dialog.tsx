import { useState } from 'preact/hooks';
import { updateIntern } from '../actions.js';
import { words } from '../format.js';
import type { Intern } from '../types.js';
import { useServices } from '../ui/context.js';
import { Dialog } from '../ui/dialog.js';
import { Form, Input } from '../ui/field.js';

const KEYS = ['name', 'description', 'instructions', 'model'] as const;
const HINTS: Readonly<Partial<Record<(typeof KEYS)[number], string>>> = {
  name: 'Lower-case words joined by hyphens, 2 to 17 characters',
  instructions: 'Counts from the next boot. A first line such as “script: slow” chooses its script',
  model: 'author/model, or script/NAME. Counts from the next boot',
};

/** Changes the settings of an intern. Only what was changed is sent. */
export function EditDialog({ intern, onClose }: { intern: Intern; onClose: () => void }) {
  const { model } = useServices();
  const [form, setForm] = useState(() => Object.fromEntries(KEYS.map((key) => [key, intern[key] ?? ''])));
  const submit = async () => {
    const changed = KEYS.filter((key) => form[key] !== (intern[key] ?? ''));
    const change = Object.fromEntries(changed.map((key) => [key, form[key] === '' ? null : form[key]]));
    if (changed.length > 0) await updateIntern(model, intern, change);
    onClose();
  };
  return (
    <Dialog title={`Edit ${intern.name}`} onClose={onClose}>
      <Form submit="Save" tone="primary" onCancel={onClose} onSubmit={submit}>
        {KEYS.map((key) => (
          <Input
            key={key}
            label={words(key)}
            hint={HINTS[key]}
            required={key === 'name'}
            value={form[key] ?? ''}
            onInput={(value) => setForm({ ...form, [key]: value })}
            {...(key === 'instructions' ? { rows: 3 } : {})}
          />
        ))}
      </Form>
    </Dialog>
  );
}
