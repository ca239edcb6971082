import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useServices } from './context.js';
import { Icon, type IconName } from './icons.js';

interface ButtonProps {
  children?: ComponentChildren;
  icon?: IconName | undefined;
  /** Needed if there is an icon alone. */
  label?: string | undefined;
  tone?: 'primary' | 'plain' | 'danger' | 'ghost' | undefined;
  small?: boolean;
  type?: 'button' | 'submit';
  disabled?: boolean | undefined;
  /** Why it is disabled. */
  why?: string;
  pressed?: boolean;
  expanded?: boolean;
  onClick?: () => unknown;
}

export const Button = ({ children, icon, label, tone = 'plain', small, type = 'button', ...rest }: ButtonProps) => (
  <button
    type={type}
    class={`button ${tone}${small ? ' small' : ''}${children === undefined ? ' square' : ''}`}
    disabled={rest.disabled}
    aria-label={label}
    title={rest.why ?? (children === undefined ? label : undefined)}
    aria-pressed={rest.pressed}
    aria-expanded={rest.expanded}
    onClick={() => void rest.onClick?.()}
  >
    {icon && <Icon name={icon} size={small ? 15 : 17} />}
    {children}
  </button>
);

/** The clipboard, with a fallback for a page that is not a secure context and gets none from the browser. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

/** Its label, or the words on it, say what is copied. */
export function CopyButton({ text, children, label }: Pick<ButtonProps, 'children' | 'label'> & { text: string }) {
  const { model } = useServices();
  const [copied, setCopied] = useState(false);
  const onClick = () => {
    copy(text).then(
      () => {
        setCopied(true);
        setTimeout(() => setCopied(false), 1_500);
      },
      () => model.notify('error', 'The browser did not allow copying'),
    );
  };
  return (
    <Button
      small
      tone={children === undefined ? 'ghost' : 'plain'}
      icon={copied ? 'check' : 'copy'}
      label={label}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}
