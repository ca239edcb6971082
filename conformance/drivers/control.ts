import type { Control, ControlCall, ControlIntern, ControlRun, Reveal } from '../framework/control.js';
import type { Fetch } from '../probe/client.js';
import { within } from '../probe/limit.js';
import { type Incoming, type Outgoing, type PlainFetch, requestOf, textOf } from '../probe/outgoing.js';
import { internPath } from '../probe/request.js';
import type { Host } from '../probe/time.js';

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
  const { url } = options;
  let scripts: string[] = [];
  /** Scripts for the whole run. */
  const kept = new Map<string, object>();
  let count = 0;
  let faulty = false;
  let limited = false;
  let set = false;
  let before: number | undefined;
  let stopped = false;
  let moved = 0;
  let watched: ((call: ControlCall) => void) | undefined;

  /** Sends a call by one of the two ways. */
  const send = async <T extends Incoming>(
    by: (outgoing: Outgoing) => T | Promise<T>,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<T> => {
    if (method !== 'GET') watched?.({ method, path, ...(body === undefined ? {} : { body }) });
    // A clock that is moved far may take its time.
    const late = () => new ControlError(`${method} /_emulator${path} did not answer within ${PATIENCE / 1000} s`);
    const sent = new Headers({
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...headers,
    });
    const text = body === undefined ? undefined : JSON.stringify(body);
    const outgoing: Outgoing = { url: `${url}${path}`, method, headers: sent, body: text };
    return within({ host: options.host, ms: PATIENCE, late }, () => by(outgoing));
  };
  const byFetch = (outgoing: Outgoing) => options.fetch(requestOf(outgoing));
  const byAny = (outgoing: Outgoing) => options.plainFetch?.(outgoing) ?? byFetch(outgoing);
  const call: Control['call'] = (method, path, body, headers) => send(byFetch, method, path, body, headers);
  const must = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    let answer: Incoming;
    try {
      answer = await send(byAny, method, path, body);
    } catch (error) {
      throw new ControlError(`${method} /_emulator${path}: ${error instanceof Error ? error.message : error}`);
    }
    const { status } = answer;
    const text = await textOf(answer);
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
  const answered = async (method: string, path: string, body?: unknown): Promise<boolean> => {
    const answer = await send(byAny, method, path, body);
    await textOf(answer);
    return answer.status < 300;
  };
  const lift = async (turns: number) => {
    await must('PUT', '/limits', { turns_per_minute: turns });
  };

  const control: Control = {
    call,
    async now() {
      return instant((await must<{ now: unknown }>('GET', '/clock')).now, 'now of /_emulator/clock');
    },
    async advance(ms) {
      moved += ms;
      await must('POST', '/clock', { advance: ms });
    },
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
      if (before === undefined) before = (await must<{ turns_per_minute: number }>('GET', '/limits')).turns_per_minute;
      limited = turns !== 0;
      await lift(turns);
    },
    async fault(fault) {
      faulty = true;
      await must('POST', '/faults', fault);
    },
    async settings(change) {
      set = true;
      await must('PUT', '/settings', change);
    },
    async reset() {
      await must('POST', '/reset');
      scripts = [];
      for (const [name, script] of kept) await must('PUT', `/scripts/${name}`, script);
      faulty = false;
      limited = false;
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
    /** ms by which the clock was moved. */
    moved: () => moved,
    /** Stops a clock that runs by itself until `end`: only then is a millisecond before a deadline before it. */
    async stopClock() {
      // One that says it is virtual may advance by itself all the same.
      if ((await must<{ mode?: unknown }>('GET', '/clock')).mode === 'frozen') return;
      stopped = true;
      await must('POST', '/clock', { freeze: true });
    },
    /** Undoes what was changed since the last call. */
    async restore() {
      if (faulty) await must('DELETE', '/faults');
      faulty = false;
      if (set) await must('PUT', '/settings', { vault_writes: 'on', scim_sync: 'succeeds' });
      set = false;
      if (limited) await lift(0);
      limited = false;
      const gone = scripts;
      scripts = [];
      for (const name of gone) await answered('DELETE', `/scripts/${name}`);
    },
    async end() {
      for (const name of kept.keys()) await answered('DELETE', `/scripts/${name}`);
      kept.clear();
      if (stopped) await must('POST', '/clock', { resume: true });
      stopped = false;
      if (before !== undefined) await lift(before);
      before = undefined;
    },
  };
}
