import { useState } from 'preact/hooks';
import { deleteIntern } from '../actions.js';
import type { Intern } from '../types.js';
import { useServices } from '../ui/context.js';
import { Dialog } from '../ui/dialog.js';
import { Check, Form } from '../ui/field.js';

/** Deletes an intern. If its archive failed, only the acknowledgement that its workspace is lost deletes it. */
export function DeleteDialog({ intern, onClose }: { intern: Intern; onClose: () => void }) {
  const { model } = useServices();
  const failed = intern.status === 'destroy_failed';
  const [acknowledged, setAcknowledged] = useState(false);
  const submit = async () => {
    if (await model.attempt(() => deleteIntern(model, intern, acknowledged), `${intern.name} is being deleted`))
      onClose();
  };
  return (
    <Dialog title={`Delete ${intern.name}?`} onClose={onClose}>
      <Form submit="Delete" tone="danger" onCancel={onClose} onSubmit={submit}>
        <p>Its runs end, then its runtime, its disk and its private vault are taken down.</p>
        {failed && <p class="callout bad">{intern.last_failure_message ?? 'The last teardown failed.'}</p>}
        <Check
          label="Delete it even if its workspace cannot be archived (acknowledge_workspace_loss)"
          checked={acknowledged}
          onChange={setAcknowledged}
        />
      </Form>
    </Dialog>
  );
}
