import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  /** Marked as such; the control itself has `required`. */
  required?: boolean;
  /** The control, given the id that its label points to and that of its hint. */
  children: (ids: { id: string; 'aria-describedby': string | undefined }) => JSX.Element;
}

/** A control with its label above and a hint below. */
export function Field({ label, hint, required, children }: FieldProps) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
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

interface SelectProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
}

/** A choice of one of several. */
export const Select = ({ label, value, options, onChange }: SelectProps) => (
  <Field label={label}>
    {(ids) => (
      <select {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
);

interface CheckProps {
  label: ComponentChildren;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export const Check = ({ label, checked, onChange }: CheckProps) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
    <span>{label}</span>
  </label>
);
