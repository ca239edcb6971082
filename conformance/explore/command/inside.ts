import type { Talks } from './talks.js';

/** The state of a process, by its own word. */
export interface Look {
  /** ms until its next timer is due; null where it has none. */
  readonly next: number | null;
  /** Since the last look it has done nothing, and it waits for no file, name or connection: for nothing that nobody here holds back. */
  readonly still: boolean;
  /** How many connections it has to the emulator. */
  readonly talks: number;
  /** It had one at some time. */
  readonly met: boolean;
  /** How many processes it has started that are still there. */
  readonly children: number;
}

/** The question to a process: its state, once its time was run forward. */
export interface Ask {
  readonly id: number;
  /** By so many ms, whatever it does. */
  readonly skip: number;
  /** By so many more at most, timer by timer, while it does nothing. */
  readonly most: number;
}
/** Its report: its state, or by how many ms its time is about to run forward, before anything in it learns of that. */
export type Said = (Look & { readonly id: number }) | { readonly ahead: number };

/**
 * The notes of a process, a line each: a rejection that nobody handled, that it ended as nothing was left to settle a promise, or
 * a test that talked to the emulator.
 */
export interface Note {
  readonly rejection?: string;
  readonly stuck?: true;
  readonly talks?: Talks;
}

/** The least by which time is run forward at once, in ms: what is due within is done late, in order. */
export const STEP = 250;

interface Timer {
  _idleTimeout: number;
  _idleStart: number;
  _idlePrev: unknown;
  _destroyed: boolean;
  _onTimeout(...args: unknown[]): void;
  hasRef(): boolean;
  refresh(): void;
}
interface Handle {
  readonly remotePort?: number;
  readonly bytesWritten?: number;
}

/**
 * Runs in every Node process of a command, before all else. It is sent there as text, so it uses nothing around it. It notes
 * rejections that nobody handles, and runs the process' own time forward when asked: its timers, `Date`, `performance` and
 * `process.hrtime`. Timers are found as they are made, so that those of Node itself follow too: limits of sockets, of
 * `AbortSignal.timeout`, of `fetch`. The limit of a test runner stays in real time, and begins anew while its test waits for
 * us: it says how long a test may take, and not whether the program would have ended.
 */
export function inside(
  require: NodeJS.Require,
  {
    run,
    port,
    ports,
    least,
    patience,
    note,
  }: {
    run: string;
    port: number;
    ports: readonly number[];
    /** The least by which time is run forward at once, in ms. */
    least: number;
    /** How long a program may wait for nothing, in ms of its own time. */
    patience: number;
    note(its: Note): void;
  },
): void {
  const { createHook } = require('node:async_hooks') as typeof import('node:async_hooks');
  const diagnostics = require('node:diagnostics_channel') as typeof import('node:diagnostics_channel');
  const net = require('node:net') as typeof import('node:net');
  const vm = require('node:vm') as typeof import('node:vm');
  const { setTimeout, clearTimeout, setImmediate } = globalThis;
  /** Time of the processor, in µs, that one which only waits does not use between two looks. */
  const STILL = 5_000;
  /** How long it runs ahead before it is asked anew, in ms of real time. */
  const ROW = 100;
  /** The shortest limit of a test, in ms. */
  const LIMIT = 500;
  /** The runner that ends a test at its limit. */
  const RUNNER = /^node:internal\/test_runner\/|[\\/](?:@vitest[\\/]runner|jest-circus|jest-jasmine2|mocha)[\\/]/;
  const TIMERS = /^node:(?:internal\/)?(?:timers|async_hooks)/;

  // A listener for rejections handles them. A top-level `await` that fails is not reported to listeners.
  process.on('unhandledRejection', (reason) => {
    if (process.listenerCount('unhandledRejection') > 1) return;
    note({ rejection: String(reason instanceof Error ? reason.stack : reason).slice(0, 2_000) });
    // It ends the process as it would have.
    setImmediate(() => {
      throw reason;
    });
  });
  // Node's own listener sets the status: ours comes after it.
  process.once('beforeExit', () => {
    process.once('exit', () => {
      if (process.exitCode === 13) note({ stuck: true });
    });
  });

  let timers: WeakRef<Timer>[] = [];
  let room = 256;
  let ours = false;
  const there = (timer: Timer | undefined): timer is Timer => timer !== undefined && !timer._destroyed;
  /** Limits of tests, which stay in real time. */
  const limits = new Set<Timer>();
  /** Those of `AbortSignal.timeout`: they keep no process alive, and end what waits all the same. */
  const signals = new WeakSet<Timer>();
  /** The file of the code that makes a timer. */
  const maker = (): string => {
    const { prepareStackTrace, stackTraceLimit } = Error;
    Error.stackTraceLimit = 12;
    Error.prepareStackTrace = (_, sites) => sites;
    const sites = new Error().stack as unknown as NodeJS.CallSite[];
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
    const files = sites.map((site) => site.getFileName() ?? '');
    return files.find((file) => file !== files[0] && !TIMERS.test(file)) ?? '';
  };
  createHook({
    init(_id, type, _trigger, resource) {
      if (type !== 'Timeout' || ours) return;
      const timer = resource as Timer;
      const by = timer._idleTimeout < LIMIT ? '' : maker();
      if (by === 'node:internal/abort_controller') signals.add(timer);
      if (RUNNER.test(by)) return limited(timer);
      timers.push(new WeakRef(timer));
      if (timers.length < room) return;
      timers = timers.filter((timer) => there(timer.deref()));
      room = Math.max(256, 2 * timers.length);
    },
  }).enable();
  const due = new WeakMap<Timer, { readonly since: number; readonly at: number }>();
  const dueOf = (timer: Timer): number => {
    const moved = due.get(timer);
    // One that was set again is due as it says.
    return moved?.since === timer._idleStart ? moved.at : timer._idleStart + timer._idleTimeout;
  };
  const pending = (): Timer[] =>
    timers
      .map((timer) => timer.deref())
      .filter(there)
      .filter((timer) => timer._idleTimeout > 0 && timer._idlePrev != null)
      .sort((one, other) => dueOf(one) - dueOf(other));
  const own = (ms: number, then: () => void): NodeJS.Timeout => {
    ours = true;
    const timer = setTimeout(then, ms);
    ours = false;
    return timer;
  };
  const loopNow = (): number => {
    const timer = own(1, () => {});
    clearTimeout(timer);
    return (timer as unknown as Timer)._idleStart;
  };

  let ahead = 0;
  const dated = (realm: { Date: DateConstructor }): void => {
    const Real = realm.Date;
    const { now } = Real;
    Real.now = () => now() + ahead;
    realm.Date = new Proxy(Real, {
      construct: (target, args, made) => Reflect.construct(target, args.length > 0 ? args : [Real.now()], made),
      apply: () => new Real(Real.now()).toString(),
    });
    Real.prototype.constructor = realm.Date;
  };
  dated(globalThis);
  // Runners that give each test file a realm of its own.
  const { createContext } = vm;
  vm.createContext = (...args) => {
    const context = createContext(...args);
    try {
      dated(vm.runInContext('globalThis', context));
    } catch {}
    return context;
  };
  const clock = Object.getPrototypeOf(performance) as typeof performance;
  const { now } = clock;
  clock.now = function () {
    return now.call(this) + ahead;
  };
  const { hrtime } = process;
  const { bigint } = hrtime;
  const whole = () => bigint() + BigInt(Math.round(ahead * 1e6));
  process.hrtime = Object.assign(
    ((since?: [number, number]) => {
      const at = whole() - (since === undefined ? 0n : BigInt(since[0]) * 1_000_000_000n + BigInt(since[1]));
      return [Number(at / 1_000_000_000n), Number(at % 1_000_000_000n)];
    }) as NodeJS.HRTime,
    { bigint: whole },
  );

  let met = false;
  diagnostics.subscribe('net.client.socket', (message) => {
    const { socket } = message as { socket: import('node:net').Socket };
    socket.once('connect', () => {
      met ||= ports.includes(socket.remotePort ?? 0);
    });
  });

  const skip = (ms: number): void => {
    const from = loopNow();
    ahead += ms;
    for (const timer of pending()) {
      const length = timer._idleTimeout;
      const left = Math.max(1, dueOf(timer) - from - ms);
      timer._idleTimeout = left;
      timer.refresh();
      timer._idleTimeout = length;
      due.set(timer, { since: timer._idleStart, at: timer._idleStart + left });
    }
  };
  let last: { readonly cpu: number; readonly written: number } | undefined;
  const look = (): Look & { readonly elsewhere: boolean } => {
    const at = loopNow();
    const [first] = pending();
    const handles = (process as unknown as { _getActiveHandles(): Handle[] })._getActiveHandles();
    const others = handles.filter(({ remotePort }) => remotePort !== undefined && remotePort !== port);
    for (const timer of limits) {
      if (there(timer)) timer.refresh();
      else limits.delete(timer);
    }
    const { user, system } = process.cpuUsage();
    const resources = process.getActiveResourcesInfo();
    const written = others.reduce((sum, { bytesWritten = 0 }) => sum + bytesWritten, 0);
    const before = last;
    last = { cpu: user + system, written };
    return {
      next: first === undefined ? null : dueOf(first) - at,
      still:
        before !== undefined &&
        last.cpu - before.cpu < STILL &&
        written === before.written &&
        !resources.some((name) => /Req|ConnectWrap|WriteWrap|Immediate|Zlib|Job/.test(name)),
      talks: others.filter(({ remotePort = 0 }) => ports.includes(remotePort)).length,
      elsewhere: others.some(({ remotePort = 0 }) => !ports.includes(remotePort)),
      met,
      children: resources.filter((name) => name === 'ProcessWrap').length,
    };
  };

  // A limit that is reached while nothing is open at the emulator: the timers of the program may still end what waits. Where
  // there are none, nothing will.
  function limited(timer: Timer): void {
    limits.add(timer);
    const { _onTimeout } = timer;
    timer._onTimeout = function (...args) {
      let gone = 0;
      const fire = () => {
        clearTimeout(timer as unknown as NodeJS.Timeout);
        _onTimeout.apply(this, args);
      };
      const go = () => {
        if (timer._destroyed) return;
        const its = look();
        const waits = its.still && !its.elsewhere && its.children === 0;
        // A unit that went on meanwhile has its limit anew.
        if (!waits) return gone > 0 ? undefined : fire();
        if (gone >= patience || !pending().some((one) => one.hasRef() || signals.has(one))) {
          note({ stuck: true });
          return fire();
        }
        const ms = Math.min(patience, Math.max(least, Math.ceil(its.next ?? 0)));
        gone += ms;
        step(ms, go);
      };
      timer.refresh();
      look();
      own(2 * least, go);
    };
  }

  // It does not keep the process alive.
  const channel = net.connect(port, '127.0.0.1');
  channel.unref();
  channel.on('error', () => {});
  channel.write(`${run}\n`);
  const say = (its: Said) => channel.write(`${JSON.stringify(its)}\n`);
  // Time that passes by itself meanwhile counts too: it goes no further than to `end`.
  function step(ms: number, then: () => void): void {
    say({ ahead: ms });
    skip(ms);
    // Timers that are due now come first.
    own(2, () => setImmediate(then)).unref();
  }
  const forward = ({ id, skip: by }: Omit<Ask, 'most'>, until: number, end: number): void => {
    const its = look();
    const left = Math.floor(end - clock.now.call(performance));
    const more =
      its.still && now.call(performance) < until ? Math.min(left, Math.max(least, Math.ceil(its.next ?? left))) : 0;
    const ms = by || more;
    if (ms <= 0) return void say({ id, ...its });
    step(ms, () => forward({ id, skip: 0 }, until, end));
  };
  let rest = '';
  channel.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const ask = JSON.parse(line) as Ask;
      forward(ask, now.call(performance) + ROW, ask.most + clock.now.call(performance));
    }
  });
}
