import { useState } from 'preact/hooks';
import { updateIntern } from '../actions.js';
import type { Intern } from '../types.js';
import { Button } from '../ui/button.js';
import { useServices } from '../ui/context.js';
import { Dialog } from '../ui/dialog.js';
import { Field } from '../ui/field.js';

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
  const [problem, setProblem] = useState('');
  const submit = async (event: Event) => {
    event.preventDefault();
    const changed = KEYS.filter((key) => form[key] !== (intern[key] ?? ''));
    const change = Object.fromEntries(changed.map((key) => [key, form[key] === '' ? null : form[key]]));
    try {
      if (changed.length > 0) await updateIntern(model, intern, change);
      onClose();
    } catch (error) {
      const { detail, message } = error as Error & { detail?: string };
      setProblem(detail ? `${message}: ${detail}` : message);
    }
  };
  return (
    <Dialog title={`Edit ${intern.name}`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {KEYS.map((key) => (
          <Field
            key={key}
            label={`${key[0]?.toUpperCase()}${key.slice(1)}`}
            required={key === 'name'}
            {...(HINTS[key] === undefined ? {} : { hint: HINTS[key] })}
          >
            {(ids) =>
              key === 'instructions' ? (
                <textarea
                  {...ids}
                  rows={3}
                  value={form[key]}
                  onInput={(event) => setForm({ ...form, [key]: event.currentTarget.value })}
                />
              ) : (
                <input
                  {...ids}
                  required={key === 'name'}
                  autocomplete="off"
                  value={form[key]}
                  onInput={(event) => setForm({ ...form, [key]: event.currentTarget.value })}
                />
              )
            }
          </Field>
        ))}
        {problem !== '' && <p role="alert">{problem}</p>}
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary">
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
