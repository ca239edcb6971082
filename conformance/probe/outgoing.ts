import type { CredentialName, Send } from './request.js';
import { MAX_BODY } from './watch.js';

/** A request as it leaves. */
export interface Outgoing {
  readonly url: string | URL;
  readonly method: string;
  readonly headers: Headers;
  /** An array is sent chunk by chunk, without a length. */
  readonly body?: string | Uint8Array | readonly Uint8Array[] | undefined;
  /** Aborts it. */
  readonly signal?: AbortSignal | undefined;
}

/** The parts of an answer that are used: of a `Response`, or of its substitute from a target in this process. */
export interface Incoming {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { getReader(): Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'> } | null;
}

/** The text of an answer, read to its end, no longer than the kit reads. */
export async function textOf({ body }: Incoming): Promise<string> {
  const reader = body?.getReader();
  const pieces: Uint8Array[] = [];
  let total = 0;
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    total += read.value.length;
    if (total > MAX_BODY) {
      await reader?.cancel();
      throw new Error(`an answer of more than ${MAX_BODY} bytes`);
    }
    pieces.push(read.value);
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}

/** Sends without a `Request` and a `Response`; undefined for what it leaves to `fetch`. */
export type PlainFetch = (outgoing: Outgoing) => Promise<Incoming> | undefined;

/** A request whose body is sent chunk by chunk: a `Request` itself does not say whether its body was whole. */
export class ChunkedRequest extends Request {}

/** @throws TypeError for an invalid request */
export function requestOf({ url, method, headers, body, signal }: Outgoing): Request {
  const init: RequestInit & { duplex?: 'half' } = { method, headers, redirect: 'manual' };
  if (signal !== undefined) init.signal = signal;
  if (!Array.isArray(body)) return new Request(url, body === undefined ? init : { ...init, body: body as string });
  return new ChunkedRequest(url, {
    ...init,
    body: ReadableStream.from(body as Uint8Array[]),
    duplex: 'half',
  } as typeof init);
}

/** The address that a request goes to: `url`, or `path` below the base, with its query. */
export function urlOf(send: Send, baseUrl: string): string {
  const url = send.url ?? `${baseUrl}${send.path ?? ''}`;
  if (send.query === undefined) return url;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(send.query)) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  return `${url}${url.includes('?') ? '&' : '?'}${query}`;
}

/** Whether an in-process request has a connection that can be closed: only a stream has. */
export const canBeClosed = (url: string): boolean => url.includes('/chat/');

/** A URL with another host. */
export function withHost(url: string, host: string): URL {
  const address = new URL(url);
  address.host = host;
  return address;
}

/** The target's names of headers that checks send by their published names, in lower case. */
export type HeaderNames = Readonly<Record<string, string>>;

/** The headers of a request, its credential among them. */
export function headersOf(send: Send, credential: (name: CredentialName) => string, names: HeaderNames = {}): Headers {
  const headers = new Headers();
  if (send.as !== null) {
    const as = send.as ?? 'api_key';
    const token = typeof as === 'string' ? credential(as) : as.bearer;
    const presented = send.present?.(token) ?? { authorization: `Bearer ${token}` };
    for (const [name, value] of Object.entries(presented)) headers.set(name, value);
  }
  if (send.json !== undefined) headers.set('content-type', 'application/json');
  if (send.host !== undefined) headers.set('host', send.host);
  for (const [name, value] of Object.entries(send.headers ?? {})) {
    if (value === undefined) headers.delete(names[name] ?? name);
    else headers.set(names[name] ?? name, value);
  }
  return headers;
}

/** The transcript says who sent by the credential's name. */
export function sender(send: Send, headers: Headers): Record<string, string> {
  const as = send.as === undefined ? 'api_key' : send.as;
  if (send.present !== undefined || !headers.has('authorization')) return {};
  if (typeof as !== 'string' || send.headers?.authorization !== undefined) return {};
  return { authorization: `Bearer [${as}]` };
}
