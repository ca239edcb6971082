import type { Rows } from './requirement.js';

export const SIGNING = {
  'DAEMON-1': {
    level: 'S',
    sentence:
      'get_intern_daemon returns origin and daemon token of a visible, running intern with Cache-Control: no-store; any OAuth token may read it.',
    published:
      'GET /interns/{id}/daemon answers {origin, token}; origin is scheme, host, optional port; not running is 409 intern_not_running, not retryable; not reachable is 409 intern_unreachable.',
    chosen: 'One token per boot.',
    where: 'get_intern_daemon',
  },
  'DAEMON-2': {
    level: 'S',
    sentence: 'Each reveal is logged by caller (the OAuth subject) and intern; the log never holds the token.',
    where: 'get_intern_daemon',
  },
  'DAEMON-3': {
    level: 'S',
    sentence: 'The deprecated alias of get_intern_daemon answers the same.',
    published: 'It is GET /interns/{id}/daemon-access.',
    chosen: 'With Deprecation and Link: rel="successor-version" headers.',
    where: 'get_intern_daemon_access, Versioning',
  },
  'SIGN-1': {
    level: 'S',
    sentence:
      'Signing answers the JSON object whose keys are the header names: v1 signature, timestamp and user always, v2 signature and nonce exactly when the request names a route; with Cache-Control: no-store.',
    where: 'sign_intern_daemon_request',
  },
  'SIGN-2': {
    level: 'S',
    sentence: 'bodySha256 matches ^[0-9a-f]{64}$; anything else is 400.',
    where: 'Signing request body',
  },
  'SIGN-3': {
    level: 'P',
    sentence:
      'The optional object is route: {method: "POST", path}; path is as sent: one leading /, percent-encoded, no origin, query or fragment; anything else, null and post included, is 400.',
    where: 'Contract, Daemon access and signing',
  },
  'SIGN-4': {
    level: 'S',
    sentence:
      'v1 is Ed25519, Base64, over intern id, timestamp, user, body digest; v2 over intern id, timestamp, nonce, user, method, path, body digest.',
    chosen:
      "The bytes are those fields in that order, UTF-8, joined by the profile's separator, without a trailing one.",
    where: 'Daemon request signature',
  },
  'SIGN-5': {
    level: 'S',
    sentence: 'The timestamp is the time of signing in Unix seconds, as a string.',
    where: 'Daemon request signature',
  },
  'SIGN-6': {
    level: 'S',
    sentence: 'The user is the verified OAuth subject; a user sent in the body, a header or the query changes nothing.',
    where: 'Authentication 4',
  },
  'SIGN-7': {
    level: 'S',
    sentence: 'Nonces never repeat; the intern accepts a v2 proof once; it refuses proofs older than its window.',
    chosen:
      'The window is 60 s, and 5 s into the future; a refused proof is not used up; a v1 proof may be used again within the window.',
    where: 'Daemon request signature',
  },
  'SIGN-8': {
    level: 'S',
    sentence:
      'Signing is behind the same gate as chat and counts against the chat turn limiter: 429 `Too many intern turns`, rate_limited, retryable.',
    chosen: "The gate is that of the programme; the intern's status does not matter.",
    where: 'sign_intern_daemon_request',
  },
  'SIGN-9': {
    level: 'S',
    sentence:
      'Over 10 seconds it is 408 `Operation timed out after 10s`, timeout, retryable; a server failure is 500 `The request could not be completed`, internal_error, retryable.',
    where: 'Signing route errors',
  },
  'SIGN-10': {
    level: 'S',
    sentence: '401 without metadata; 404 `Intern not found`; 413 and 415 as stated.',
    where: 'Signing route errors',
  },
  'SIGN-11': {
    level: 'S',
    sentence: 'The deprecated alias POST /interns/{id}/daemon-access/sign does the same.',
    where: 'sign_intern_daemon_access_request',
  },
  'SIGN-12': {
    level: 'S',
    sentence: 'The path parameter internId is a string of at least 1 character.',
    where: 'sign_intern_daemon_request',
    excluded: 'An empty segment is another path, and what that answers is not stated.',
  },
} as const satisfies Rows;
