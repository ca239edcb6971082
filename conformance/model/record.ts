import { isDeepStrictEqual } from 'node:util';
import type { Intern } from '../../emulator/contract/intern.js';
import { STATUSES } from '../habits/status-words.js';
import { isRecord } from '../probe/json.js';
import { equal, fail, gist, TIMESTAMP, UUID } from './assert.js';

const isNull = (value: unknown) => value === null;
const isText = (value: unknown) => typeof value === 'string';
const form = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value);
const orNull = (is: (value: unknown) => boolean) => (value: unknown) => isNull(value) || is(value);

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
  // The interface states no form for these.
  workspace_id: form(/./),
  vault_id: orNull(form(/./)),
  attached_vault_id: orNull(form(/./)),
  created_at: form(TIMESTAMP),
  updated_at: form(TIMESTAMP),
};

/** Names of fields that hold secrets. */
const SECRET = /^(api_?key|(.*_)?token|(.*_)?secret.*|credentials?|password|vault_contents?)$/i;

const canBeSecret = (value: unknown) =>
  (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null);

/** The paths of the fields that hold secrets. */
export function secretKeys(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(SECRET.test(key) && !/page|cursor|next/i.test(key) && canBeSecret(inner) ? [`${at}${key}`] : []),
    ...secretKeys(inner, `${at}${key}.`),
  ]);
}

/** An update leaves the fields that it does not name (UPDATE-1): `was` is the record before it, `now` the one after. */
export function untouched(now: unknown, was: unknown, key: string, when: string): void {
  if (isDeepStrictEqual(now, was)) return;
  fail('a setting that an update did not name', 'left as it was', gist('changed', { [key]: { now, was }, when }));
}

/** Each intern has a vault of its own (CREATE-2). */
export function ownVault(one: Pick<Intern, 'id' | 'vault_id'>, other: Pick<Intern, 'id' | 'vault_id'>): void {
  if (typeof one.vault_id !== 'string' || one.vault_id !== other.vault_id) return;
  const both = { interns: [one.id, other.id], vault_id: one.vault_id };
  fail('vault_id of an intern', 'one that no other intern has', gist('one that another has', both));
}

/** An intern is in a workspace, if its record says so: that it does is published alone. */
export function inWorkspace(
  one: Partial<Pick<Intern, 'workspace_id'>>,
  workspace: string | undefined,
  of: string,
): void {
  if ('workspace_id' in one) equal(one.workspace_id, workspace, `workspace_id of ${of}`);
}
