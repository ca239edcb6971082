import { createEmulator, type Emulator } from '../emulator.js';
import type { EmulatorOptions } from '../options/options.js';
import { validateControl } from './answers.harness.js';
import { validateExchange } from './exchanges.harness.js';

/** A response read to its end. `json` is undefined if the body is not JSON. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  json: any;
}

export interface Sending {
  /** A credential; null sends none. Default: the target's API key. */
  as?: string | null;
  body?: unknown;
  /** Sent as they are, with no content type of our own. */
  raw?: string | ReadableStream<Uint8Array>;
  headers?: Record<string, string>;
}

/** An emulator on a virtual clock and the requests of tests to it, without sockets. */
export const createTestClient = (options: EmulatorOptions = {}) =>
  clientOf(createEmulator({ clock: 'virtual', seed: 'tests', log: () => {}, ...options }), options);

/** The requests of tests to an emulator. A response that the OpenAPI documents do not describe fails the test. */
export function clientOf(emulator: Emulator, options: Pick<EmulatorOptions, 'profile'> = {}) {
  const { credentials } = emulator.target;
  let named = 0;
  const call = async (method: string, path: string, ask: Sending = {}): Promise<Reply> => {
    const headers = new Headers(ask.headers);
    const as = ask.as === undefined ? credentials.api_key : ask.as;
    if (as !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${as}`);
    const body = ask.raw ?? (ask.body === undefined ? undefined : JSON.stringify(ask.body));
    if (body !== undefined && ask.raw === undefined && !headers.has('content-type'))
      headers.set('content-type', 'application/json');
    const url = path.startsWith('/_') ? path : emulator.target.base_url + path;
    const response = await emulator.fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    } as RequestInit);
    const text = await response.text();
    const { status } = response;
    const observed = { method, url, status, headers: response.headers, text };
    const problems = [...(options.profile ? [] : validateExchange(observed)), ...validateControl(observed)];
    if (problems.length > 0)
      throw new Error(`not as the OpenAPI document says: ${method} ${path}: ${problems.join('; ')}`);
    let json: unknown;
    try {
      json = text === '' ? undefined : JSON.parse(text);
    } catch {}
    return { status, headers: response.headers, text, json };
  };
  return {
    emulator,
    credentials,
    workspaceId: emulator.target.workspace_id,
    call,
    get: (path: string, ask?: Sending) => call('GET', path, ask),
    post: (path: string, body?: unknown, ask?: Sending) => call('POST', path, { body, ...ask }),
    patch: (path: string, body?: unknown, ask?: Sending) => call('PATCH', path, { body, ...ask }),
    put: (path: string, body?: unknown, ask?: Sending) => call('PUT', path, { body, ...ask }),
    delete: (path: string, body?: unknown, ask?: Sending) => call('DELETE', path, { body, ...ask }),
    advance: (ms: number) => emulator.clock.advance(ms),
    /** Sends a prompt: to the seeded intern, or to another. */
    chat: (content: string, more: object = {}, ask?: Sending, to = credentials.intern?.id) => {
      const body = { stream: true, messages: [{ role: 'user', content }], ...more };
      return call('POST', `/interns/${to}/chat/completions`, { body, ...ask });
    },
    /** A new intern's record. */
    async create(body: Record<string, unknown> = {}, ask?: Sending) {
      const name = `t-${named++}`;
      const reply = await call('POST', '/interns', {
        body: { name, workspace_id: emulator.target.workspace_id, ...body },
        ...ask,
      });
      if (reply.status !== 201) throw new Error(`create answered ${reply.status}: ${reply.text}`);
      return reply.json;
    },
  };
}
