import type { SentRequest } from '../../contract/curl.js';
import type { RefusalKey } from '../../contract/daemon.js';
import type { JournalEntry } from '../../contract/journal-entry.js';
import { jsonOf } from '../../contract/nesting.js';
import type { FieldProblem } from '../../contract/problem.js';
import { isRecord } from '../../contract/record.js';
import type { RunView } from '../../contract/run.js';

/** A request and its circumstances, from which advice is given. */
export interface Facts {
  readonly entry: JournalEntry;
  /** The error of a refused request. */
  readonly key: RefusalKey | undefined;
  readonly fields: readonly FieldProblem[];
  /** Base URL: `http://127.0.0.1:4683/api/v1`. */
  readonly base: string;
  readonly workspaceId: string;
  readonly idempotencyHeader: string;
  readonly toolName: string;
  /** The present status of the intern in the path, if there is one. */
  readonly status: string | undefined;
  /** A run of this intern that waits for an answer: that of the request, if it has one. */
  readonly waiting: RunView | undefined;
}

/** The advice on a refusal: the place of the mistake, the correction, and the corrected request. */
export interface Advice {
  /** `header`, `path`, `query`, `body`, or `state` where the request itself was right. */
  readonly in: string;
  readonly at: string;
  readonly do: string | ((facts: Facts) => string);
  readonly send?: (facts: Facts) => SentRequest | undefined;
  readonly page: string;
}

/** The body of the request as an object, if it is one. */
export function bodyOf({ body }: Pick<SentRequest, 'body'>): Record<string, unknown> | undefined {
  const value = jsonOf(body ?? '');
  return isRecord(value) ? value : undefined;
}

/** A request with another body, as JSON. */
export const withBody = (sent: SentRequest, body: unknown): SentRequest => ({
  ...sent,
  headers: { ...sent.headers, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
