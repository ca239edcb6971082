import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button.js';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A modal dialog: the browser's own, which keeps the focus inside and closes on Escape. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // Closing returns the focus to the element that opened it; removing the element alone would not.
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={onClose}>
      <header class="row between">
        <h2 class="title" id={id}>
          {title}
        </h2>
        <Button icon="close" label="Close" tone="ghost" onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}
