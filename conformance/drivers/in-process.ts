import { type AssembledEmulator, assemble } from '../../emulator/emulator.js';
import type { EmulatorOptions } from '../../emulator/index.js';
import { PlainRequest } from '../../emulator/requests/received-request.js';
import type { Incoming, PlainFetch } from '../probe/request.js';

/** Methods that a `Request` neither changes nor refuses. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD']);

const utf8 = new TextEncoder();

/** The body of a complete answer, to be read once. */
function readerOf(body: string | Uint8Array) {
  let left: Uint8Array | undefined = typeof body === 'string' ? utf8.encode(body) : body;
  return {
    async read() {
      const value = left;
      left = undefined;
      return value === undefined || value.length === 0
        ? { done: true as const, value: undefined }
        : { done: false as const, value };
    },
    async cancel() {
      left = undefined;
    },
  };
}

/**
 * An emulator in this process, and a way to ask its interface and its control interface. `plainFetch` sends what a
 * `Request` would; it makes one of anything that a `Request` would change or refuse.
 */
export function startInProcess(options: EmulatorOptions): {
  readonly emulator: AssembledEmulator;
  readonly plainFetch: PlainFetch;
} {
  // The kit reports what the emulator would log.
  const emulator = assemble({ log: () => {}, ...options });
  const { base_url, control_url, daemon_origin } = emulator.target;
  const served = [base_url, control_url].map((url) => `${new URL(url).pathname}/`);
  const daemon = new URL(daemon_origin).host;

  const ask = async (request: PlainRequest): Promise<Incoming> => {
    const { status, headers, body } = await emulator.exchange(request);
    const reader = typeof body === 'string' || body instanceof Uint8Array ? readerOf(body) : body;
    return { status, headers: new Headers(headers), body: reader && { getReader: () => reader } };
  };
  return {
    emulator,
    plainFetch({ url: address, method, headers, body, signal }) {
      if (!METHODS.has(method) || Array.isArray(body)) return undefined;
      if (WITHOUT_BODY.has(method) && body !== undefined) return undefined;
      // A text is declared as text by default.
      if (typeof body === 'string' && !headers.has('content-type')) return undefined;
      const url = typeof address === 'string' ? new URL(address) : address;
      if (url.host === daemon || !served.some((path) => url.pathname.startsWith(path)) || url.username !== '')
        return undefined;
      return ask(new PlainRequest(method, url.href, headers, (body ?? '') as string | Uint8Array, signal));
    },
  };
}
