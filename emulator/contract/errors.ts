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
}

export const ERRORS = {
  regional: { status: 403, message: 'Forbidden' }, // P
  unauthorized: { status: 401, message: 'Invalid or missing API key' }, // S (signing), P
  not_found: { status: 404, message: 'Intern not found', reason: 'not_found', retryable: false }, // S
  path_not_found: { status: 404, message: 'Not found', reason: 'not_found', retryable: false },
  workspace_not_found: { status: 404, message: 'Workspace not found', reason: 'not_found', retryable: false },
  session_not_found: { status: 404, message: 'Session not found', reason: 'not_found', retryable: false },
  secret_not_found: { status: 404, message: 'Secret not found', reason: 'not_found', retryable: false },
  method_not_allowed: { status: 405, message: 'Method not allowed', reason: 'method_not_allowed', retryable: false },
  personal_identity_required: {
    status: 403,
    message: 'Personal connections require the OIDC login',
    reason: 'personal_identity_required',
    retryable: false,
  }, // S
  payload_too_large: {
    status: 413,
    message: 'Request body exceeds 1048576 bytes',
    reason: 'payload_too_large',
    retryable: false,
  }, // S
  unsupported_media_type: {
    status: 415,
    message: 'Request body must be sent as application/json',
    reason: 'unsupported_media_type',
    retryable: false,
  }, // S
  invalid_body: { status: 400, message: 'Invalid request body', reason: 'invalid_body', retryable: false }, // S
  invalid_query: { status: 400, message: 'Invalid list query', reason: 'invalid_body', retryable: false }, // P
  invalid_idempotency_key: {
    status: 400,
    message: 'Idempotency-Key must be 1 to 255 characters',
    reason: 'invalid_body',
    retryable: false,
  },
  bad_request: { status: 400, message: 'Invalid request body', reason: 'bad_request', retryable: false }, // P
  unacceptable_answer: { status: 400, message: 'Unacceptable answer', reason: 'bad_request', retryable: false }, // P
  idempotency_key_reused: {
    status: 409,
    message: 'Idempotency-Key was used with another body',
    reason: 'idempotency_key_reused',
    retryable: false,
  }, // P
  name_conflict: {
    status: 409,
    message: 'An intern of this name exists',
    reason: 'name_conflict',
    retryable: false,
  }, // P
  vault_unavailable: {
    status: 409,
    message: 'The vault cannot be attached',
    reason: 'vault_unavailable',
    retryable: false,
  }, // P (409)
  vault_full: {
    status: 409,
    message: 'The vault holds as many secrets as it can',
    reason: 'vault_full',
    retryable: false,
  },
  secret_unbound: {
    status: 409,
    message: 'A secret without hosts cannot be copied; store it again with hosts',
    reason: 'secret_unbound',
    retryable: false,
  }, // P (409)
  vault_writes_disabled: {
    status: 503,
    message: 'Vault writes are disabled',
    reason: 'vault_writes_disabled',
    retryable: true,
  }, // P (503)
  intern_busy: {
    status: 409,
    message: 'The intern is in a state that does not allow this',
    reason: 'intern_busy',
    retryable: false,
  }, // P
  intern_not_ready: {
    status: 409,
    message: 'The intern is not running',
    reason: 'intern_not_ready',
    retryable: true,
  }, // P
  intern_not_running: {
    status: 409,
    message: 'The intern is not running',
    reason: 'intern_not_running',
    retryable: false,
  }, // P
  daemon_unreachable: {
    status: 409,
    message: 'The intern daemon cannot be reached',
    reason: 'intern_unreachable',
    retryable: false,
  }, // P
  interaction_unknown: {
    status: 404,
    message: 'No such interaction in this session',
    reason: 'interaction_unknown',
    retryable: false,
  }, // P
  interaction_not_pending: {
    status: 409,
    message: 'The interaction is no longer pending',
    reason: 'interaction_not_pending',
    retryable: false,
  }, // P
  attachment_failed: {
    status: 409,
    message: 'The run is streaming to another request',
    reason: 'attachment_failed',
    retryable: false,
  }, // P
  attachment_gone: {
    status: 410,
    message: 'The part of the run to continue from is no longer held',
    reason: 'attachment_failed',
    retryable: false,
  }, // P
  busy: { status: 409, message: 'The intern is busy with another turn', reason: 'busy', retryable: true }, // P
  too_many_waiting: {
    status: 503,
    message: 'Too many runs of this intern wait on questions',
    reason: 'busy',
    retryable: true,
  }, // P
  rate_limited: { status: 429, message: 'Too many intern turns', reason: 'rate_limited', retryable: true }, // S
  timeout: { status: 408, message: 'Operation timed out after 10s', reason: 'timeout', retryable: true }, // S
  run_ended: { status: 410, message: 'The intern ended the run', reason: 'run_ended', retryable: false }, // S (code)
  stream_severed: {
    status: 502,
    message: 'The connection to the intern broke',
    reason: 'stream_severed',
    retryable: true,
  }, // S (reason), P (code)
  intern_unreachable: {
    status: 502,
    message: 'The intern cannot be reached',
    reason: 'intern_unreachable',
    retryable: true,
  }, // P
  turn_failed: { status: 502, message: 'The turn failed', reason: 'turn_failed', retryable: false }, // P
  turn_timeout: {
    status: 504,
    message: 'The intern did not accept the prompt in time',
    reason: 'timeout',
    retryable: true,
  }, // P
  upstream_unavailable: {
    status: 502,
    message: 'An upstream service is unavailable; send the same request again',
    reason: 'upstream_unavailable',
    retryable: true,
  },
  service_unavailable: {
    status: 503,
    message: 'The service is unavailable',
    reason: 'service_unavailable',
    retryable: true,
  },
  gateway_timeout: { status: 504, message: 'The operation timed out', reason: 'timeout', retryable: true },
  internal_error: {
    status: 500,
    message: 'The request could not be completed',
    reason: 'internal_error',
    retryable: true,
  }, // S
  malformed_request: { status: 400, message: 'Invalid request', reason: 'invalid_body', retryable: false },
  misdirected: {
    status: 421,
    message: 'This host is not served here',
    reason: 'misdirected_request',
    retryable: false,
  },
  request_timeout: {
    status: 408,
    message: 'The request was not received in time',
    reason: 'timeout',
    retryable: true,
  },
  expectation_failed: {
    status: 417,
    message: 'The expectation of the request cannot be met',
    reason: 'expectation_failed',
    retryable: false,
  },
  headers_too_large: {
    status: 431,
    message: 'The header fields of the request are too large',
    reason: 'headers_too_large',
    retryable: false,
  },
  scim_unauthorized: { status: 401, message: 'Missing Authentication header' }, // S
  scim_not_found: { status: 404, message: 'Resource not found' }, // S
  scim_mapping_conflict: { status: 409, message: 'The mapping exists with another role' }, // P (409)
  scim_internal: { status: 500, message: 'Internal Server Error' }, // S
} as const satisfies Record<string, ErrorRow>;

export type ErrorKey = keyof typeof ERRORS;

/** The error body of every operation (BASE-3). */
export interface ErrorEnvelope {
  error: { code: number; message: string; metadata?: { reason: string; retryable: boolean } };
}

/**
 * A refusal on its way to the caller. Both the domain and the HTTP layer throw it; `key` names a row of {@link ERRORS}.
 * `message` replaces the row's. `detail` says what was wrong and where without changing a stated message: it goes into
 * the header `x-emulator-detail` and the journal. `headers` are added to the response.
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
    super(options.message ?? ERRORS[key].message);
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
export function rowEnvelope(row: ErrorRow, message?: string): ErrorEnvelope {
  return {
    error: {
      code: row.status,
      message: message ?? row.message,
      ...(row.reason === undefined ? {} : { metadata: { reason: row.reason, retryable: row.retryable ?? false } }),
    },
  };
}
