import { ERRORS, Refusal } from '../contract/errors.js';
import { requirementOf } from '../contract/refused-by.js';
import type { Caller } from '../domain/caller.js';
import type { Interns } from '../domain/interns.js';
import type { Exchange, Resource } from './exchange.js';
import { errorResponse, type PlainResponse, refusalResponse } from './response.js';

/** The requirement of a 404 that follows from the caller alone. */
const unseenBy = ({ programme, kind }: Caller) => {
  if (!programme) return 'AUTH-5';
  return kind === 'own_key' ? 'AUTH-4' : undefined;
};

export interface FailureDeps {
  readonly interns: Interns;
  /** Redacts credentials in a text: a detail may quote what was sent (AUTH-9). */
  redact(text: string): string;
  log(record: Record<string, unknown>): void;
}

/** Turns a thrown value into a response: a refusal into its own, anything else into a 500 that is logged. */
export function createFailure(deps: FailureDeps): (thrown: unknown, exchange: Exchange) => PlainResponse {
  const redacted = (refusal: Refusal): Refusal => {
    const { key, message, detail, headers, retryable, wrong, fields } = refusal;
    const clean = detail && deps.redact(detail);
    if (clean === detail) return refusal;
    return new Refusal(key, {
      message,
      ...(clean === undefined ? {} : { detail: clean }),
      headers: { ...headers },
      fields,
      ...(wrong === undefined ? {} : { wrong }),
      ...(retryable === undefined ? {} : { retryable }),
    });
  };

  /** The mistake of a request, in words for the operator of the emulator: more than its sender may learn. */
  const wrongOf = (refusal: Refusal, { internId }: Resource): string => {
    if (refusal.wrong !== undefined) return refusal.wrong;
    if (refusal.detail !== undefined) return refusal.detail;
    if (refusal.key !== 'not_found' || internId === undefined)
      return refusal.message.replace(/^Invalid request body: /, '');
    const row = deps.interns.get(internId.toLowerCase());
    return row ? `the caller does not see ${row.record.name}, which exists` : `intern ${internId} does not exist`;
  };

  return (thrown, exchange) => {
    const { resource, draft } = exchange;
    const error = thrown instanceof Refusal ? redacted(thrown) : thrown;
    if (error instanceof Refusal) {
      draft.refused = {
        key: error.key,
        fields: error.fields,
        wrong: wrongOf(error, resource),
        requirement:
          (error.key === 'not_found' ? unseenBy(exchange.caller) : undefined) ??
          requirementOf(error.key, draft.operation, error.fields),
      };
      // No SCIM error has metadata (SCIM-2).
      if (resource.area === 'scim') {
        const { status } = ERRORS[error.key];
        return errorResponse({ status, message: error.message }, { detail: error.detail, headers: error.headers });
      }
      return refusalResponse(error);
    }
    deps.log({
      level: 'error',
      event: 'internal_error',
      request_id: draft.id,
      error: error instanceof Error ? error.stack : String(error),
    });
    draft.refused = { key: 'internal_error', wrong: 'a mistake of the emulator: see its log', requirement: undefined };
    return errorResponse(resource.area === 'scim' ? ERRORS.scim_internal : ERRORS.internal_error);
  };
}
