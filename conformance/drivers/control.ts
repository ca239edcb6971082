import type { Operation } from '../../emulator/contract/operation.js';
import type { Fetch } from '../probe/client.js';
import { internPath, type Outgoing, type PlainFetch, requestOf, textOf } from '../probe/request.js';
import type { Host } from '../probe/time.js';
import { createInFlight, within } from '../probe/wait.js';

/** A run as the control interface shows it. */
export interface ControlRun {
  readonly id: string;
  readonly intern_id: string;
  readonly session_id: string;
  readonly origin: 'chat' | 'invoke';
  readonly status: 'running' | 'waiting' | 'ended';
  readonly question?: { readonly id: string; readonly deadline: string | number };
  readonly ended?: 'stop' | 'cancelled' | 'deadline' | 'severed' | 'failed';
  readonly started_at: string;
  readonly ended_at?: string;
}

export interface ControlIntern {
  readonly intern: Record<string, unknown>;
  readonly vault: { readonly id: string } | null;
  readonly script: string | null;
  readonly api_key: string;
  readonly runs: readonly ControlRun[];
}

export interface Reveal {
  readonly intern_id: string;
  readonly caller: string;
  readonly at: string;
}

export interface Fault {
  readonly operation: Operation;
  readonly times?: number;
  readonly status?: number;
  /** ms, or `"5s"`. */
  readonly delay?: number | string;
  readonly disconnect?: true;
  readonly at?: 'vault' | 'provisioner';
}

/** A JSON script; its words are those of the contract. */
export interface Script {
  readonly turn?: readonly Record<string, unknown>[];
  readonly lifecycle?: Record<string, unknown>;
}

/** Calls of the control interface for checks. Their changes are undone after the check. */
export interface Control {
  /** Any call below `/_emulator`, for checks of the control interface itself. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The time of the target, in ms since the epoch. */
  now(): Promise<number>;
  /** Moves its clock. Resolves once all effects have settled. */
  advance(ms: number): Promise<void>;
  /** ms by which the run has moved the clock so far. */
  moved(): number;
  /** Puts a script under a fresh name, and returns the name. */
  script(script: Script): Promise<string>;
  useScript(internId: string, name: string | null): Promise<void>;
  intern(id: string): Promise<ControlIntern>;
  runs(internId: string): Promise<readonly ControlRun[]>;
  reveals(): Promise<readonly Reveal[]>;
  limit(turnsPerMinute: number): Promise<void>;
  fault(fault: Fault): Promise<void>;
  /** Turns vault writes off, or has the next sync of the directory fail. */
  settings(change: { vault_writes?: 'on' | 'off'; scim_sync?: 'succeeds' | 'fails' }): Promise<void>;
  /** Resets the emulator to its seed, including scripts, faults and limits. */
  reset(): Promise<void>;
  /** Calls `listener` before every call that changes something; undefined ends that. */
  watch(listener: ((call: ControlCall) => void) | undefined): void;
  /** The journal as text, to search for secrets. */
  journal(): Promise<string>;
}

/** A call that changed something. */
export interface ControlCall {
  readonly method: string;
  /** Below `/_emulator`. */
  readonly path: string;
  readonly body?: unknown;
}

/** One request around the run, a GET by default, read whole. Rejects if no whole answer comes in time. */
export type Ask = (request: Pick<Outgoing, 'url' | 'body'> & Partial<Outgoing>) => Promise<Got>;

interface Got {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export function createAsk(options: {
  readonly fetch: Fetch;
  readonly plainFetch?: PlainFetch | undefined;
  readonly host: Host;
  /** ms */
  readonly timeout: number;
  /** When no answer is waited for any longer. */
  readonly until?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}): Ask {
  const { fetch, host, plainFetch, timeout, until = Number.POSITIVE_INFINITY } = options;
  const inFlight = createInFlight(options.signal);
  return ({ method = 'GET', headers = new Headers(), ...rest }) => {
    const request: Outgoing = { ...rest, method, headers };
    const ms = Math.max(0, Math.min(timeout, until - host.now()));
    const late = () => new Error(`${rest.url} did not answer within ${Math.round(ms)} ms`);
    const abort = new AbortController();
    const asked = async () => {
      const answer = await (plainFetch?.(request) ?? fetch(requestOf({ ...request, signal: abort.signal })));
      return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await textOf(answer) };
    };
    return within({ host, ms, inFlight, abort, late }, asked);
  };
}

export const controlHeaders = (token: string | undefined, body?: string): Headers =>
  new Headers({
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  });

/** The control interface could not be used. An error of the kit or of the emulator's own surface, never a finding. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
}

/** ms until the head of an answer of the control interface. */
const PATIENCE = 30_000;

interface ControlOptions {
  readonly fetch: Fetch;
  readonly plainFetch?: PlainFetch | undefined;
  readonly host: Host;
  /** Up to and including /_emulator. */
  readonly url: string;
  readonly token?: string;
  /** Tells scripts of this run from those of others. */
  readonly tag: string;
}

export function createControl(options: ControlOptions) {
  const { fetch, host, token, url } = options;
  const ask = createAsk({ ...options, timeout: PATIENCE });
  const inFlight = createInFlight(undefined);
  /** Scripts of the check, and those of the whole run. */
  let scripts: string[] = [];
  const kept = new Map<string, object>();
  /** The calls that undo what was changed: after the check, and after the run. */
  const afterCheck = new Map<string, () => Promise<unknown>>();
  const afterRun = new Map<string, () => Promise<unknown>>();
  const undo = async (changes: typeof afterCheck) => {
    for (const [what, back] of changes) {
      await back();
      changes.delete(what);
    }
  };
  let count = 0;
  let moved = 0;
  let watched: ((call: ControlCall) => void) | undefined;

  const outgoing = (method: string, path: string, body?: unknown, more: Record<string, string> = {}): Outgoing => {
    if (method !== 'GET') watched?.({ method, path, ...(body === undefined ? {} : { body }) });
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = controlHeaders(token, text);
    for (const [name, value] of Object.entries(more)) headers.set(name, value);
    return { url: `${url}${path}`, method, headers, body: text };
  };
  const call: Control['call'] = (method, path, body, headers) => {
    const late = () => new ControlError(`${method} /_emulator${path} did not answer within ${PATIENCE / 1000} s`);
    const answered = async () => fetch(requestOf(outgoing(method, path, body, headers)));
    return within({ host, ms: PATIENCE, inFlight, abort: undefined, late }, answered);
  };
  const asked = (method: string, path: string, body?: unknown) =>
    ask(outgoing(method, path, body)).catch((error: unknown) => {
      throw new ControlError(`${method} /_emulator${path}: ${error instanceof Error ? error.message : error}`);
    });
  const must = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const { status, text } = await asked(method, path, body);
    if (status < 200 || status > 299)
      throw new ControlError(`${method} /_emulator${path} answered ${status}: ${text.slice(0, 300)}`);
    try {
      return (text === '' ? undefined : JSON.parse(text)) as T;
    } catch {
      throw new ControlError(`${method} /_emulator${path} answered no JSON: ${text.slice(0, 300)}`);
    }
  };
  const instant = (value: unknown, what: string): number => {
    const ms = typeof value === 'number' ? value : Date.parse(String(value));
    if (!Number.isFinite(ms)) throw new ControlError(`${what} is no time: ${JSON.stringify(value)}`);
    return ms;
  };
  const answered = async (method: string, path: string, body?: unknown) =>
    (await asked(method, path, body)).status < 300;
  const lift = (turns: number) => must('PUT', '/limits', { turns_per_minute: turns });

  const control: Control = {
    call,
    async now() {
      return instant((await must<{ now: unknown }>('GET', '/clock')).now, 'now of /_emulator/clock');
    },
    async advance(ms) {
      moved += ms;
      await must('POST', '/clock', { advance: ms });
    },
    moved: () => moved,
    async script(script) {
      const name = `kit-${options.tag}-${++count}`;
      scripts.push(name);
      await must('PUT', `/scripts/${name}`, { name, ...script });
      return name;
    },
    async useScript(internId, name) {
      await must('PUT', internPath(internId, '/script'), { name });
    },
    intern: (id) => must<ControlIntern>('GET', internPath(id)),
    async runs(internId) {
      return (await must<{ data: ControlRun[] }>('GET', `/runs?intern_id=${encodeURIComponent(internId)}`)).data;
    },
    async reveals() {
      return (await must<{ data: Reveal[] }>('GET', '/reveals')).data;
    },
    async limit(turns) {
      if (!afterRun.has('limits')) {
        const before = await must<{ turns_per_minute: number }>('GET', '/limits');
        afterRun.set('limits', () => lift(before.turns_per_minute));
      }
      if (turns === 0) afterCheck.delete('limits');
      else afterCheck.set('limits', () => lift(0));
      await lift(turns);
    },
    async fault(fault) {
      afterCheck.set('faults', () => must('DELETE', '/faults'));
      await must('POST', '/faults', fault);
    },
    async settings(change) {
      afterCheck.set('settings', () => must('PUT', '/settings', { vault_writes: 'on', scim_sync: 'succeeds' }));
      await must('PUT', '/settings', change);
    },
    async reset() {
      await must('POST', '/reset');
      scripts = [];
      for (const what of ['faults', 'limits']) afterCheck.delete(what);
      for (const [name, script] of kept) await must('PUT', `/scripts/${name}`, script);
      await lift(0);
    },
    watch(listener) {
      watched = listener;
    },
    async journal() {
      return (await call('GET', '/journal')).text();
    },
  };

  return {
    ...control,
    /** The name under which a script is there for the whole run; undefined where it is neither there nor taken. */
    async keep(script: { readonly name: string }): Promise<string | undefined> {
      if (await answered('GET', `/scripts/${script.name}`)) return script.name;
      const name = `kit-${options.tag}-${script.name}`;
      if (!(await answered('PUT', `/scripts/${name}`, { ...script, name }))) return undefined;
      kept.set(name, { ...script, name });
      return name;
    },
    /** Stops a clock that runs by itself until `end`: only then is a millisecond before a deadline before it. */
    async stopClock() {
      // A virtual clock may advance by itself, too.
      if ((await must<{ mode?: unknown }>('GET', '/clock')).mode === 'frozen') return;
      afterRun.set('clock', () => must('POST', '/clock', { resume: true }));
      await must('POST', '/clock', { freeze: true });
    },
    /** Undoes what was changed since the last call. */
    async restore() {
      await undo(afterCheck);
      for (const name of scripts.splice(0)) await answered('DELETE', `/scripts/${name}`);
    },
    async end() {
      for (const name of kept.keys()) await answered('DELETE', `/scripts/${name}`);
      kept.clear();
      await undo(afterRun);
    },
  };
}
