import type { ErrorKey } from '../contract/errors.js';
import { MAX_PAGE, MAX_STATUSES_IN_FILTER, STATUSES } from '../contract/intern.js';
import type { Operation } from '../http/route.js';
import type { RequestSchema, ResponseSchema } from './schemas.js';

/** An answer that is no refusal. */
export interface ResponseDescription {
  readonly status: number;
  readonly description: string;
  readonly schema: ResponseSchema;
  /** The answer is a stream of server-sent events, of which each holds one of `schema`. */
  readonly stream?: true;
  readonly noStore?: true;
}

/** What the route table does not say of an operation. */
export interface OperationText {
  readonly id: string;
  /** Of the deprecated alias, where there is one. */
  readonly aliasId?: string;
  readonly tag: 'Lifecycle' | 'Chat' | 'Daemon' | 'SCIM';
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

const TURN_REFUSALS = [
  'session_not_found',
  'intern_not_ready',
  'rate_limited',
  'intern_unreachable',
  'turn_failed',
  'turn_timeout',
] as const;

/** What each operation is called, takes and answers. */
export const OPERATION_TEXTS: Readonly<Record<Operation, OperationText>> = {
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
      query('limit', 'Interns on a page', { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: MAX_PAGE }),
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
  scim: {
    id: 'get_scim_group_mapping',
    tag: 'SCIM',
    summary: 'Get a SCIM group mapping',
    answers: [{ status: 200, description: 'The mapping', schema: 'ScimGroupMappingResponse' }],
    refusals: [],
  },
};
