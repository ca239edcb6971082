import type { ComponentChildren, JSX, Ref } from 'preact';
import { useId, useState } from 'preact/hooks';
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
  /** The control, given the id that its label points to and that of its hint. */
  children: (ids: Ids) => JSX.Element;
}

/** A control with its label above and a hint below. */
export function Field({ label, hint, required, children }: FieldProps) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="stack field">
      <label for={id}>
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
  /** Undefined for one that keeps its own value, which `box` or `area` leads to. */
  value?: string;
  onInput?: (value: string) => void;
  type?: 'text' | 'search' | 'number' | 'password' | 'file';
  min?: number;
  max?: number;
  step?: number | 'any';
  placeholder?: string;
  class?: string;
  accept?: string;
  box?: Ref<HTMLInputElement>;
  /** Of a text with several lines. */
  rows?: number;
  area?: Ref<HTMLTextAreaElement>;
}

/** A field of text, a number, or a file. */
export function Input({ label, hint, type = 'text', onInput, rows, box, area, ...rest }: InputProps) {
  const shared = {
    ...rest,
    autocomplete: 'off',
    onInput: (event: { currentTarget: { value: string } }) => onInput?.(event.currentTarget.value),
  } as const;
  return (
    <Field label={label} hint={hint} required={rest.required}>
      {(ids) =>
        rows === undefined ? (
          <input {...ids} {...shared} type={type as 'text'} {...(box === undefined ? {} : { ref: box })} />
        ) : (
          <textarea
            {...ids}
            {...shared}
            rows={rows}
            spellcheck={false}
            {...(area === undefined ? {} : { ref: area })}
          />
        )
      }
    </Field>
  );
}

/** A value, and the text that stands for it if that is another. */
export type Option = string | readonly [value: string, text: string];

export const Options = ({ of }: { of: readonly Option[] }) => (
  <>
    {of.map((option) => {
      const [value, text] = typeof option === 'string' ? [option, option] : option;
      return (
        <option key={value} value={value}>
          {text}
        </option>
      );
    })}
  </>
);

interface SelectProps extends Pick<FieldProps, 'label' | 'hint'> {
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
  required?: boolean | undefined;
}

/** A choice of one of several. */
export const Select = ({ label, hint, value, options, onChange, required }: SelectProps) => (
  <Field label={label} hint={hint} required={required}>
    {(ids) => (
      <select {...ids} required={required} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <Options of={options} />
      </select>
    )}
  </Field>
);

interface InlineSelectProps extends Omit<SelectProps, 'hint'> {
  /** The label is read to those who do not see the page, and not shown. */
  unseen?: boolean;
  disabled?: boolean;
}

/** A choice within a line: its label stands beside it. */
export const InlineSelect = ({ label, value, options, onChange, unseen, disabled }: InlineSelectProps) => (
  <label class="row quiet small inline-select">
    <span class={unseen ? 'unseen' : undefined}>{label}</span>
    <select value={value} disabled={disabled} onChange={(event) => onChange(event.currentTarget.value)}>
      <Options of={options} />
    </select>
  </label>
);

interface CheckProps {
  label: ComponentChildren;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export const Check = ({ label, checked, onChange }: CheckProps) => (
  <label class="row top check">
    <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
    <span>{label}</span>
  </label>
);

/** An error in the words of the emulator, with what exactly was wrong. */
export const errorText = (error: unknown): string => {
  const { message, detail } = error as Error & { detail?: string };
  return detail ? `${message}: ${detail}` : (message ?? String(error));
};

interface FormProps {
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

/** Fields, what was wrong with them, and the button that sends them. */
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
