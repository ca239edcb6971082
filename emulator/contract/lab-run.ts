/** What a client did in a run of the lab: `GET /_emulator/lab/runs/{run}` (LAB-8). Times are ms of real time. */
export interface LabRequest {
  /** From 1, counted over both origins and both sides. */
  readonly n: number;
  readonly origin: 'base' | 'other';
  readonly at: 'client' | 'sign' | 'daemon';
  readonly method: string;
  /** The connection that brought it: from 1, counted over both origins. */
  readonly connection: number;
  /** Below the base URL, or below the daemon's origin, as sent. */
  readonly path: string;
  /** As sent, in order. Credentials and proofs are redacted where they are shown. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** When it arrived. */
  readonly arrived: number;
  readonly status?: number;
  /** Bytes of the answer, head and framing included, that the connection took. */
  readonly taken: number;
  /** When the head of the answer was written. */
  readonly headed?: number;
  /** When each write of the body was made. */
  readonly writes: readonly number[];
  /** When the whole answer was written. */
  readonly answered?: number;
  /** When the connection, in HTTP/2 the stream, closed under the answer, and how. */
  readonly closed?: { readonly at: number; readonly by: 'client' | 'reset' };
}

export interface LabRun {
  readonly run: string;
  readonly case: string;
  readonly url: string;
  readonly base_url: string;
  readonly started: number;
  readonly requests: readonly LabRequest[];
  /** Events that were out, and due, at each write of a prompt case. */
  readonly prompt: readonly { readonly due: number; readonly out: number }[];
}
