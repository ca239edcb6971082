/** A run of the lab, with the requests of its client: `GET /_emulator/lab/runs/{run}` (LAB-8). Times are ms of real time. */
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
  readonly status?: number | undefined;
  /** Bytes of the answer, head and framing included, that the connection took. */
  readonly taken: number;
  /** When the head of the answer was written. */
  readonly headed?: number | undefined;
  /** When each write of the body was made. */
  readonly writes: readonly number[];
  /** When the whole answer was written. */
  readonly answered?: number | undefined;
  /** When the connection, in HTTP/2 the stream, closed under the answer, and how. */
  readonly closed?: { readonly at: number; readonly by: 'client' | 'reset' } | undefined;
}

/** The verdict of a kit that judged a run. */
export interface LabResult {
  /** The client, as its adapter names it. */
  readonly client: string;
  readonly verdict: 'pass' | 'pass-alternative' | 'fail' | 'skip' | 'error';
  /** What is wrong, or why there is no verdict. */
  readonly sentence?: string;
  readonly expected?: string;
  readonly actual?: string;
}

/** A run that a kit made and judged elsewhere, as `POST /_emulator/lab/results` takes it. */
export interface JudgedRun extends Pick<LabResult, 'client' | 'verdict'> {
  readonly case: string;
  readonly sentence?: string | undefined;
  readonly expected?: string | undefined;
  readonly actual?: string | undefined;
  readonly cuts?: readonly number[] | undefined;
  readonly url?: string | undefined;
  readonly started?: number | undefined;
  readonly requests: readonly LabRequest[];
}

/** A write of an answer, or what came between writes. */
export interface SentPart {
  /** ms since the request arrived; absent where it was not made, or not by a write. */
  readonly at?: number;
  readonly bytes?: number;
  /** The bytes as text, in hex where they are none; of something else, what it is. */
  readonly text: string;
  readonly hex?: true;
}

/** The writes that answered a request: `GET /_emulator/lab/runs/{run}/sent`. */
export interface Sent {
  readonly request: number;
  readonly parts: readonly SentPart[];
  /** Parts that are left out at the end. */
  readonly more: number;
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
  /** Where the body was cut, if elsewhere than the case writes it. */
  readonly cuts?: readonly number[] | undefined;
  /** If a kit judged it. */
  readonly result?: LabResult;
}
