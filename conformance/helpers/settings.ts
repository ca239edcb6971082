import type { Intern } from '../../emulator/contract/intern.js';
import type { Ctx } from '../framework/context.js';

/** What of a record stays as it is while nobody changes it. */
const STAYS = [
  'id',
  'name',
  'description',
  'instructions',
  'model',
  'status',
  'workspace_id',
  'vault_id',
  'attached_vault_id',
  'created_at',
] as const;

/**
 * What two reads of an intern that nobody changed agree in: the whole record on an emulator; elsewhere what is known to
 * stay, for a record may tell more than the interface says.
 */
export function settings({ target }: Pick<Ctx, 'target'>, record: Intern): Record<string, unknown> {
  if (target.kind === 'emulator') return { ...record };
  return Object.fromEntries(STAYS.map((key) => [key, record[key]]));
}
