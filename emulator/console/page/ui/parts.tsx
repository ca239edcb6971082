import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { atHumanLength } from '../format.js';
import { linkTo, type Place } from '../router.js';
import type { Intern, Status, Verdict } from '../types.js';
import { Button, CopyButton } from './button.js';
import { useServices } from './context.js';
import { Icon, type IconName } from './icons.js';

const TONES: Readonly<Record<Status, 'good' | 'busy' | 'bad' | 'idle'>> = {
  running: 'good',
  queued: 'busy',
  provisioning: 'busy',
  awaiting_slack_install: 'busy',
  destroying: 'busy',
  failed: 'bad',
  destroy_failed: 'bad',
  stopped: 'idle',
};

interface PillProps {
  tone: string;
  /** It may change at any time: while nothing comes from the emulator it is the last known one, and has no tone. */
  live?: boolean;
  children?: ComponentChildren;
}

/** How something stands, in a word with a dot. */
export function Pill({ tone, live = false, children }: PillProps) {
  const { model } = useServices();
  const offline = live && model.connection.value === 'lost';
  return (
    <span class={`pill ${offline ? 'idle' : tone}`}>
      <span class="dot" aria-hidden="true" />
      {offline && 'last known: '}
      {children}
    </span>
  );
}

export const StatusPill = ({ status }: { status: Status }) => (
  <Pill live tone={TONES[status] ?? 'idle'}>
    {status.replaceAll('_', ' ')}
  </Pill>
);

/** The progress of an intern's boot; nothing if there is none. */
export const Progress = ({ intern: { name, progress } }: { intern: Intern }) =>
  progress && (
    <div class="stack close small">
      <progress max={progress.total_steps} value={progress.step_number - 0.5} aria-label={`Boot of ${name}`} />
      <span>
        {progress.step_label} <span class="quiet">{`${progress.step_number} of ${progress.total_steps}`}</span>
      </span>
    </div>
  );

export const StatusCode = ({ status }: { status: number | null }) => (
  <span class={`code s${status === null ? 'x' : Math.floor(status / 100)}`}>{status ?? '—'}</span>
);

const SHIELDS: Readonly<Record<Verdict, readonly [icon: IconName, words: string]>> = {
  kept: ['proofs', 'keeps the rules'],
  broken: ['broken', 'breaks a rule'],
  not_judged: ['shield', 'not judged'],
};

/** The rules' verdict on an exchange; empty while it is under way. */
export function Shield({ verdict }: { verdict: Verdict | undefined }) {
  if (verdict === undefined) return <span class="shield" />;
  const [icon, words] = SHIELDS[verdict];
  return (
    <span class={`shield ${verdict}`} role="img" aria-label={words} title={words}>
      <Icon name={icon} size={16} />
    </span>
  );
}

interface EmptyProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}

/** Fills an empty place: what the place is for, and what to do next. */
export const Empty = ({ icon, title, children }: EmptyProps) => (
  <div class="stack close quiet empty">
    <Icon name={icon} size={30} />
    <h2>{title}</h2>
    {children !== undefined && <div>{children}</div>}
  </div>
);

interface CalloutProps {
  label: string;
  icon: IconName | ComponentChildren;
  tone: 'warn' | 'bad' | '';
  children: ComponentChildren;
}

export const Callout = ({ label, icon, tone, children }: CalloutProps) => (
  <section class={`row top callout ${tone}`} aria-label={label}>
    {typeof icon === 'string' ? <Icon name={icon as IconName} /> : icon}
    <div>{children}</div>
  </section>
);

interface PageProps {
  title: string;
  sub: string;
  /** Stands beside the title. */
  action?: ComponentChildren;
  children: ComponentChildren;
}

/** A view that scrolls as a whole, below its title. */
export const Page = ({ title, sub, action, children }: PageProps) => (
  <div class="stack page">
    <header class="row wrap between">
      <div>
        <h2 class="title">{title}</h2>
        <p class="quiet">{sub}</p>
      </div>
      {action}
    </header>
    {children}
  </div>
);

interface PanelProps {
  title: string;
  /** Its name for screen readers; without it, its title. */
  label?: string;
  note?: string;
  children: ComponentChildren;
}

export const Panel = ({ title, label, note, children }: PanelProps) => (
  <section class="panel stack" aria-label={label ?? title}>
    <h2>{title}</h2>
    {note !== undefined && <p class="quiet">{note}</p>}
    {children}
  </section>
);

export const Pairs = ({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="pairs">
    {of.map(([name, value], index) => (
      <div key={index}>
        <dt>{name}</dt>
        <dd class="mono">{value}</dd>
      </div>
    ))}
  </dl>
);

/** Something to copy: the whole `text`, shown as its children. */
export const Snippet = ({ text, label, children }: { text: string; label: string; children: ComponentChildren }) => (
  <div class="snippet">
    {children}
    <CopyButton text={text} label={label} />
  </div>
);

const Fact = ({ name, value }: { name: string; value: string }) => (
  <span class="row between">
    <span title={value}>{atHumanLength(value)}</span>
    <CopyButton text={value} label={`Copy ${name}`} />
  </span>
);

/** The pairs that have a value. Each can be copied whole; ids and times are shown shortened. */
export const Facts = ({ of }: { of: readonly (readonly [name: string, value: string | null | undefined])[] }) => (
  <Pairs of={of.flatMap(([name, value]) => (value ? [[name, <Fact key="" name={name} value={value} />]] : []))} />
);

interface SplitProps {
  /** The things listed. */
  title: string;
  /** Whether one of the list is shown beside it. On a phone it is shown in its place. */
  open: boolean;
  /** The list takes the whole width while nothing is open. */
  wide?: boolean;
  head: ComponentChildren;
  list: ComponentChildren;
  padded?: boolean;
  children: ComponentChildren;
}

export const Split = ({ title, open, wide, head, list, padded, children }: SplitProps) => (
  <div class={`split${wide ? ' wide' : ''} ${open ? 'at-detail' : 'at-list'}`}>
    <section class="stack flush grow fill pane" aria-label={title}>
      <header class="row wrap between">
        <h2 class="title">{title}</h2>
        {head}
      </header>
      {list}
    </section>
    {(open || !wide) && <div class={`grow fill pane ${padded ? 'padded' : 'stack flush'}`}>{children}</div>}
  </div>
);

interface FoldedProps {
  open: boolean;
  summary: ComponentChildren;
  /** Made once it is looked at: there may be hundreds. */
  children: () => ComponentChildren;
}

/** One of a list, of which more is shown on demand. */
export function Folded({ open: first, summary, children }: FoldedProps) {
  const [open, setOpen] = useState(first);
  return (
    <li class="card">
      <details
        open={open}
        onToggle={(event) => event.target === event.currentTarget && setOpen(event.currentTarget.open)}
      >
        <summary>{summary}</summary>
        {open && children()}
      </details>
    </li>
  );
}

/** Leads from one of a list back to the list: needed where only one of them is shown. */
export const Back = ({ to, label, icon = 'back' }: { to: Place['view']; label: string; icon?: IconName }) => (
  <a class={`button ghost square ${icon === 'back' ? 'on-phone' : ''}`} href={linkTo(to)} aria-label={label}>
    <Icon name={icon} />
  </a>
);

export const DeleteButton = (props: { label: string; onClick: () => unknown }) => (
  <Button small tone="ghost" icon="trash" {...props} />
);

interface TableProps {
  label?: string;
  columns: readonly string[];
  /** The last column has buttons that delete its rows: its head is read to those who do not see the page. */
  deletable?: boolean;
  /** Columns of one width; two runs beside each other. */
  class?: 'even' | 'even runs';
  children: ComponentChildren;
}

export const Table = ({ label, columns, deletable, class: kind, children }: TableProps) => (
  <div class="scroll-x">
    <table class={kind} aria-label={label}>
      <thead>
        <tr>
          {[...columns, ...(deletable ? [<span class="unseen">Delete</span>] : [])].map((column, index) => (
            <th key={index} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);
