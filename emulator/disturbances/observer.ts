import { through } from '../wire/streams.js';

export interface CameRequest {
  readonly operation: string;
  readonly method: string;
  /** Path and query, from the base of the interface on; of a daemon's, its own. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** Follows one exchange: what the emulator did, and what its client was shown of it. */
export interface ExchangeObserver {
  /** The emulator answered, before any disturbance of the answer; `made` is the id of an intern that it made. */
  acted(status: number, made?: string): void;
  /** The head of the answer as the client gets it; of a refusal its body too, which few clients read. */
  answered(status: number, headers: Headers, refusal?: string): void;
  wrote(bytes: Uint8Array): void;
  /** A disturbance has happened to it. */
  disturbed(kind: string): void;
  ended(how: 'complete' | 'left' | 'broken'): void;
}

/** Receives requests in the order in which they come. */
export type ObserveExchange = (request: CameRequest) => ExchangeObserver;

/** The same answer, observed while it is read. */
export async function observedResponse(response: Response, observer: ExchangeObserver): Promise<Response> {
  const { status, headers } = response;
  observer.answered(status, headers, status < 400 ? undefined : await response.clone().text());
  if (response.body === null) observer.ended('complete');
  return through(response, {
    sends(piece) {
      if (piece === undefined) observer.ended('complete');
      else observer.wrote(piece);
      return piece;
    },
    left(cancel) {
      observer.ended('left');
      return cancel();
    },
    broken: () => observer.ended('broken'),
  });
}
