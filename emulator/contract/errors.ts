import type { FieldProblem } from './problem.js';

/**
 * Every refusal the interface knows, as one table. `reason` and `retryable` become `error.metadata`; a row without them
 * sends none (BASE-3). Statuses and messages that interface.md states are marked S, those of the published API P, the
 * rest is chosen.
 */
export interface ErrorRow {
  readonly status: number;
  readonly message: string;
  readonly reason?: string;
  readonly retryable?: boolean;
  readonly requirement?: string | null;
}

/** A row of the table of refusals. `requirement` counts if neither the operation nor the field has one. */
type Row = readonly [status: number, message: string, requirement: string | null, reason?: string, retryable?: boolean];
const RETRY = true;

const ROWS = {
  regional: [403, 'Forbidden', 'BASE-4'], // P
  unauthorized: [401, 'Invalid or missing API key', 'AUTH-1'], // S (signing), P
  not_found: [404, 'Intern not found', 'AUTH-3', 'not_found'], // S
  path_not_found: [404, 'Not found', 'BASE-5', 'not_found'],
  workspace_not_found: [404, 'Workspace not found', 'AUTH-2', 'not_found'],
  session_not_found: [404, 'Session not found', 'INVOKE-3', 'not_found'],
  secret_not_found: [404, 'Secret not found', 'VAULT-6', 'not_found'],
  method_not_allowed: [405, 'Method not allowed', 'BASE-5', 'method_not_allowed'],
  personal_identity_required: [
    403,
    'Personal connections require the OIDC login',
    'AUTH-7',
    'personal_identity_required',
  ], // S
  payload_too_large: [413, 'Request body exceeds 1048576 bytes', 'BODY-2', 'payload_too_large'], // S
  unsupported_media_type: [415, 'Request body must be sent as application/json', 'BODY-3', 'unsupported_media_type'], // S
  invalid_body: [400, 'Invalid request body', 'BODY-4', 'invalid_body'], // S
  invalid_query: [400, 'Invalid list query', 'LIST-3', 'invalid_body'], // P
  invalid_idempotency_key: [400, 'Idempotency-Key must be 1 to 255 characters', 'CREATE-4', 'invalid_body'],
  bad_request: [400, 'Invalid request body', 'CHAT-15', 'bad_request'], // P
  unacceptable_answer: [400, 'Unacceptable answer', 'CHAT-7', 'bad_request'], // P
  idempotency_key_reused: [409, 'Idempotency-Key was used with another body', 'CREATE-4', 'idempotency_key_reused'], // P
  name_conflict: [409, 'An intern of this name exists', 'CREATE-5', 'name_conflict'], // P
  vault_unavailable: [409, 'The vault cannot be attached', 'CREATE-2', 'vault_unavailable'], // P (409)
  vault_full: [409, 'The vault holds as many secrets as it can', 'VAULT-3', 'vault_full'],
  secret_unbound: [
    409,
    'A secret without hosts cannot be copied; store it again with hosts',
    'VAULT-7',
    'secret_unbound',
  ], // P (409)
  vault_writes_disabled: [503, 'Vault writes are disabled', 'VAULT-8', 'vault_writes_disabled', RETRY], // P (503)
  intern_busy: [409, 'The intern is in a state that does not allow this', 'PROV-1', 'intern_busy'], // P
  intern_not_ready: [409, 'The intern is not running', 'CHAT-16', 'intern_not_ready', RETRY], // P
  intern_not_running: [409, 'The intern is not running', 'DAEMON-1', 'intern_not_running'], // P
  daemon_unreachable: [409, 'The intern daemon cannot be reached', 'DAEMON-1', 'intern_unreachable'], // P
  interaction_unknown: [404, 'No such interaction in this session', 'CHAT-6', 'interaction_unknown'], // P
  interaction_not_pending: [409, 'The interaction is no longer pending', 'CHAT-7', 'interaction_not_pending'], // P
  attachment_failed: [409, 'The run is streaming to another request', 'CHAT-7', 'attachment_failed'], // P
  attachment_gone: [410, 'The part of the run to continue from is no longer held', 'CHAT-7', 'attachment_failed'], // P
  busy: [409, 'The intern is busy with another turn', 'CHAT-14', 'busy', RETRY], // P
  too_many_waiting: [503, 'Too many runs of this intern wait on questions', 'CHAT-16', 'busy', RETRY], // P
  rate_limited: [429, 'Too many intern turns', 'CHAT-17', 'rate_limited', RETRY], // S
  timeout: [408, 'Operation timed out after 10s', 'SIGN-9', 'timeout', RETRY], // S
  run_ended: [410, 'The intern ended the run', 'CHAT-12', 'run_ended'], // S (code)
  stream_severed: [502, 'The connection to the intern broke', 'CHAT-13', 'stream_severed', RETRY], // S (reason), P (code)
  intern_unreachable: [502, 'The intern cannot be reached', 'CHAT-16', 'intern_unreachable', RETRY], // P
  turn_failed: [502, 'The turn failed', 'CHAT-16', 'turn_failed'], // P
  turn_timeout: [504, 'The intern did not accept the prompt in time', 'CHAT-16', 'timeout', RETRY], // P
  upstream_unavailable: [
    502,
    'An upstream service is unavailable; send the same request again',
    'CREATE-4',
    'upstream_unavailable',
    RETRY,
  ],
  service_unavailable: [503, 'The service is unavailable', null, 'service_unavailable', RETRY],
  gateway_timeout: [504, 'The operation timed out', null, 'timeout', RETRY],
  internal_error: [500, 'The request could not be completed', null, 'internal_error', RETRY], // S
  malformed_request: [400, 'Invalid request', 'BASE-5', 'invalid_body'],
  misdirected: [421, 'This host is not served here', null, 'misdirected_request'],
  request_timeout: [408, 'The request was not received in time', null, 'timeout', RETRY],
  expectation_failed: [417, 'The expectation of the request cannot be met', null, 'expectation_failed'],
  headers_too_large: [431, 'The header fields of the request are too large', null, 'headers_too_large'],
  scim_unauthorized: [401, 'Missing Authentication header', 'AUTH-6'], // S
  scim_not_found: [404, 'Resource not found', 'SCIM-2'], // S
  scim_mapping_conflict: [409, 'The mapping exists with another role', 'SCIM-4'], // P (409)
  scim_internal: [500, 'Internal Server Error', 'SCIM-2'], // S
} as const satisfies Record<string, Row>;

export type ErrorKey = keyof typeof ROWS;

const rowOf = ([status, message, requirement, reason, retryable = false]: Row): ErrorRow => ({
  status,
  message,
  requirement,
  ...(reason === undefined ? {} : { reason, retryable }),
});

export const ERRORS = Object.fromEntries(Object.entries(ROWS).map(([key, row]) => [key, rowOf(row)])) as Readonly<
  Record<ErrorKey, ErrorRow>
>;

/** The error body of every operation (BASE-3). */
export interface ErrorEnvelope {
  error: { code: number; message: string; metadata?: { reason: string; retryable: boolean } };
}

/** `Error` with the limit of V8, which the types of browsers lack. */
const V8: Pick<ErrorConstructor, 'prototype'> & { stackTraceLimit?: number | undefined } = Error;

/**
 * A refusal on its way to the caller. Both the domain and the HTTP layer throw it; `key` names a row of {@link ERRORS}.
 * `message` replaces the row's. `detail` says what was wrong and where without changing a stated message: it goes into
 * the header `x-emulator-detail` and the journal. `headers` are added to the response. It has no stack: it is an answer, and
 * nobody reads where it was made.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly detail: string | undefined;
  /** The exact mistake, where the response may not say it: for log and journal alone. */
  readonly wrong: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The fields that were wrong: of the body, or the query. */
  readonly fields: readonly FieldProblem[];
  /** Replaces the row's message where the failing part gives its own (a failed turn). */
  readonly retryable: boolean | undefined;
  constructor(
    readonly key: ErrorKey,
    options: {
      message?: string;
      detail?: string;
      wrong?: string;
      headers?: Record<string, string>;
      fields?: readonly FieldProblem[];
      retryable?: boolean;
    } = {},
  ) {
    const message = options.message ?? ERRORS[key].message;
    const { stackTraceLimit } = V8;
    // A program may have frozen `Error`.
    Reflect.set(V8, 'stackTraceLimit', 0);
    super(message);
    Reflect.set(V8, 'stackTraceLimit', stackTraceLimit);
    this.detail = options.detail;
    this.wrong = options.wrong;
    this.headers = options.headers ?? {};
    this.fields = options.fields ?? [];
    this.retryable = options.retryable;
  }
}

/** The envelope of a row of {@link ERRORS}, with another message if one is given. */
export function envelope(key: ErrorKey, message?: string): ErrorEnvelope {
  return rowEnvelope(ERRORS[key], message);
}

/** The envelope of any row, also one outside the table (faults). */
export function rowEnvelope(row: ErrorRow, message = row.message): ErrorEnvelope {
  return errorEnvelope(row.status, message, row.reason, row.retryable);
}

/** The envelope of any error. Without a reason it has no metadata. */
export const errorEnvelope = (
  code: number,
  message: string,
  reason: string | undefined,
  retryable = false,
): ErrorEnvelope => ({
  error: { code, message, ...(reason === undefined ? {} : { metadata: { reason, retryable } }) },
});
