import { jsonOf } from './json.js';
import type { Redactor } from './redact.js';
import { ANSWER, internIn, isAnswer, type Outgoing, pathIn } from './request.js';

/** A request as sent, without secrets. */
interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text of the body, cut if it is long; bytes that are not UTF-8 appear as their number. */
  readonly body?: string;
  /** Length of a body that is not shown whole. */
  readonly bytes?: number;
}

/** Bytes as the network delivered them. `at` in ms since the run began. */
export interface Piece {
  readonly at: number;
  readonly text: string;
  /** Whether a lab sent it on purpose, unlike any ordinary answer. Reports mark it. */
  readonly odd?: true;
}

/** One request and what came back, for reports. Serialisable and free of secrets. */
export interface ShownExchange {
  readonly number: number;
  /** ms since the run began. */
  readonly at: number;
  readonly request: RecordedRequest;
  readonly response?: {
    readonly at: number;
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly pieces: readonly Piece[];
    /** Whether a lab sent it: each byte matters, so it is shown as it was sent. */
    readonly sent?: true;
    /** How the body ended: `end`, `cancelled` by the kit, or what broke it; absent while it is open. */
    readonly ended?: string;
  };
  /** Why there is no response. */
  readonly error?: string;
}

/** Characters of the longest body that a transcript keeps whole. */
const KEPT = 16_384;
/** Most characters of an answer that a transcript shows. */
const SHOWN = 4 * KEPT;
/** Characters that are kept beyond the shown ones, to recognize a secret at the cut. */
const MARGIN = 8_192;

/** An exchange in progress. It holds raw bytes in memory only; {@link snapshot} is redacted. */
export class Evidence {
  private readonly pieces: { at: number; bytes: Uint8Array }[] = [];
  private kept = 0;
  private dropped = 0;
  private head: { at: number; status: number; headers: Headers } | undefined;
  /** How the body ended; undefined while it is open. */
  ended: string | undefined;
  private error: string | undefined;

  constructor(
    readonly number: number,
    private readonly at: number,
    /** Makes the record of the request, without secrets; called only if a transcript is wanted. */
    private readonly request: () => RecordedRequest,
    private readonly redactor: Redactor,
  ) {}

  answered(at: number, status: number, headers: Headers): void {
    this.head = { at, status, headers };
  }

  received(at: number, bytes: Uint8Array): void {
    if (this.kept > SHOWN + MARGIN) {
      this.dropped += bytes.length;
      return;
    }
    this.kept += bytes.length;
    this.pieces.push({ at, bytes });
  }

  close(how: string): void {
    this.ended ??= how;
  }

  failed(why: string): void {
    this.error = this.redactor.text(why);
  }

  snapshot(): ShownExchange {
    const { head } = this;
    return {
      number: this.number,
      at: this.at,
      request: this.request(),
      ...(head === undefined
        ? {}
        : {
            response: {
              ...head,
              headers: this.redactor.headers(head.headers),
              pieces: this.text(),
              ...(this.ended === undefined ? {} : { ended: this.redactor.text(this.ended) }),
            },
          }),
      ...(this.error === undefined ? {} : { error: this.error }),
    };
  }

  private text(): Piece[] {
    const decoder = new TextDecoder();
    const texts = this.pieces.map((piece) => decoder.decode(piece.bytes, { stream: true }));
    // A secret may lie across two pieces, so the whole text is searched before it is cut.
    const clean = this.redactor.pieces(texts);
    const pieces: Piece[] = [];
    let left = SHOWN;
    let cut = this.dropped;
    for (const [index, { at }] of this.pieces.entries()) {
      const text = clean[index] ?? '';
      if (left > 0) pieces.push({ at, text: text.slice(0, left) });
      cut += Math.max(0, text.length - Math.max(0, left));
      left -= text.length;
    }
    if (cut > 0) pieces.push({ at: this.pieces.at(-1)?.at ?? 0, text: `… ${cut} more bytes` });
    return pieces;
  }
}

/** A request body for the transcript, redacted before anything is cut off. */
export function recordedBody(body: Outgoing['body'], redactor: Redactor): Pick<RecordedRequest, 'body' | 'bytes'> {
  if (body === undefined) return {};
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    return { body: `${body.length} chunks`, bytes: body.reduce((sum, chunk) => sum + chunk.length, 0) };
  const raw =
    typeof body === 'string' ? body.slice(0, KEPT + MARGIN) : new TextDecoder().decode(body.subarray(0, KEPT + MARGIN));
  const text = redactor.text(raw);
  return body.length > KEPT
    ? { body: `${text.slice(0, 512)}… (${body.length} long)`, bytes: body.length }
    : { body: text };
}

/**
 * The operation of a request, without address, query and id. An answer to a question is distinct from other
 * prompts.
 */
export function operationOf({ request: { method, url, body } }: ShownExchange): string {
  if (isAnswer(jsonOf(body ?? ''))) return ANSWER;
  const id = internIn(url);
  const path = pathIn(url);
  return `${method} ${id === undefined ? path : path.replace(id, '{internId}')}`;
}

/** The name of the credential that a request was sent with. */
export const senderOf = ({ request }: ShownExchange): string | undefined =>
  /\[(\w+)\]/.exec(request.headers.authorization ?? '')?.[1];

/** The body of an answer in the evidence. */
export const bodyOf = ({ response }: ShownExchange): string => response?.pieces.map(({ text }) => text).join('') ?? '';
