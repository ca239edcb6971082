import type { ClientCase } from '../contract/client-case.js';
import type { LabRequest, LabRun } from '../contract/lab-run.js';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** A request as it is kept while its answer goes on. */
export type KeptRequest = Writable<Omit<LabRequest, 'writes'>> & { writes: number[] };

/** One call of a client that a case serves: what answers it, and what it did. */
export interface PlayedCase extends Omit<LabRun, 'result'> {
  readonly theCase: ClientCase;
  readonly cuts: readonly number[] | undefined;
  readonly scale: number;
  readonly requests: KeptRequest[];
  readonly prompt: { due: number; out: number }[];
  /** Events due after each write; present if the client reports each event as it comes. */
  readonly due: readonly number[] | undefined;
  /** How many times the usual second the lab waits for them. */
  readonly patience: number;
  /** Events that the client has reported. */
  out: number;
  /** Is called at each event that the client reports. */
  reported: () => void;
  /** Aborts the rest when the run is over. */
  readonly over: AbortController;
}

const SECRET = /authorization|cookie|signature|nonce|api[-_]?key|token/i;

/** A run as it may be shown: no credential, no proof. */
export function shown(run: PlayedCase): LabRun {
  const hide = ([name, value]: readonly [string, string]) => [name, SECRET.test(name) ? '(redacted)' : value] as const;
  return {
    run: run.run,
    case: run.case,
    url: run.url,
    base_url: run.base_url,
    started: run.started,
    requests: run.requests.map((request) => ({ ...request, headers: request.headers.map(hide) })),
    prompt: run.prompt,
    ...(run.cuts === undefined ? {} : { cuts: run.cuts }),
  };
}
