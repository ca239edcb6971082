import type { Rows } from './requirement.js';

export const AUTH = {
  'AUTH-1': {
    level: 'S',
    sentence:
      'Intern lifecycle, chat and invoke need an API key as `Authorization: Bearer`; a missing or invalid one is 401 with a code and a message.',
    published: 'The message is `Invalid or missing API key`, without metadata.',
    where: 'Authentication',
  },
  'AUTH-2': {
    level: 'S',
    sentence: 'The key selects caller, workspace and visible interns; there is no default workspace fallback.',
    chosen:
      "One person's API key and OAuth tokens are one caller; every key and token of a workspace sees all its interns; an own key is a caller of its own.",
    where: 'General visibility rules 1',
  },
  'AUTH-3': {
    level: 'S',
    sentence:
      'An intern that the caller cannot see is 404, and the answer cannot be distinguished from that for an unknown id, on every operation.',
    where: 'General visibility rules, Errors',
  },
  'AUTH-4': {
    level: 'S',
    sentence:
      "An intern's own API key sees that intern; the collection, create, and every other intern answer 404, on every operation.",
    chosen: 'It acts on its intern, as a caller of its own.',
    where: 'General visibility rules 2',
  },
  'AUTH-5': {
    level: 'S',
    sentence:
      'A caller outside the programme gets 404 for every path under /interns, whatever the method, sub-path or body.',
    chosen: 'It is the answer for an unknown intern, the same on every path.',
    where: 'General visibility rules 4',
  },
  'AUTH-6': {
    level: 'S',
    sentence: 'The SCIM read needs a management key; without one it is 401 `Missing Authentication header`.',
    published: 'A management key on /interns is 401.',
    chosen: 'Any other credential on SCIM is 401 too.',
    where: 'Authentication',
  },
  'AUTH-7': {
    level: 'S',
    sentence: 'get_intern_daemon needs an OAuth token; an API key is 403 personal_identity_required.',
    where: 'Authentication',
  },
  'AUTH-8': {
    level: 'S',
    sentence:
      'Signing needs an OAuth session whose grant has vault:read; an API key and an interns-only grant are 403 personal_identity_required, not retryable.',
    where: 'Authentication, Signing route errors',
  },
  'AUTH-9': {
    level: 'C',
    sentence:
      'Credentials are compared in constant time and never stand in a log, the journal, an error or an export unless asked for.',
    where: 'Contract, Authentication and visibility',
  },
  'AUTH-10': {
    level: 'C',
    sentence: 'An OAuth token whose grant covers interns acts as its member on lifecycle, chat and invoke.',
    where: 'Contract, Authentication and visibility',
  },
} as const satisfies Rows;
