import type { ComponentChildren, JSX, Ref } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { errorText } from '../api.js';
import { Button } from './button.js';
import type { IconName } from './icons.js';

interface Ids {
  id: string;
  'aria-describedby': string | undefined;
}

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  /** Marked as such; the control itself has `required`. */
  required?: boolean | undefined;
  /** Stands in a line of text: its label before it, or read to those alone who do not see the page. */
  inline?: 'labelled' | 'unlabelled' | undefined;
  /** The control, given the id that its label points to and that of its hint. */
  children: (ids: Ids) => JSX.Element;
}

export function Field({ label, hint, required, inline, children }: FieldProps) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class={inline === undefined ? 'stack field' : 'row quiet small inline-select'}>
      <label for={id} class={inline === 'unlabelled' ? 'unseen' : undefined}>
        {label}
        {required && (
          <span class="required" title="required">
            *<span class="unseen"> required</span>
          </span>
        )}
      </label>
      {children({ id, 'aria-describedby': hintId })}
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface InputProps extends Pick<FieldProps, 'label' | 'hint' | 'required'> {
  /** Undefined for one that keeps its own value, which `area` leads to. */
  value?: string;
  onChange?: (value: string) => void;
  type?: 'text' | 'search' | 'number' | 'password';
  min?: number;
  max?: number;
  step?: number | 'any';
  placeholder?: string;
  class?: string;
  /** Of a text with several lines. */
  rows?: number;
  area?: Ref<HTMLTextAreaElement>;
}

export function Input({ label, hint, type = 'text', onChange, rows, area, ...rest }: InputProps) {
  const shared = {
    ...rest,
    autocomplete: 'off',
    onInput: (event: { currentTarget: { value: string } }) => onChange?.(event.currentTarget.value),
  } as const;
  return (
    <Field label={label} hint={hint} required={rest.required}>
      {(ids) =>
        rows === undefined ? (
          <input {...ids} {...shared} type={type as 'text'} />
        ) : (
          <textarea {...ids} {...shared} rows={rows} spellcheck={false} ref={area ?? null} />
        )
      }
    </Field>
  );
}

interface FileFieldProps extends Pick<FieldProps, 'label' | 'hint'> {
  /** Takes the file that was chosen; an error is shown below. */
  read: (file: File) => Promise<void>;
  /** A file may be dropped anywhere in the page, too. */
  droppable?: boolean;
}

export function FileField({ label, hint, read, droppable = false }: FileFieldProps) {
  const [problem, setProblem] = useState('');
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    setProblem('');
    await read(file).catch((error) =>
      setProblem(`${file.name}${error instanceof SyntaxError ? ' is not JSON' : ''}: ${errorText(error)}`),
    );
  };
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    if (!droppable) return undefined;
    const over = new AbortController();
    // A file that is dropped would otherwise take the place of the page.
    document.addEventListener('dragover', (event) => event.preventDefault(), over);
    const drop = (event: DragEvent) => {
      event.preventDefault();
      void latest.current(event.dataTransfer?.files[0]);
    };
    document.addEventListener('drop', drop, over);
    return () => over.abort();
  }, [droppable]);
  const choose = async ({ currentTarget: box }: { currentTarget: HTMLInputElement }) => {
    await take(box.files?.[0]);
    box.value = '';
  };
  return (
    <>
      <Field label={label} hint={hint}>
        {(ids) => (
          <input {...ids} type="file" accept="application/json,.json" onInput={(event) => void choose(event)} />
        )}
      </Field>
      {problem !== '' && <p role="alert">{problem}</p>}
    </>
  );
}

/** A value, and the text that stands for it if that is another. */
export type Option<Value extends string = string> = Value | readonly [value: Value, text: string];

interface SelectProps<Value extends string> extends Omit<FieldProps, 'children'> {
  value: Value;
  options: readonly Option<Value>[];
  onChange: (value: Value) => void;
  disabled?: boolean;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { value, options, onChange, disabled, ...field } = props;
  return (
    <Field {...field}>
      {(ids) => (
        <select
          {...ids}
          required={field.required}
          disabled={disabled}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value as Value)}
        >
          {options.map((option) => {
            const [of, text] = typeof option === 'string' ? [option, option] : option;
            return (
              <option key={of} value={of}>
                {text}
              </option>
            );
          })}
        </select>
      )}
    </Field>
  );
}

interface CheckProps {
  label: ComponentChildren;
  value: boolean;
  onChange: (value: boolean) => void;
}

export const Check = ({ label, value, onChange }: CheckProps) => (
  <label class="row top check">
    <input type="checkbox" checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />
    <span>{label}</span>
  </label>
);

export interface FormProps {
  /** Its name for screen readers; without it, its title. */
  label?: string;
  title?: string;
  note?: ComponentChildren;
  panel?: boolean;
  /** The words of the button that sends it. */
  submit: string;
  icon?: IconName;
  tone?: 'primary' | 'plain' | 'danger';
  disabled?: boolean;
  onCancel?: () => void;
  /** An error that it throws is shown above the button. */
  onSubmit: () => unknown;
  children?: ComponentChildren;
}

export function Form(props: FormProps) {
  const { label, title, note, panel, submit, icon, tone, disabled, onCancel, onSubmit, children } = props;
  const [problem, setProblem] = useState('');
  const send = async (event: Event) => {
    event.preventDefault();
    setProblem('');
    try {
      await onSubmit();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  return (
    <form
      class={panel ? 'panel stack' : 'stack'}
      aria-label={label ?? title}
      autocomplete="off"
      onSubmit={(event) => void send(event)}
    >
      {title !== undefined && <h2>{title}</h2>}
      {note !== undefined && <p class="quiet">{note}</p>}
      {children}
      {problem !== '' && <p role="alert">{problem}</p>}
      <div class="row end">
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" {...{ icon, tone, disabled }}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
