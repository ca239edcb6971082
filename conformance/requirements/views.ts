/** Published ids whose checks have become rules, and the rules that decide each. */
export const VIEWS: Readonly<Record<string, readonly string[]>> = {
  'as-met/errors': [
    'BASE-3/envelope',
    'BASE-3/code',
    'BASE-3/message',
    'BASE-3/metadata',
    'BASE-3/no-metadata',
    'SIGN-10/catalogue',
    'SIGN-10/key-message',
    'SCIM-2/catalogue',
  ],
  'as-met/content-type': ['BASE-2/content-type'],
  'as-met/media-type': [
    'CREATE-1/create-accepted',
    'UPDATE-1/update-accepted',
    'DELETE-1/delete-accepted',
    'SIGN-1/sign-accepted',
    'SIGN-11/sign-alias-accepted',
  ],
  'as-met/list-order': ['LIST-1/newest-first', 'LIST-1/once'],
  'as-met/list-filters': ['LIST-2/workspace', 'LIST-2/status'],
  'as-met/list-visible': ['AUTH-2/own-workspace'],
  'as-met/list-limit': ['LIST-3/limit'],
  'as-met/list-whole': ['LIST-1/whole'],
  'as-met/status': ['LIFE-1/status'],
  'as-met/settings': ['GET-1/settings'],
  'as-met/records': ['GET-1/path-names-it', 'GET-1/types', 'DELETE-3/failure-message'],
  'as-met/record-forms': ['GET-1/published-form'],
  'as-met/vaults': ['CREATE-1/fixed', 'CREATE-2/vault-of-its-own'],
  'as-met/fixed': ['CREATE-1/fixed'],
  'as-met/secrets': ['GET-1/no-credential', 'GET-1/no-known-credential', 'VAULT-2/value-in-no-answer'],
  'as-met/invokes': ['INVOKE-1/accepted-form', 'INVOKE-2/same-session'],
  'as-met/proofs': ['SIGN-1/not-stored', 'SIGN-1/keys', 'SIGN-1/forms'],
  'as-met/signatures': ['SIGN-4/verifies'],
  'as-met/nonces': ['SIGN-7/nonce-once'],
  'as-met/signers': ['SIGN-6/one-person'],
  'as-met/daemon-access': ['DAEMON-1/not-stored', 'DAEMON-3/daemon-alias-accepted'],
  'as-met/streams': [
    'CHAT-2/has-finish-reason',
    'CHAT-3/done-after-final',
    'CHAT-4/final-has-usage',
    'CHAT-5/one-call',
  ],
  'as-met/stream-forms': ['CHAT-1/chunk-object', 'CHAT-1/chunk-id', 'CHAT-1/chunk-id-stays', 'CHAT-1/first-chunk-role'],
  'as-met/answers': ['CHAT-6/same-session'],
  'as-met/sessions': ['CHAT-3/session'],
};

/** The published ids that a rule decides, alone or with others. */
export const viewsOf = (rule: string): readonly string[] =>
  Object.entries(VIEWS).flatMap(([id, rules]) => (rules.includes(rule) ? [id] : []));

/** What decides an id today: itself, or the rules that its check has become. */
export const decidedBy = (id: string): readonly string[] => VIEWS[id] ?? [id];
