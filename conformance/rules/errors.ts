import { all, holds, is, isFromService, type Judgement, type Seen } from './rule.js';

export type SigningRow = readonly [message: RegExp, reason: string, retryable: boolean];

/** The row of the service's own limiter. Gateways use other words for the same status. */
export const LIMITED: SigningRow = [/^Too many intern turns/, 'rate_limited', true];

/** Published reasons: the statuses of each, and whether the request may be retried. */
const REASONS: Readonly<Record<string, readonly [statuses: readonly number[], retryable: boolean]>> = {
  not_found: [[404], false],
  method_not_allowed: [[405], false],
  personal_identity_required: [[403], false],
  payload_too_large: [[413], false],
  unsupported_media_type: [[415], false],
  invalid_body: [[400], false],
  bad_request: [[400], false],
  idempotency_key_reused: [[409], false],
  name_conflict: [[409], false],
  intern_busy: [[409], false],
  intern_not_ready: [[409], true],
  intern_not_running: [[409], false],
  interaction_unknown: [[404], false],
  interaction_not_pending: [[409], false],
  busy: [[409, 503], true],
  rate_limited: [[429], true],
  timeout: [[408, 504], true],
  internal_error: [[500], true],
  run_ended: [[410], false],
};

/** Kept if a published reason comes with its published status and retryable flag. */
export function reasonIs(of: string, reason: unknown, status: unknown, retryable: unknown): Judgement {
  const row = typeof reason === 'string' && Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
  if (row === undefined) return undefined;
  const [statuses, again] = row;
  return all(
    holds(
      statuses.some((one) => one === status),
      `status of ${of} for ${String(reason)}`,
      statuses.join(' or '),
      status,
    ),
    is(`error.metadata.retryable of ${of} for ${String(reason)}`, again, retryable),
  );
}

export const isOurs = (seen: Seen): boolean => seen.answered.status >= 400 && isFromService(seen);

export const answerOf = (seen: Seen): string => `a ${seen.answered.status} of ${seen.called}`;

export const message = (seen: Seen, pattern: RegExp): Judgement =>
  holds(
    typeof seen.error?.message === 'string' && pattern.test(seen.error.message),
    `error.message of ${answerOf(seen)}`,
    `a message that matches ${pattern}`,
    seen.error?.message,
  );

/** Kept if `Retry-After` says when to send the request again. */
export const saysWhen = (seen: Seen): Judgement => {
  const value = seen.answered.header('retry-after') ?? '';
  return holds(
    /^\d+$/.test(value) || (/GMT$/.test(value) && !Number.isNaN(Date.parse(value))),
    `Retry-After of ${answerOf(seen)}`,
    'seconds, or a date',
    value,
  );
};
