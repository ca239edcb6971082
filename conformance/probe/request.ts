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

/** Who sends: a credential of the target, a literal bearer token, or nobody. */
export type As = CredentialName | { readonly bearer: string } | null;

/** A request in the words of the interface. */
export interface Send {
  readonly method?: string;
  /** Below the base, with its leading slash, sent as it stands: `/interns?limit=2`. */
  readonly path?: string;
  /** An absolute URL instead of `path`. */
  readonly url?: string;
  readonly query?: Readonly<Record<string, string | number | readonly string[]>>;
  /** `api_key` where nothing is said. */
  readonly as?: As;
  /** Headers that carry the credential in another way than as a bearer token. */
  readonly present?: (credential: string) => Readonly<Record<string, string>>;
  /** Replace or add; undefined takes a header away (also the content type that `json` brings). */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON with its content type. */
  readonly json?: unknown;
  /** Sent as it is, without a content type of the kit's. An array is sent chunk by chunk, without a length. */
  readonly body?: string | Uint8Array | readonly Uint8Array[];
  /** Host header, and host of the URL where there is no network. */
  readonly host?: string;
  /** ms of real time until the head of the answer has to be there. */
  readonly timeout?: number;
  /** A 429 is what is asked for: it is not waited out. */
  readonly limited?: boolean;
  /** A read that does not wait for what was written to be there, where reads lag behind. */
  readonly soon?: boolean;
}

/** Whether a body of chat answers a question: its last message is that of a tool. */
export function isAnswer(body: unknown): boolean {
  const { messages } = (body ?? {}) as { messages?: unknown };
  return Array.isArray(messages) && (messages.at(-1) as { role?: unknown } | undefined)?.role === 'tool';
}

/** What findings call such a request. */
export const ANSWER = 'the answer to a question';

/** The path of an intern, or of what stands below it (`/provision`). An id that means more than itself stays one segment. */
export const internPath = (id: string, below = ''): string => `/interns/${encodeURIComponent(id)}${below}`;

/** The id of the intern that an address is about, where it is about one. */
export const internIn = (url: string): string | undefined => /\/interns\/([^/?]+)/.exec(url)?.[1];
