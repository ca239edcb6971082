import type { Fetch } from '../probe/client.js';
import { CREDENTIAL_NAMES, type CredentialName, internPath } from '../probe/request.js';
import { createGuard, type GuardOptions, type Heard } from './guard.js';

export interface GuardFetchOptions extends Pick<GuardOptions, 'own' | 'wait'> {
  readonly fetch: Fetch;
  /** Up to and including /api/v1, without a slash at its end. */
  readonly baseUrl: string;
  credential(name: CredentialName): string | undefined;
  /** What the target calls the header of idempotency keys, in lower case. */
  readonly keyHeader?: string;
  /** Whether nobody else has interns there, as at an emulator of the run's own: none is read before it is written to. */
  readonly alone?: boolean;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * A `fetch` that sends no write to an intern which the run did not make. For whoever sends without the kit's client, which
 * keeps to the same rule.
 *
 * @throws Skipped, Finding as {@link createGuard} says
 */
export function guardFetch(options: GuardFetchOptions): Fetch {
  const { fetch, baseUrl, credential, own, keyHeader = 'idempotency-key', alone = false } = options;
  const bearer = (request: Request) => /^Bearer (.*)$/.exec(request.headers.get('authorization') ?? '')?.[1];
  const sender = (request: Request): CredentialName =>
    CREDENTIAL_NAMES.find((name) => credential(name) !== undefined && credential(name) === bearer(request)) ??
    'api_key';
  const read = async (id: string, as: CredentialName): Promise<Heard> => {
    const url = `${baseUrl}${internPath(id)}`;
    const response = await fetch(new Request(url, { headers: { authorization: `Bearer ${credential(as) ?? ''}` } }));
    return { url, status: response.status, json: parsed(await response.text()) };
  };
  const guard = createGuard({ own, read: alone ? undefined : read, ...(options.wait && { wait: options.wait }) });
  return async (request) => {
    const { method, url } = request;
    const body = method === 'POST' || method === 'PATCH' ? await request.clone().text() : undefined;
    const key = request.headers.get(keyHeader) ?? undefined;
    const asked = await guard.before({ method, url, body, as: sender(request), key });
    const response = await fetch(request);
    // Streams name nobody, and are left as they come.
    if (!/json/i.test(response.headers.get('content-type') ?? '')) return response;
    guard.after(asked, { url, status: response.status, json: parsed(await response.clone().text()) });
    return response;
  };
}
