import type { ErrorKey } from '../contract/errors.js';
import { MAX_PAGE, MAX_STATUSES_IN_FILTER, STATUSES } from '../contract/intern.js';
import type { Operation } from '../contract/operation.js';
import { DEFAULT_SCIM_PAGE, MAX_SCIM_PAGE } from '../contract/scim.js';
import { MAX_SECRETS_OFFSET, MAX_SECRETS_PAGE } from '../contract/vault.js';
import type { Route } from '../http/route.js';
import type { RequestSchema, ResponseSchema } from './schemas.js';

export interface ResponseDescription {
  readonly status: number;
  readonly description: string;
  /** Undefined for an answer without a body. */
  readonly schema?: ResponseSchema;
  /** It names the address of what was made. */
  readonly location?: true;
  /** The answer is a stream of server-sent events, each of which holds one of `schema`. */
  readonly stream?: true;
  readonly noStore?: true;
}

export interface OperationText {
  readonly id: string;
  /** Of the deprecated alias, if there is one. */
  readonly aliasId?: string;
  readonly tag: 'Lifecycle' | 'Chat' | 'Daemon' | 'Vault' | 'SCIM';
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly object[];
  readonly body?: { readonly schema: RequestSchema; readonly required: boolean };
  readonly answers: readonly ResponseDescription[];
  /** Refusals beyond those that every route of its kind has. */
  readonly refusals: readonly ErrorKey[];
}

const query = (name: string, description: string, schema: object, more: object = {}) => ({
  name,
  in: 'query',
  description,
  schema,
  ...more,
});

const whole = (minimum: number, fallback: number, maximum?: number) => ({
  type: 'integer',
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
  default: fallback,
});

const TURN_REFUSALS = [
  'session_not_found',
  'intern_not_ready',
  'rate_limited',
  'intern_unreachable',
  'turn_failed',
  'turn_timeout',
] as const;

/** The parts that belong to several rows of the route table together. */
type Shared = 'scim' | 'vault-list' | 'vault-store' | 'vault-delete';

const OPERATION_TEXTS: Readonly<Record<Exclude<Operation, Shared>, OperationText>> = {
  list: {
    id: 'list_interns',
    tag: 'Lifecycle',
    summary: 'List the visible interns, newest first',
    parameters: [
      query('workspace_id', 'Only interns of this workspace', { type: 'string', minLength: 1 }),
      query(
        'status',
        `Only interns in one of these statuses, separated by commas; at most ${MAX_STATUSES_IN_FILTER}`,
        { type: 'array', minItems: 1, maxItems: MAX_STATUSES_IN_FILTER, items: { type: 'string', enum: STATUSES } },
        { style: 'form', explode: false },
      ),
      query('limit', 'Interns on a page', whole(1, MAX_PAGE, MAX_PAGE)),
      query('starting_after', 'The `next_cursor` of the page before', { type: 'string', minLength: 1 }),
    ],
    answers: [{ status: 200, description: 'A page of interns', schema: 'InternListResponse' }],
    refusals: ['invalid_query', 'workspace_not_found'],
  },
  create: {
    id: 'create_intern',
    tag: 'Lifecycle',
    summary: 'Create an intern and its private vault',
    description:
      'A retry with the same idempotency key and body resumes unfinished work, and never makes a second intern.',
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        description: 'Makes retries safe. Without it, the key is derived from the body.',
        schema: { type: 'string', minLength: 1, maxLength: 255 },
      },
    ],
    body: { schema: 'CreateInternRequest', required: true },
    answers: [
      { status: 201, description: 'The new intern', schema: 'Intern' },
      { status: 200, description: 'The first answer again, to a retry of a finished create', schema: 'Intern' },
    ],
    refusals: [
      'invalid_idempotency_key',
      'workspace_not_found',
      'idempotency_key_reused',
      'name_conflict',
      'vault_unavailable',
      'intern_busy',
    ],
  },
  get: {
    id: 'get_intern',
    tag: 'Lifecycle',
    summary: 'Get the public state and settings of an intern',
    answers: [{ status: 200, description: 'The intern', schema: 'Intern' }],
    refusals: [],
  },
  update: {
    id: 'update_intern',
    tag: 'Lifecycle',
    summary: 'Change name, description, instructions or model',
    description: 'Omitted fields stay unchanged. A model takes effect at the next provision.',
    body: { schema: 'UpdateInternRequest', required: true },
    answers: [{ status: 200, description: 'The intern after the change', schema: 'Intern' }],
    refusals: ['name_conflict', 'intern_busy'],
  },
  delete: {
    id: 'delete_intern',
    tag: 'Lifecycle',
    summary: 'Start the teardown of an intern, its runtime and its vault',
    body: { schema: 'DeleteInternRequest', required: false },
    answers: [{ status: 202, description: 'The teardown has started', schema: 'DeleteInternResponse' }],
    refusals: [],
  },
  provision: {
    id: 'provision_intern',
    tag: 'Lifecycle',
    summary: 'Start the first boot, or resume after a suspension',
    body: { schema: 'NoFields', required: false },
    answers: [{ status: 202, description: 'The boot has started', schema: 'ProvisionInternResponse' }],
    refusals: ['intern_busy'],
  },
  suspend: {
    id: 'suspend_intern',
    tag: 'Lifecycle',
    summary: 'Stop the runtime, and keep disk and configuration',
    body: { schema: 'NoFields', required: false },
    answers: [{ status: 200, description: 'The runtime has stopped', schema: 'SuspendInternResponse' }],
    refusals: ['intern_busy'],
  },
  chat: {
    id: 'chat',
    tag: 'Chat',
    summary: 'Send a prompt, or the answer to a question, and stream the reply',
    description:
      'A paused run finishes its response with `finish_reason: tool_calls`. To answer, send a second request with the ' +
      'same `session_id`, the assistant message that echoes the tool call, and a `tool` message.',
    body: { schema: 'ChatCompletionRequest', required: true },
    answers: [
      {
        status: 200,
        description:
          'Server-sent events: the `data` of each is one chunk, the last is `[DONE]`. After 30 seconds of silence comes ' +
          'the comment `: keepalive`.',
        schema: 'ChatCompletionChunk',
        stream: true,
      },
      { status: 202, description: 'The prompt was delivered into the run of its session', schema: 'SteeredResponse' },
    ],
    refusals: [
      ...TURN_REFUSALS,
      'interaction_unknown',
      'unacceptable_answer',
      'interaction_not_pending',
      'attachment_failed',
      'attachment_gone',
      'busy',
      'too_many_waiting',
    ],
  },
  invoke: {
    id: 'invoke',
    tag: 'Chat',
    summary: 'Start a run that goes on after the answer',
    body: { schema: 'InvokeInternRequest', required: true },
    answers: [{ status: 202, description: 'The intern has accepted the run', schema: 'InvokeInternResponse' }],
    refusals: TURN_REFUSALS,
  },
  daemon: {
    id: 'get_intern_daemon',
    aliasId: 'get_intern_daemon_access',
    tag: 'Daemon',
    summary: 'Get the origin and the token of the daemon of a running intern',
    answers: [
      { status: 200, description: 'Where the daemon is, and its token', schema: 'InternDaemonAccess', noStore: true },
    ],
    refusals: ['intern_not_running', 'daemon_unreachable'],
  },
  sign: {
    id: 'sign_intern_daemon_request',
    aliasId: 'sign_intern_daemon_access_request',
    tag: 'Daemon',
    summary: 'Sign the digest of a request to the daemon of an intern',
    description: 'Counts against the chat turn limiter.',
    body: { schema: 'SignDaemonRequest', required: true },
    answers: [
      {
        status: 200,
        description: 'Header names, and what to send in them',
        schema: 'DaemonRequestSignature',
        noStore: true,
      },
    ],
    refusals: ['timeout', 'rate_limited'],
  },
  'vault-copy': {
    id: 'copy_vault_secrets_to_intern',
    tag: 'Vault',
    summary: "Copy secrets of the workspace into an intern's vault",
    description: 'All of them or none. Later changes in one vault do not reach the other.',
    body: { schema: 'VaultSecretCopyRequest', required: true },
    answers: [{ status: 200, description: 'The copies, in the order asked', schema: 'VaultSecretCopyResponse' }],
    refusals: ['secret_not_found', 'vault_writes_disabled', 'secret_unbound', 'vault_full'],
  },
};

const SECRET_PAGE = [
  query('limit', 'Secrets on a page', whole(1, MAX_SECRETS_PAGE, MAX_SECRETS_PAGE)),
  query('offset', 'Secrets to skip', whole(0, 0, MAX_SECRETS_OFFSET)),
];

/** The operations on secrets of a scope, by the end of their ids and the name of the scope. */
const vaultTexts = (path: string, ids: { list: string; one: string }, vault: string) =>
  ({
    [`GET ${path}`]: {
      id: `list_${ids.list}`,
      tag: 'Vault',
      summary: `List the secrets in the vault of ${vault}, by name`,
      parameters: SECRET_PAGE,
      answers: [{ status: 200, description: 'A page of secrets, without values', schema: 'VaultSecretListResponse' }],
      refusals: ['invalid_query'],
    },
    [`PUT ${path}/:secretName`]: {
      id: `store_${ids.one}`,
      tag: 'Vault',
      summary: `Store a secret in the vault of ${vault}`,
      description: 'Creates or replaces. The value is released to exactly these hosts, and never shown again.',
      body: { schema: 'VaultSecretWriteRequest', required: true },
      answers: [{ status: 200, description: 'The secret, without its value', schema: 'VaultSecretResponse' }],
      refusals: ['vault_writes_disabled', 'vault_full'],
    },
    [`DELETE ${path}/:secretName`]: {
      id: `delete_${ids.one}`,
      tag: 'Vault',
      summary: `Delete a secret from the vault of ${vault}`,
      answers: [{ status: 204, description: 'It is gone' }],
      refusals: ['invalid_body', 'secret_not_found', 'vault_writes_disabled'],
    },
  }) satisfies Record<string, OperationText>;

const SCIM_PAGE = [
  query('offset', 'Records to skip', whole(0, 0)),
  query('limit', 'Records on a page', whole(1, DEFAULT_SCIM_PAGE, MAX_SCIM_PAGE)),
];

/** The name, input and answers of rows of the route table that share their operation, by method and path. */
const ROW_TEXTS: Readonly<Record<string, OperationText>> = {
  ...vaultTexts('/vault/secrets', { list: 'vault_secrets', one: 'vault_secret' }, 'the workspace'),
  ...vaultTexts(
    '/vault/interns/:id/secrets',
    { list: 'intern_vault_secrets', one: 'intern_vault_secret' },
    'an intern',
  ),
  'GET /scim/group-mappings': {
    id: 'list_scim_group_mappings',
    tag: 'SCIM',
    summary: 'List the SCIM group mappings, oldest first',
    parameters: SCIM_PAGE,
    answers: [{ status: 200, description: 'A page of mappings', schema: 'ScimGroupMappingListResponse' }],
    refusals: ['invalid_query'],
  },
  'POST /scim/group-mappings': {
    id: 'create_scim_group_mapping',
    tag: 'SCIM',
    summary: 'Map a SCIM group to a role in a workspace',
    description: 'A mapping that exists with the same role is applied again.',
    body: { schema: 'CreateScimGroupMappingRequest', required: true },
    answers: [{ status: 201, description: 'The mapping', schema: 'ScimGroupMappingResponse' }],
    refusals: ['scim_mapping_conflict'],
  },
  'GET /scim/group-mappings/:scimId': {
    id: 'get_scim_group_mapping',
    tag: 'SCIM',
    summary: 'Get a SCIM group mapping',
    answers: [{ status: 200, description: 'The mapping', schema: 'ScimGroupMappingResponse' }],
    refusals: [],
  },
  'PATCH /scim/group-mappings/:scimId': {
    id: 'update_scim_group_mapping',
    tag: 'SCIM',
    summary: 'Change the role of a SCIM group mapping',
    body: { schema: 'UpdateScimGroupMappingRequest', required: true },
    answers: [{ status: 200, description: 'The mapping', schema: 'ScimGroupMappingResponse' }],
    refusals: [],
  },
  'DELETE /scim/group-mappings/:scimId': {
    id: 'delete_scim_group_mapping',
    tag: 'SCIM',
    summary: 'Delete a SCIM group mapping',
    parameters: [
      query(
        'keep_members',
        'Whether the members keep what the mapping gave them. There is no default.',
        { type: 'string', enum: ['true', 'false'] },
        { required: true },
      ),
    ],
    answers: [{ status: 200, description: 'It is gone', schema: 'DeleteScimGroupMappingResponse' }],
    refusals: ['invalid_query'],
  },
  'GET /scim/groups': {
    id: 'list_scim_groups',
    tag: 'SCIM',
    summary: 'List the SCIM groups of the organization, oldest first',
    parameters: SCIM_PAGE,
    answers: [{ status: 200, description: 'A page of groups', schema: 'ScimGroupListResponse' }],
    refusals: ['invalid_query'],
  },
  'POST /scim/sync-jobs': {
    id: 'create_scim_sync_job',
    tag: 'SCIM',
    summary: 'Start a directory sync, or get the one that is in progress',
    answers: [{ status: 202, description: 'The sync is in progress', schema: 'ScimSyncJobResponse', location: true }],
    refusals: [],
  },
  'GET /scim/sync-jobs/:scimId': {
    id: 'get_scim_sync_job',
    tag: 'SCIM',
    summary: 'Get the progress of a directory sync',
    answers: [{ status: 200, description: 'The sync', schema: 'ScimSyncJobResponse' }],
    refusals: [],
  },
};

/** Every text, of operations and of rows. */
export const TEXTS: readonly OperationText[] = [...Object.values(OPERATION_TEXTS), ...Object.values(ROW_TEXTS)];

export function textOf({ operation, method, path }: Route): OperationText {
  const text =
    ROW_TEXTS[`${method} ${path}`] ?? (OPERATION_TEXTS as Readonly<Record<string, OperationText>>)[operation];
  if (!text) throw new Error(`${method} ${path} has no text`);
  return text;
}
