/** An unsuccessful answer, in the words of the emulator. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    message: string,
    readonly reason: string | undefined,
    readonly detail: string | undefined,
  ) {
    super(message);
  }
}

/** An error in the words of the emulator, with what exactly was wrong. */
export const errorText = (error: unknown): string => {
  const { message, detail } = error as Error & { detail?: string };
  return detail ? `${message}: ${detail}` : (message ?? String(error));
};

const TOKEN = 'intern-emulator.control-token';

export interface Sent {
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

interface Envelope {
  error?: { message?: string; metadata?: { reason?: string } };
}

async function failure(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as Envelope;
  const detail = response.headers.get('x-emulator-detail') ?? undefined;
  const message = body.error?.message ?? `${response.status} ${response.statusText}`;
  return new ApiError(response.status, message, body.error?.metadata?.reason, detail);
}

/** `fetch`, with an error of our own words: a browser says "Failed to fetch", or something else. */
export async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Error('The emulator does not answer. It may have been stopped, or the network is down.');
  }
}

/**
 * Letters and digits that no other request has. The browser's random source works even if the page is not a secure
 * context.
 */
export function freshId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return Array.from(bytes, (byte) => byte.toString(36).padStart(2, '0')).join('');
}

/**
 * The documented calls of the emulator that serves this page: the control interface beside it, and the interface as
 * another client would use it. The control token is kept for as long as the tab is open, and sent as a header only.
 */
export function createApi(page: string) {
  const root = new URL('.', page).href;
  const base = new URL('../api/v1', page).href;
  let token = sessionStorage.getItem(TOKEN) ?? '';

  /** Sends a call with its JSON. Throws ApiError. */
  const send = async (method: string, url: string, key: string, { body, headers, signal }: Sent): Promise<Response> => {
    const response = await reach(url, {
      method,
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    if (!response.ok) throw await failure(response);
    return response;
  };
  const sendControl = (method: string, path: string, { headers, ...sent }: Sent = {}) =>
    send(method, root + path, token, { ...sent, headers: { accept: 'application/json', ...headers } });
  const control = async <T = unknown>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await sendControl(method, path, { body });
    return (response.status === 204 ? undefined : await response.json()) as T;
  };
  return {
    base,
    setToken(value: string) {
      token = value;
      if (value === '') sessionStorage.removeItem(TOKEN);
      else sessionStorage.setItem(TOKEN, value);
    },
    /** A call below `/_emulator/`. Throws ApiError. */
    control,
    /** The rows of a list below `/_emulator/`. Throws ApiError. */
    list: async <Row>(path: string): Promise<readonly Row[]> => (await control<{ data: Row[] }>('GET', path)).data,
    /** A file below `/_emulator/`, as text. Throws ApiError. */
    file: async (path: string): Promise<string> => (await sendControl('GET', path)).text(),
    /** A stream below `/_emulator/`. Throws ApiError. */
    stream: (path: string, signal: AbortSignal, headers: Record<string, string>) =>
      sendControl('GET', path, { signal, headers: { ...headers, accept: 'text/event-stream' } }),
    /** A call of the interface, below `/api/v1`. Throws ApiError. */
    call: (
      method: string,
      path: string,
      key: string,
      { id = `console-${freshId()}`, ...sent }: Pick<Sent, 'body' | 'signal'> & { id?: string } = {},
    ): Promise<Response> => send(method, base + path, key, { ...sent, headers: { 'x-request-id': id } }),
    /** A file that came with the page. */
    async asset<T>(name: string): Promise<T> {
      return (await reach(`${root}console/${name}`, {})).json() as Promise<T>;
    },
  };
}

export type Api = ReturnType<typeof createApi>;
