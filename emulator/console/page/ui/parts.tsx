import type { ComponentChildren } from 'preact';
import type { Status } from '../types.js';
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

/** A status; while nothing comes from the emulator it is the last known one, and not shown as live. */
export function StatusPill({ status }: { status: Status }) {
  const { model } = useServices();
  const offline = model.connection.value === 'lost';
  return (
    <span class={`pill ${offline ? 'idle' : (TONES[status] ?? 'idle')}`}>
      <span class="dot" aria-hidden="true" />
      {offline && 'last known: '}
      {status.replaceAll('_', ' ')}
    </span>
  );
}

/** An answer's status, coloured by its class. */
export const StatusCode = ({ status }: { status: number | null }) => (
  <span class={`code s${status === null ? 'x' : Math.floor(status / 100)}`}>{status ?? '—'}</span>
);

interface EmptyProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}

/** Fills an empty place: what the place is for, and what to do next. */
export const Empty = ({ icon, title, children }: EmptyProps) => (
  <div class="empty">
    <span class="empty-icon">
      <Icon name={icon} size={26} />
    </span>
    <h2>{title}</h2>
    {children}
  </div>
);

export const ViewHead = ({ title, sub, children }: { title: string; sub?: string; children?: ComponentChildren }) => (
  <header class="view-head">
    <div>
      <h2>{title}</h2>
      {sub !== undefined && <p>{sub}</p>}
    </div>
    {children !== undefined && <div class="row">{children}</div>}
  </header>
);

interface DeletableRowsProps {
  label: string;
  columns: readonly string[];
  children: ComponentChildren;
}

/** A table whose rows end in a button that deletes them. */
export const DeletableRows = ({ label, columns, children }: DeletableRowsProps) => (
  <div class="scrolled">
    <table aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
          <th scope="col">
            <span class="unseen">Delete</span>
          </th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);
