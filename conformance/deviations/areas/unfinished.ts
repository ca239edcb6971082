import { Refusal } from '../../../emulator/contract/errors.js';
import type { InternRow } from '../../../emulator/contract/state.js';
import type { Interns } from '../../../emulator/domain/interns.js';
import { plans } from '../combinators/behaviours.js';
import { tokenOf, withHeader } from '../combinators/exchange.js';
import { remembersCreates, wrap } from '../combinators/parts.js';
import { errors, exchanges } from '../combinators/replies.js';
import { defineDeviations, type Mutant } from '../mutant.js';

/** The fate of a create that broke off. */
const brokenOff = (then: (row: InternRow, interns: Interns) => void): Mutant => {
  let interns: Interns | undefined;
  return wrap({
    createInterns(usual) {
      interns = usual;
      return usual;
    },
    createCreate: (usual) => (request) => {
      try {
        return usual(request);
      } catch (error) {
        if (interns && error instanceof Refusal && error.key === 'upstream_unavailable') {
          const row = interns.list(request.caller).find((one) => one.record.name === request.body.name);
          if (row) then(row, interns);
        }
        throw error;
      }
    },
  });
};

/** Forgets a step that a create has left to do. */
const skips = (step: 'vault' | 'provisioner') => (): Mutant =>
  brokenOff((row, interns) => {
    interns.put(row, undefined, { unfinished: row.unfinished.filter((one) => one !== step) });
  });

export const UNFINISHED = defineDeviations({
  // The retry of a create that broke off meets the half-made intern as a conflict.
  'unfinished-starts-over': () => {
    let count = 0;
    const again = new Map<string, string>();
    return exchanges(async ({ operation, request }, next) => {
      if (operation !== 'create') return next(request);
      const asked = `${tokenOf(request)} ${request.headers.get('idempotency-key')} ${await request.clone().text()}`;
      const key = again.get(asked);
      const response = await next(key === undefined ? request : withHeader(request, 'idempotency-key', key));
      if (response.status === 502) again.set(asked, `again-${count++}`);
      return response;
    });
  },
  // The retry of a create that broke off before the vault leaves it without one.
  'unfinished-stays-without-a-vault': skips('vault'),
  // The retry of a create that broke off at the provisioner does not provision.
  'unfinished-is-not-provisioned': skips('provisioner'),
  // A create that breaks off is 500.
  'unfinished-is-500': errors({ reason: 'upstream_unavailable' }, { status: 500 }),
  // The key of an unfinished create is not compared with its body.
  'unfinished-taken-over-by-another-body': remembersCreates((entries) => ({
    get(id) {
      const entry = entries.get(id);
      return entry && entry.answer === null && !entry.derived ? undefined : entry;
    },
  })),
  // vault-fails-once creates at the first try.
  'vault-script-does-not-fail': plans((plan) => ({ ...plan, vault: 'ok' })),
});
