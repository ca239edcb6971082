import { messageOf } from '../../emulator/contract/system-error.js';
import type { Host } from '../probe/time.js';
import type { CallEnd, CaseClient } from './attempt.js';
import { type Child, startChild } from './child.js';
import { type Hello, type RunLine, readAdapterLine, readHello } from './protocol.js';

/** ms within which an adapter must say who it is. */
const HELLO = 30_000;
/** ms beyond the limit of a run until it counts as hung. */
const GRACE = 1_000;
/** ms that an adapter has to end after its input has. */
const LEAVE = 2_000;

/** An adapter that does not begin correctly: nothing can be run. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
}

export interface AdapterOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly host: Host;
  /** Ends it before it has said who it is. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the adapter's standard error. */
  err(text: string): void;
  /** A run that had been answered was answered again. */
  answeredAgain(run: string): void;
}

/** A client behind an adapter (LAB-9): started, asked a run at a time, and started again when necessary. */
export interface Adapter extends CaseClient {
  readonly hello: Hello;
  readonly layers: readonly string[];
  readonly abilities: readonly string[];
  /** Why no more can be asked of it. */
  readonly lost: string | undefined;
  close(): Promise<void>;
}

interface Call {
  readonly began: number;
  readonly onEvent: () => void;
  readonly done: (
    outcome: CallEnd | { readonly kind: 'died'; readonly message: string; readonly took: number },
  ) => void;
  reported: boolean;
}

/**
 * Starts an adapter and waits for its first line.
 *
 * @throws AdapterError if the line is missing or invalid
 */
export async function startAdapter(options: AdapterOptions): Promise<Adapter> {
  const { host } = options;
  const asked = new Map<string, Call>();
  const answered = new Set<string>();
  let child: Child | undefined;
  let lost: string | undefined;
  let tells: boolean | undefined;
  /** The run that was answered last. */
  let last: string | undefined;
  /** The run after which a process ended by itself with none asked, and why. */
  let death: { readonly run: string; readonly why: string } | undefined;
  /** Resolves when the last process has ended, for whatever reason. */
  let closed = Promise.resolve();

  const end = (kind: 'broken' | 'died', message: string) => {
    child?.kill();
    child = undefined;
    if (kind === 'died' && asked.size === 0 && last !== undefined) death = { run: last, why: message };
    for (const [run, one] of asked) {
      asked.delete(run);
      one.done({ kind, message, took: host.now() - one.began });
    }
  };

  const take = (text: string) => {
    const line = readAdapterLine(text);
    if (line.kind === 'wrong') return end('broken', line.message);
    const one = asked.get(line.run);
    if (one === undefined) {
      if (line.kind === 'event') return;
      if (answered.has(line.run)) return options.answeredAgain(line.run);
      return end(
        'broken',
        `the adapter answered a run that nobody asked for: ${JSON.stringify(line.run.slice(0, 80))}`,
      );
    }
    if (line.kind === 'event') {
      one.reported = true;
      tells = true;
      return one.onEvent();
    }
    asked.delete(line.run);
    answered.add(line.run);
    last = line.run;
    const hasContent = (line.answer.events?.length ?? 0) > 0 || Boolean(line.answer.chat?.content);
    if (hasContent && !one.reported && tells === undefined) tells = false;
    one.done({ kind: 'answer', answer: line.answer, took: host.now() - one.began });
  };

  const start = (): Promise<Hello> =>
    new Promise((resolve, reject) => {
      let said = false;
      let gone = () => {};
      closed = new Promise((done) => {
        gone = done;
      });
      const fail = (why: string) => {
        stop();
        mine.kill();
        if (child === mine) child = undefined;
        reject(new AdapterError(why));
      };
      const mine: Child = startChild(options.command, options.args, {
        line(text) {
          if (said) {
            if (child === mine) take(text);
            return;
          }
          said = true;
          stop();
          try {
            resolve(readHello(text));
          } catch (error) {
            fail(messageOf(error));
          }
        },
        tooLong() {
          if (!said) return fail('its first line does not end');
          if (child === mine) end('broken', 'the adapter printed a line of more than 64 MB');
        },
        ended(why) {
          gone();
          if (!said) return fail(why);
          if (child === mine) end('died', why);
        },
        err: options.err,
      });
      const late = host.later(HELLO, () => fail(`it said nothing within ${HELLO / 1_000} s`));
      const cancelled = () => fail('it was cancelled');
      const stop = () => {
        late();
        options.signal?.removeEventListener('abort', cancelled);
      };
      child = mine;
      options.signal?.addEventListener('abort', cancelled, { once: true });
      if (options.signal?.aborted) cancelled();
    });

  /** Starts it again if it is gone; returns whether it is there. */
  const ready = async (): Promise<boolean> => {
    if (child !== undefined) return true;
    if (lost !== undefined) return false;
    try {
      await start();
      return true;
    } catch (error) {
      lost = messageOf(error);
      return false;
    }
  };

  const hello = await start();
  return {
    hello,
    layers: hello.layers,
    abilities: hello.abilities ?? [],
    ended: (run) => (death?.run.startsWith(run) === true ? death.why : undefined),
    get tells() {
      return tells;
    },
    get lost() {
      return lost;
    },
    async call(line: RunLine, onEvent: () => void): Promise<CallEnd> {
      if (!(await ready())) return { kind: 'broken', message: `the adapter could not be started again: ${lost}` };
      const began = host.now();
      const limit = line.timeout + GRACE;
      let stop = () => {};
      const outcome = await new Promise<Parameters<Call['done']>[0] | 'hung'>((resolve) => {
        asked.set(line.run, { began, onEvent, done: resolve, reported: false });
        stop = host.later(limit, () => resolve('hung'));
        child?.write(JSON.stringify(line));
      });
      stop();
      if (outcome === 'hung') {
        asked.delete(line.run);
        end('died', 'it was ended because another run hung');
        return { kind: 'hung', message: `no answer within ${limit} ms`, took: limit };
      }
      if (outcome.kind !== 'died') return outcome;
      // An adapter that starts again has crashed by this case. One that does not is broken.
      return (await ready())
        ? { kind: 'crashed', message: outcome.message, took: outcome.took }
        : { kind: 'broken', message: `${outcome.message}, and could not be started again: ${lost}` };
    },
    async close() {
      lost ??= 'it was closed';
      if (asked.size > 0) end('broken', lost);
      const mine = child;
      child = undefined;
      if (mine === undefined) return;
      mine.finish();
      const over = new AbortController();
      await Promise.race([closed, host.sleep(LEAVE, over.signal).catch(() => {})]);
      over.abort();
      mine.kill();
    },
  };
}

/** Processes of one adapter, each for one case at a time: so many at most. None is started before it is needed. */
export function createPool(start: () => Promise<Adapter>, most: number) {
  const all: Adapter[] = [];
  const free: Adapter[] = [];
  const waiting: ((adapter: Adapter) => void)[] = [];
  let starting = 0;
  return {
    /** An adapter that is free. Starts one if there are fewer than allowed. */
    async take(): Promise<Adapter> {
      const one = free.pop();
      if (one !== undefined) return one;
      if (all.length + starting >= most) return new Promise((resolve) => waiting.push(resolve));
      starting++;
      try {
        const fresh = await start();
        all.push(fresh);
        return fresh;
      } finally {
        starting--;
      }
    },
    give(adapter: Adapter) {
      const next = waiting.shift();
      if (next === undefined) free.push(adapter);
      else next(adapter);
    },
    async close() {
      await Promise.all(all.map((adapter) => adapter.close()));
    },
  };
}
export type Pool = ReturnType<typeof createPool>;
