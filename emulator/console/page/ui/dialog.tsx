import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button.js';
import { Form, type FormProps } from './field.js';

interface FormDialogProps extends Pick<FormProps, 'submit' | 'tone' | 'onSubmit' | 'children'> {
  title: string;
  onClose: () => void;
}

/**
 * A form as a modal dialog: the browser's own, which keeps the focus inside and closes on Escape. It closes once the form was
 * sent, unless that throws or answers false.
 */
export function FormDialog({ title, onClose, onSubmit, tone = 'primary', ...form }: FormDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // Closing returns the focus to the element that opened it; removing the element alone would not.
    return () => current?.close();
  }, []);
  const send = async () => {
    if ((await onSubmit()) !== false) onClose();
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={onClose}>
      <header class="row between">
        <h2 class="title" id={id}>
          {title}
        </h2>
        <Button icon="close" label="Close" tone="ghost" onClick={onClose} />
      </header>
      <Form {...form} tone={tone} onCancel={onClose} onSubmit={send} />
    </dialog>
  );
}
