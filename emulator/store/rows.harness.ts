import type { InternRow, Rows } from '../contract/state.js';

/** Ids for the tests: valid UUIDs, in order, known beforehand. */
export const uuid = (number: number): string => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;

const AT = '2026-01-01T00:00:00.000Z';

/** An intern row that its schema accepts. */
export const internRow = (number: number, changes: Partial<InternRow['record']> = {}): InternRow => ({
  id: uuid(number),
  seq: number,
  record: {
    id: uuid(number),
    name: `intern-${number}`,
    description: 'Looks after the tests.',
    instructions: 'script: echo',
    model: null,
    status: 'running',
    last_failure_message: null,
    progress: null,
    hostname: `intern-${number}.interns.test`,
    workspace_id: uuid(0),
    vault_id: uuid(1_000_000 + number),
    attached_vault_id: null,
    created_at: AT,
    updated_at: AT,
    ...changes,
  },
  creator: 'alice',
  api_key: `key-${number}`,
  script: null,
  booted: { model: null, instructions: 'script: echo' },
  disk_id: uuid(2_000_000 + number),
  daemon_token: `token-${number}`,
  loss_acknowledged: false,
  unfinished: [],
  failed_once: [],
});

/** The rows of a create, beside the intern. */
export const idempotencyRow = (number: number): Rows['idempotency'] => ({
  id: `alice\nkey-${number}`,
  intern_id: uuid(number),
  body_hash: 'f'.repeat(64),
  derived: true,
  answer: internRow(number).record,
});
