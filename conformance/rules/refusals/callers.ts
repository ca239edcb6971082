import { DAEMON, SIGNING } from '../../model/operations.js';
import type { Seen } from '../rule.js';
import {
  INTERNS,
  isHidden,
  isOf,
  isOneOf,
  isWithoutKey,
  phasesOf,
  REFUSED,
  rows,
  VAULT,
  type Wrong,
} from './refusal.js';

function goneNow(seen: Seen): Wrong {
  const phases = phasesOf(seen);
  if (phases === undefined) return seen.intern === undefined ? false : undefined;
  return phases.has('gone') ? (phases.size === 1 ? true : undefined) : false;
}

/** Refusals because of the caller, or because the intern is gone, in the order in which an emulator looks for them. */
export const OF_CALLERS = rows({
  'regional-status': {
    requirement: 'BASE-4',
    level: 'P',
    says: 'A request on a regional hostname is answered 403.',
    statuses: [403],
    first: /^BASE-4\//,
    wrong: ({ asked }) => asked.regional,
  },
  'regional-refused': {
    requirement: 'BASE-4',
    says: 'Requests on regional hostnames are refused.',
    statuses: REFUSED,
    wrong: ({ asked }) => asked.regional,
  },
  'key-needed': {
    requirement: 'AUTH-1',
    says: 'A missing or invalid key gives 401.',
    statuses: [401],
    of: INTERNS.filter((name) => !SIGNING.includes(name)),
    wrong: isWithoutKey,
  },
  'signing-key-needed': {
    requirement: 'SIGN-10',
    says: 'A missing or invalid key on the signing route gives 401.',
    statuses: [401],
    of: SIGNING,
    wrong: isWithoutKey,
  },
  'management-key-needed': {
    requirement: 'AUTH-6',
    says: 'The SCIM mapping read requires a management key: a missing or invalid key gives 401.',
    statuses: [401],
    of: ['scim'],
    wrong: isWithoutKey,
  },
  'management-key-only': {
    requirement: 'AUTH-6',
    says: 'The SCIM mapping read requires a management key: any other credential is refused.',
    statuses: [401, 403, 404],
    of: ['scim'],
    wrong: (seen) =>
      isWithoutKey(seen) === true ? false : seen.caller === undefined ? undefined : seen.caller?.kind !== 'management',
  },
  'vault-key-needed': {
    requirement: 'VAULT-1',
    says: 'The vault needs an API key: without one the answer is 401.',
    statuses: [401],
    of: VAULT,
    wrong: (seen) => isWithoutKey(seen) || isOf(seen, 'management'),
  },
  'management-key-elsewhere': {
    requirement: 'AUTH-1',
    says: 'A management key is no API key: the intern operations refuse it.',
    statuses: [401, 403, 404],
    of: INTERNS,
    wrong: (seen) => isOf(seen, 'management'),
  },
  'outside-the-programme': {
    requirement: 'AUTH-5',
    says: 'Callers outside the programme receive 404 for every path under /interns.',
    statuses: [404],
    first: /^(BASE-4|AUTH-\d+)\//,
    of: INTERNS,
    wrong: (seen) => isOf(seen, 'outsider'),
  },
  'vault-outside-the-programme': {
    requirement: 'VAULT-1',
    says: 'Callers outside the programme receive 404 for every path under /vault.',
    statuses: [404],
    of: VAULT,
    wrong: (seen) => isOf(seen, 'outsider'),
  },
  'own-key': {
    requirement: 'AUTH-4',
    says: "For an intern's own key the collection and every other intern answer 404.",
    statuses: [404],
    // BODY-2 and BODY-3 are stated for every caller, too: either refusal may come first.
    first: /^(BASE-4|AUTH-\d+|BODY-[23])\//,
    reason: 'not_found',
    of: INTERNS,
    wrong: (seen, model) => {
      const own = isOf(seen, 'own');
      return own === true ? seen.id === undefined || isHidden(seen, model) : own;
    },
  },
  'not-visible': {
    requirement: 'AUTH-3',
    says: 'An intern that the caller cannot see answers 404, as an unknown id does.',
    statuses: [404],
    reason: 'not_found',
    of: INTERNS,
    wrong: (seen, model) =>
      seen.caller?.kind === 'own'
        ? false
        : seen.caller === undefined && seen.id !== undefined
          ? undefined
          : isHidden(seen, model),
  },
  'vault-own-key': {
    requirement: 'VAULT-1',
    level: 'C',
    says: "An intern's own key opens only the intern's vault: the workspace's vault, and a copy from it, answer 404.",
    statuses: [404],
    of: VAULT.filter((name) => name === 'copy secrets' || !name.includes('intern')),
    wrong: (seen) => isOf(seen, 'own'),
  },
  'vault-not-visible': {
    requirement: 'VAULT-1',
    says: 'The vault of an intern that the caller cannot see answers 404.',
    statuses: [404],
    reason: 'not_found',
    of: VAULT,
    wrong: (seen, model) =>
      seen.id === undefined ? false : seen.caller === undefined ? undefined : isHidden(seen, model),
  },
  gone: {
    requirement: 'DELETE-1',
    says: 'An intern whose teardown has ended answers 404.',
    statuses: [404],
    reason: 'not_found',
    // A missing or invalid key is refused before the service looks for the intern.
    wrong: (seen) =>
      seen.id === undefined || seen.operation.area === 'scim' || isWithoutKey(seen) === true ? false : goneNow(seen),
  },
  'access-is-personal': {
    requirement: 'AUTH-7',
    says: 'An API key that reads the daemon access gets 403, reason personal_identity_required.',
    statuses: [403],
    reason: 'personal_identity_required',
    of: DAEMON,
    wrong: ({ caller }) => isOneOf(caller, 'key', 'own'),
  },
  'signing-is-personal': {
    requirement: 'AUTH-8',
    says: 'An API key or an interns-only grant cannot sign: 403, reason personal_identity_required.',
    statuses: [403],
    reason: 'personal_identity_required',
    of: SIGNING,
    wrong: ({ caller }) => isOneOf(caller, 'key', 'own', 'interns-only'),
  },
});
