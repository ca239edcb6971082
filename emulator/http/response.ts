import { ERRORS, type ErrorRow, type Refusal, rowEnvelope } from '../contract/errors.js';
import { EventStream } from '../sse/stream.js';

/** A response before it becomes one: plain values, so that the pipeline can add to it at no cost. */
export interface PlainResponse {
  readonly status: number;
  readonly body: string | Uint8Array<ArrayBuffer> | EventStream | ReadableStream<Uint8Array> | null;
  readonly headers: Record<string, string>;
}

export const NO_CONTENT: PlainResponse = { status: 204, body: null, headers: {} };

/** A JSON answer (BASE-2). */
export const json = (value: unknown, status = 200, headers: Record<string, string> = {}): PlainResponse => ({
  status,
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json', ...headers },
});

/** The answer to a HEAD: that to a GET, with its length but without its body. */
export function headOf({ status, headers, body }: PlainResponse): PlainResponse {
  if (body === null || body instanceof EventStream || body instanceof ReadableStream)
    return { status, headers, body: null };
  return { status, headers: { ...headers, 'content-length': `${Buffer.byteLength(body)}` }, body: null };
}

/** Header values are Latin-1 in one line, and bounded. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 500);

/** The header with details for the sender of a request. */
export const noted = (...details: readonly (string | undefined)[]): Record<string, string> => {
  const said = details.filter((detail) => detail !== undefined).join('; ');
  return said === '' ? {} : { 'x-emulator-detail': headerText(said) };
};

/** The answer of an error row; `detail` goes into a header, since the messages are the interface's (BASE-3). */
export function errorResponse(
  row: ErrorRow,
  options: { message?: string; detail?: string | undefined; headers?: Readonly<Record<string, string>> } = {},
): PlainResponse {
  return json(rowEnvelope(row, options.message), row.status, {
    ...options.headers,
    ...noted(options.detail),
  });
}

export function refusalResponse(refusal: Refusal): PlainResponse {
  const { key, message, detail, headers, retryable } = refusal;
  const row: ErrorRow = ERRORS[key];
  return errorResponse(retryable === undefined ? row : { ...row, retryable }, { message, detail, headers });
}

export const toResponse = ({ status, headers, body }: PlainResponse): Response =>
  new Response(body instanceof EventStream ? body.readable() : body, { status, headers });

/** The answer to a request. It is a `Response` from recordings and disturbances, which read and rewrite bodies. */
export type AnyResponse = PlainResponse | Response;

export const asResponse = (answer: AnyResponse): Response => (answer instanceof Response ? answer : toResponse(answer));
