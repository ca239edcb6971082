import { isVisibleTo } from '../model/intern.js';
import { DAEMON, SIGNING } from '../model/operations.js';
import { isMember } from '../model/options.js';
import { answerOf, isOurs } from './errors.js';
import { INTERNS, isHidden, isOf, isOneOf, isOtherWorkspace, isWithoutKey, REFUSED } from './mistakes.js';
import { type AnyRule, is, recordsOf, rulesOf, SHOW } from './rule.js';

/** Callers, and what they see. */
export const AUTH: readonly AnyRule[] = [
  ...rulesOf('AUTH-1', {
    'key-needed': {
      says: 'A missing or invalid key gives 401.',
      step: 'credential',
      statuses: [401],
      of: INTERNS.filter((name) => !SIGNING.includes(name)),
      wrong: isWithoutKey,
    },
    'management-key-elsewhere': {
      says: 'A management key is no API key: the intern operations refuse it.',
      step: 'credential',
      statuses: [401, 403, 404],
      of: INTERNS,
      wrong: (seen) => isOf(seen, 'management'),
    },
  }),
  ...rulesOf('AUTH-2', {
    'own-workspace': {
      says: 'The API key selects the visible interns: no answer shows one of another workspace.',
      of: SHOW,
      judge: (seen, model) => {
        const { caller } = seen;
        const rows = recordsOf(seen, model);
        if (caller === null || caller === undefined || !isMember(caller) || rows.length === 0) return undefined;
        const others = rows.filter(({ id }) => {
          const facts = model.interns.get(String(id));
          return facts?.made !== undefined && isVisibleTo(caller, facts) === false;
        });
        const made = others.map(({ id }) => model.interns.get(String(id))?.made?.number ?? 0);
        return is(
          `interns of other workspaces in the answer of ${seen.called}`,
          [],
          others.map(({ id }) => id),
          made.slice(0, 1),
        );
      },
    },
    'workspace-of-others': {
      says: 'The API key selects the workspace: a create in another one is refused.',
      step: 'named',
      statuses: REFUSED,
      of: ['create'],
      wrong: (seen) => {
        const { caller, body } = seen;
        if (body === undefined || typeof body.workspace_id !== 'string')
          return seen.asked.body.kind === 'unknown' ? undefined : false;
        return isOtherWorkspace(body.workspace_id, caller);
      },
    },
  }),
  ...rulesOf('AUTH-3', {
    'not-visible': {
      says: 'An intern that the caller cannot see answers 404, as an unknown id does.',
      step: 'visibility',
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
  }),
  ...rulesOf('AUTH-4', {
    'own-key': {
      says: "For an intern's own key the collection and every other intern answer 404.",
      step: 'visibility',
      statuses: [404],
      // These refusals of bodies are stated for every caller, too: any of them may come first.
      first: /^((BASE-4|AUTH-\d+|BODY-[23]|SIGN-[23])\/|BODY-1\/no-fields)/,
      reason: 'not_found',
      of: INTERNS,
      wrong: (seen, model) => {
        const own = isOf(seen, 'own');
        return own === true ? seen.id === undefined || isHidden(seen, model) : own;
      },
    },
  }),
  ...rulesOf('AUTH-5', {
    'outside-the-programme': {
      says: 'Callers outside the programme receive 404 for every path under /interns.',
      step: 'programme',
      statuses: [404],
      first: /^(BASE-4|AUTH-\d+)\//,
      of: INTERNS,
      wrong: (seen) => isOf(seen, 'outsider'),
    },
  }),
  ...rulesOf('AUTH-6', ['scim'], {
    'management-key-needed': {
      says: 'The SCIM mapping read requires a management key: a missing or invalid key gives 401.',
      step: 'credential',
      statuses: [401],
      wrong: isWithoutKey,
    },
    'management-key-only': {
      says: 'The SCIM mapping read requires a management key: any other credential is refused.',
      step: 'credential',
      statuses: [401, 403, 404],
      wrong: (seen) =>
        isWithoutKey(seen) === true
          ? false
          : seen.caller === undefined
            ? undefined
            : seen.caller?.kind !== 'management',
    },
  }),
  ...rulesOf('AUTH-7', DAEMON, {
    reason: {
      says: 'A daemon access that is refused to an API key has the reason personal_identity_required.',
      alone: true,
      judge: (seen) =>
        seen.answered.status === 403 && seen.caller?.kind === 'key' && !seen.asked.regional && isOurs(seen)
          ? is(`error.metadata.reason of ${answerOf(seen)}`, 'personal_identity_required', seen.error?.reason)
          : undefined,
    },
    'access-is-personal': {
      says: 'An API key that reads the daemon access gets 403, reason personal_identity_required.',
      step: 'kind',
      statuses: [403],
      reason: 'personal_identity_required',
      wrong: ({ caller }) => isOneOf(caller, 'key', 'own'),
    },
  }),
  ...rulesOf('AUTH-8', {
    'signing-is-personal': {
      says: 'An API key or an interns-only grant cannot sign: 403, reason personal_identity_required.',
      step: 'kind',
      statuses: [403],
      reason: 'personal_identity_required',
      of: SIGNING,
      wrong: ({ caller }) => isOneOf(caller, 'key', 'own', 'interns-only'),
    },
  }),
];
