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
/** Those, and one that an emulator alone gives: no request is sent with it by name, and no report may show it. */
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
  /** Headers that carry the credential in another way than as a bearer token. */
  readonly present?: (credential: string) => Readonly<Record<string, string>>;
  /** Replace or add; undefined takes a header away (also the content type that `json` brings). */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON with its content type. */
  readonly json?: unknown;
  /** Sent unchanged, without a content type of the kit's. An array is sent chunk by chunk, without a length. */
  readonly body?: string | Uint8Array | readonly Uint8Array[];
  /** Host header, and host of the URL if there is no network. */
  readonly host?: string;
  /** ms of real time until the head of the answer must be there. */
  readonly timeout?: number;
  /** A 429 is the expected answer: it is not waited out. */
  readonly limited?: boolean;
  /** Sends it again where it was refused for now (429). */
  readonly other?: () => Promise<As> | undefined;
  /** The JSON that is sent in the place of `json` where a gateway may have lost this: a new name, as the old may be taken. */
  readonly renew?: () => unknown;
  /** A read that does not wait for earlier writes to show, if reads lag. */
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
