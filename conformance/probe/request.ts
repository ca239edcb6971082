import { MAX_BODY } from './wait.js';

/** Credentials by the names of the target descriptor. `own_key` is an intern's own API key. */
export const CREDENTIAL_NAMES = [
  'api_key',
  'peer_api_key',
  'foreign_api_key',
  'outsider_api_key',
  'management_key',
  'oauth_token',
  'oauth_interns_only_token',
  'peer_oauth_token',
  'own_key',
] as const;
export type CredentialName = (typeof CREDENTIAL_NAMES)[number];
/** All credentials that no report may show. The last one exists only at an emulator, and no request names it. */
export const HELD_CREDENTIALS = [...CREDENTIAL_NAMES, 'foreign_management_key'] as const;
export type HeldCredential = (typeof HELD_CREDENTIALS)[number];

/** The sender: a credential of the target, a literal bearer token, or nobody. */
export type As = CredentialName | { readonly bearer: string } | null;

/** A request in the words of the interface. */
export interface Send {
  readonly method?: string;
  /** Below the base, with its leading slash, sent unchanged: `/interns?limit=2`. */
  readonly path?: string;
  /** An absolute URL instead of `path`. */
  readonly url?: string;
  readonly query?: Readonly<Record<string, string | number | readonly string[]>>;
  /** `api_key` by default. */
  readonly as?: As;
  /** Makes headers that carry the credential in another form than a bearer token. */
  readonly present?: (credential: string) => Readonly<Record<string, string>>;
  /** Headers to add or replace. Undefined removes one, even the content type that `json` brings. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON with its content type. */
  readonly json?: unknown;
  /** Sent unchanged, without a content type of the kit's. An array is sent chunk by chunk, without a length. */
  readonly body?: string | Uint8Array | readonly Uint8Array[];
  /** Host header, and host of the URL if there is no network. */
  readonly host?: string;
  /** ms of real time until the answer must begin. */
  readonly timeout?: number;
  /** A 429 is the expected answer: it is not waited out. */
  readonly limited?: boolean;
  /** Another sender, to repeat a request that was refused for now (429). */
  readonly other?: () => Promise<As> | undefined;
  /** Makes the JSON for repeating a request that a gateway may have lost: with a new name, as the old one may be taken. */
  readonly renew?: () => unknown;
  /** Whether a read does not wait for earlier writes to show, if reads lag. */
  readonly soon?: boolean;
}

/** Whether a body of chat answers a question: its last message is that of a tool. */
export function isAnswer(body: unknown): boolean {
  const { messages } = (body ?? {}) as { messages?: unknown };
  return Array.isArray(messages) && (messages.at(-1) as { role?: unknown } | undefined)?.role === 'tool';
}

/** The name of such a request in findings. */
export const ANSWER = 'the answer to a question';

/** The path of an intern, or of something below it (`/provision`). An id with reserved characters stays one segment. */
export const internPath = (id: string, below = ''): string => `/interns/${encodeURIComponent(id)}${below}`;

/** The id of the intern in an address, if there is one. */
export const internIn = (url: string): string | undefined => /\/interns\/([^/?]+)/.exec(url)?.[1];

/** The path of an address below the base, without its query. */
export const pathIn = (url: string): string => url.replace(/^.*?\/api\/v\d+(?=\/)/, '').replace(/[?#].*$/s, '');

/** A request as it leaves. */
export interface Outgoing {
  readonly url: string | URL;
  readonly method: string;
  readonly headers: Headers;
  /** An array is sent chunk by chunk, without a length. */
  readonly body?: string | Uint8Array | readonly Uint8Array[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The used parts of a `Response`, or of its substitute from a target in this process. */
export interface Incoming {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { getReader(): Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'> } | null;
}

/** The text of a whole answer, up to the longest that the kit reads. */
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

/** Sends a request without `Request` and `Response`. Undefined for requests that need `fetch`. */
export type PlainFetch = (outgoing: Outgoing) => Promise<Incoming> | undefined;

/** A request whose body is sent chunk by chunk, which a `Request` does not show. */
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

/** The URL of a request: `url`, or `path` below the base, with its query. */
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

export function withHost(url: string, host: string): URL {
  const address = new URL(url);
  address.host = host;
  return address;
}

/** The request as it leaves for an address. `names`: the target's names for published headers, in lower case. */
export function outgoingOf(
  send: Send,
  url: string | URL,
  credential: (name: CredentialName) => string,
  names: Readonly<Record<string, string>> = {},
): Outgoing {
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
  const text = send.json === undefined ? undefined : JSON.stringify(send.json);
  // A text without a content type would be sent as text/plain.
  const json = text === undefined || headers.has('content-type') ? text : new TextEncoder().encode(text);
  return { url, method: send.method ?? 'GET', headers, body: json ?? send.body };
}

/** The headers of a request for the transcript, with the name of the credential in place of its value. */
export function sender(send: Send, headers: Headers): Record<string, string> {
  const as = send.as === undefined ? 'api_key' : send.as;
  if (send.present !== undefined || !headers.has('authorization')) return {};
  if (typeof as !== 'string' || send.headers?.authorization !== undefined) return {};
  return { authorization: `Bearer [${as}]` };
}
