import { TIMESTAMP, UUID } from '../framework/assert.js';
import { STATUSES } from '../habits/status-words.js';
import { isRecord } from '../probe/json.js';

const isNull = (value: unknown) => value === null;
const isText = (value: unknown) => typeof value === 'string';
const form = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);
const orNull = (holds: (value: unknown) => boolean) => (value: unknown) => isNull(value) || holds(value);

const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;
const isProgress = (value: unknown) =>
  isRecord(value) &&
  typeof value.step_label === 'string' &&
  value.step_label !== '' &&
  isCount(value.step_number) &&
  isCount(value.total_steps) &&
  Number(value.step_number) <= Number(value.total_steps);

/** The published fields of the record of an intern, and their forms. */
export const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: form(UUID),
  name: form(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/),
  description: orNull(isText),
  instructions: orNull(isText),
  model: orNull(isText),
  status: (value) => STATUSES.some((status) => status === value),
  last_failure_message: orNull(isText),
  progress: orNull(isProgress),
  hostname: orNull(form(/^[^\s/:]+$/)),
  // The form of these two is not stated.
  workspace_id: form(/./),
  vault_id: orNull(form(/./)),
  attached_vault_id: orNull(form(/./)),
  created_at: form(TIMESTAMP),
  updated_at: form(TIMESTAMP),
};
