import { Refusal } from '../../emulator/contract/errors.js';
import type { InternRow } from '../../emulator/contract/state.js';
import type { CreateRequest } from '../../emulator/domain/create.js';
import type { Interns } from '../../emulator/domain/interns.js';
import type { Alterations } from './alterations.js';
import { errors } from './change.js';
import { creates, forwarded, keyOf, memory } from './change-create.js';
import { defineDeviations, together } from './deviation.js';

/** What becomes of a create that broke off. */
const brokenOff = (
  then: (request: CreateRequest, row: InternRow | undefined, interns: Interns) => void,
): Alterations => {
  let interns: Interns | undefined;
  return {
    interns(usual) {
      interns = usual;
      return usual;
    },
    create: (usual) => (request) => {
      try {
        return usual(request);
      } catch (error) {
        if (interns && error instanceof Refusal && error.key === 'upstream_unavailable') {
          const row = interns.list(request.caller).find((one) => one.record.name === request.body.name);
          then(request, row, interns);
        }
        throw error;
      }
    },
  };
};

export const UNFINISHED = defineDeviations([
  {
    name: 'unfinished-starts-over',
    requirement: 'CREATE-4',
    description: 'The retry of a create that broke off meets the half-made intern as a conflict.',
    alters: () => {
      let count = 0;
      const failed = new Map<string, number>();
      return together(
        creates((request) => {
          const tries = failed.get(keyOf(request));
          return tries === undefined ? request : { ...request, key: `again ${tries}` };
        }),
        brokenOff((request) => failed.set(keyOf(request), count++)),
      );
    },
    caughtBy: ['create/unfinished-is-resumed', 'create/unfinished-retries-race', 'create/unfinished-more-than-once'],
  },
  {
    name: 'unfinished-stays-without-a-vault',
    requirement: 'CREATE-4',
    description: 'The retry of a create that broke off before the vault leaves it without one.',
    alters: brokenOff((_request, row, interns) => {
      if (row) interns.put(row, undefined, { unfinished: row.unfinished.filter((step) => step !== 'vault') });
    }),
    caughtBy: ['create/unfinished-is-resumed', 'create/script-vault-fails-once'],
  },
  {
    name: 'unfinished-is-not-provisioned',
    requirement: 'CREATE-4',
    description: 'The retry of a create that broke off at the provisioner does not provision.',
    alters: brokenOff((_request, row, interns) => {
      if (row) interns.put(row, undefined, { unfinished: row.unfinished.filter((step) => step !== 'provisioner') });
    }),
    caughtBy: ['create/unfinished-is-resumed', 'create/unfinished-more-than-once'],
  },
  {
    name: 'unfinished-is-answered-with-200',
    requirement: 'CREATE-4',
    description: 'The retry that completes a create answers 200.',
    alters: () => {
      const failed = new Set<string>();
      return together(
        {
          create: (usual) => (request) => ({
            ...usual(request),
            ...(failed.has(keyOf(request)) ? { created: false } : {}),
          }),
        },
        brokenOff((request) => failed.add(keyOf(request))),
      );
    },
    caughtBy: ['create/unfinished-answers-201', 'create/script-vault-fails-once'],
  },
  {
    name: 'unfinished-is-500',
    requirement: 'CREATE-4',
    description: 'A create that breaks off is 500.',
    alters: errors(({ reason }) => (reason === 'upstream_unavailable' ? { status: 500 } : undefined)),
    caughtBy: ['create/unfinished-answers-201', 'create/unfinished-is-resumed', 'create/script-vault-fails-once'],
  },
  {
    name: 'unfinished-only-resumed-once',
    requirement: 'CREATE-4',
    description: 'A create that breaks off twice is lost.',
    alters: () => {
      const failed = new Map<string, number>();
      return together(
        creates((request) => {
          if ((failed.get(keyOf(request)) ?? 0) > 1) throw new Refusal('intern_busy');
          return request;
        }),
        brokenOff((request) => failed.set(keyOf(request), (failed.get(keyOf(request)) ?? 0) + 1)),
      );
    },
    caughtBy: ['create/unfinished-more-than-once'],
  },
  {
    name: 'unfinished-taken-over-by-another-body',
    requirement: 'CREATE-4',
    description: 'The key of an unfinished create is not compared with its body.',
    alters: memory((entries) => {
      const own = forwarded(entries);
      return {
        ...own,
        get(id) {
          const entry = own.get(id);
          return entry && entry.answer === null && !entry.derived ? undefined : entry;
        },
      };
    }),
    caughtBy: ['create/unfinished-with-another-body', 'create/unfinished-is-resumed'],
  },
  {
    name: 'vault-script-does-not-fail',
    requirement: 'EMU-9',
    description: 'vault-fails-once creates at the first try.',
    alters: {
      scripts: (usual) => ({ ...usual, resolveLifecycle: (row) => ({ ...usual.resolveLifecycle(row), vault: 'ok' }) }),
    },
    caughtBy: ['create/script-vault-fails-once'],
  },
]);
