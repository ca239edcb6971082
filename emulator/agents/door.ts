import type { LoadChecks } from '../contract/checks.js';
import type { Target } from '../contract/target.js';

/** The documented calls of an emulator that the tools of agents reach: of the control interface and of the interface. */
export interface Door {
  /** Sends to the control interface, below `/_emulator`. */
  control(method: string, path: string, body?: unknown): Promise<Response>;
  /** Sends to the interface, below the base. */
  api(method: string, path: string, init: ApiInit): Promise<Response>;
  /** Of the control interface. */
  readonly token: string | undefined;
  /** The kit and the lab; undefined where nobody handed them in. */
  readonly checks: LoadChecks | undefined;
  /** Whether the caller started this process, and speaks by its standard input. */
  readonly stdio: boolean;
  /** Whether commands of the caller may be run on this machine. */
  readonly mayRun: boolean;
  /** Whether others reach the emulator at the addresses of its target. */
  readonly listens: boolean;
}

export interface ApiInit {
  readonly key: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A mistake that an agent can mend: what is wrong, and what to do next. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  constructor(
    message: string,
    readonly next: string,
  ) {
    super(message);
  }
}

/**
 * The JSON that a call of the control interface answers.
 *
 * @throws ToolError with its message
 */
export async function controlJson<T>(door: Door, method: string, path: string, body?: unknown): Promise<T> {
  const response = await door.control(method, path, body);
  const text = await response.text();
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
  let message = text;
  try {
    message = (JSON.parse(text) as { error: { message: string } }).error.message;
  } catch {
    // Not ours: shown as it is.
  }
  throw new ToolError(
    `${message} (${response.status})`,
    response.status === 403
      ? 'Give the control token: --control-token or INTERN_CONTROL_TOKEN.'
      : 'Correct the arguments and call again. GET /_emulator lists every call and its body.',
  );
}

export const targetOf = (door: Door): Promise<Target> => controlJson<Target>(door, 'GET', '/target');

interface DoorOptions {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** `http://127.0.0.1:4683/_emulator` */
  readonly control: string;
  /** `http://127.0.0.1:4683/api/v1` */
  readonly base: () => string | Promise<string>;
}

/** A door by requests: to an emulator that runs elsewhere, or to one in this process. */
export function createDoor(
  { fetch, control, base }: DoorOptions,
  rest: Pick<Door, 'token' | 'checks' | 'stdio' | 'mayRun' | 'listens'>,
): Door {
  const bodyOf = (body: unknown) => (body === undefined ? {} : { body: JSON.stringify(body) });
  const json = { 'content-type': 'application/json' };
  return {
    ...rest,
    control: (method, path, body) =>
      fetch(control + path, {
        method,
        headers: { ...json, ...(rest.token === undefined ? {} : { authorization: `Bearer ${rest.token}` }) },
        ...bodyOf(body),
      }),
    api: async (method, path, { key, body, headers, signal }) =>
      fetch((await base()) + path, {
        method,
        headers: { ...(body === undefined ? {} : json), authorization: `Bearer ${key}`, ...headers },
        ...bodyOf(body),
        ...(signal ? { signal } : {}),
      }),
  };
}
