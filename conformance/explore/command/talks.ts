/** A test as its runner knows it. One without a path is a file: what it does outside of its tests. */
export interface Talks {
  readonly file?: string;
  /** Its name, behind those of the suites that hold it. */
  readonly path: readonly string[];
  /** Names of the tests that it holds, where they are filtered, too. */
  readonly within?: readonly string[];
}

/**
 * Runs in every Node process of a command, to learn which of its tests talk to the `ports`. It is sent there as text, so it uses
 * nothing around it. Each test runner says which test is on in its own way; what is written to one of the ports is that test's.
 */
export function talks(
  require: NodeJS.Require,
  { ports, variable, note }: { ports: readonly number[]; variable: string; note(its: { talks: Talks }): void },
): void {
  const { createHook, executionAsyncResource } = require('node:async_hooks') as typeof import('node:async_hooks');
  const { ChildProcess } = require('node:child_process') as typeof import('node:child_process');
  const Module = require('node:module') as unknown as { _load(name: string, ...more: unknown[]): unknown };
  const { Socket } = require('node:net') as typeof import('node:net');
  const vm = require('node:vm') as typeof import('node:vm');

  interface NodeTest {
    readonly name: string;
    readonly parent: NodeTest | null;
    readonly subtests?: readonly NodeTest[];
  }
  interface VitestTask {
    readonly type: string;
    readonly name: string;
    readonly concurrent?: boolean;
    readonly suite?: VitestTask;
    readonly file?: VitestTask;
    readonly tasks?: readonly VitestTask[];
  }
  interface MochaTest {
    readonly type: string;
    readonly file?: string;
    readonly ctx?: { readonly currentTest?: MochaTest };
    titlePath(): string[];
    run(...args: unknown[]): unknown;
  }
  type Runnable = { prototype?: MochaTest };

  // node:test: each test is an async resource, which what it begins inherits.
  const ON = Symbol('test');
  type Marked = { [ON]?: NodeTest };
  createHook({
    init(_id, type, _trigger, resource) {
      const its = type === 'Test' ? (resource as NodeTest) : (executionAsyncResource() as Marked)[ON];
      if (its !== undefined) (resource as Marked)[ON] = its;
    },
  }).enable();
  const kindOf = (test: NodeTest): string => test.constructor.name;
  const within = (one: NodeTest): string[] => [one.name, ...(one.subtests ?? []).flatMap(within)];
  const holders = new Set<NodeTest>();
  const talksOf = (chain: readonly NodeTest[]): Talks => {
    const at = chain.findIndex((one) => kindOf(one) !== 'Suite');
    const test = chain[at];
    const file = process.argv[1] ?? '';
    // A hook does not belong to one.
    if (test === undefined || kindOf(test) !== 'Test') return { file, path: [] };
    return { file, path: chain.slice(0, at + 1).map(({ name }) => name), within: within(test) };
  };
  const chainOf = (test: NodeTest | undefined): NodeTest[] => (test?.parent ? [...chainOf(test.parent), test] : []);
  const nodeTest = (): Talks[] => {
    const its = (executionAsyncResource() as Marked)[ON];
    const chain = chainOf(its);
    // Where files are run by processes of their own, each is a test of the first.
    if (its === undefined || chain[0] === undefined || kindOf(chain[0]) === 'FileTest') return [];
    holders.add(its);
    return [talksOf(chain)];
  };

  const vitest = (): Talks[] => {
    const state = (globalThis as { __vitest_worker__?: { filepath?: string; current?: VitestTask } }).__vitest_worker__;
    const { filepath: file, current } = state ?? {};
    if (file === undefined) return [];
    const pathOf = (task: VitestTask | undefined): string[] =>
      task === undefined || task === task.file ? [] : [...pathOf(task.suite), task.name];
    const all = (task: VitestTask | undefined): VitestTask[] => task?.tasks?.flatMap(all) ?? (task ? [task] : []);
    // Of tests that are on at once it names the last, or what holds them.
    const alone = current?.type === 'test' && !current.concurrent;
    const tests = alone ? [current] : all(current?.file).filter((one) => one.concurrent);
    return tests.length === 0 ? [{ file, path: [] }] : tests.map((task) => ({ file, path: pathOf(task) }));
  };

  // jest: in a realm of each file.
  const realms: object[] = [];
  const { createContext } = vm;
  vm.createContext = (...args) => {
    const context = createContext(...args);
    realms.push(vm.runInContext('globalThis', context));
    return context;
  };
  const jest = (): Talks[] => {
    const realm = realms.at(-1) as
      | Record<symbol, { state?: { currentTestName?: string; testPath?: string } }>
      | undefined;
    const { currentTestName: name, testPath: file } = realm?.[Symbol.for('$$jest-matchers-object')]?.state ?? {};
    return file === undefined ? [] : [{ file, path: name === undefined ? [] : [name] }];
  };

  let runnable: MochaTest | undefined;
  const { _load } = Module;
  const hooked = new Set<unknown>();
  Module._load = function (name, ...more) {
    const loaded = _load.call(this, name, ...more);
    if (!/\brunnable(?:\.js)?$/.test(name)) return loaded;
    // Since its version 12 it is a module of ECMAScript.
    const { prototype: its } = ((loaded as { Runnable?: unknown }).Runnable ?? loaded) as Runnable;
    if (its?.run === undefined || hooked.has(its)) return loaded;
    hooked.add(its);
    const { run } = its;
    its.run = function (...args) {
      runnable = this;
      return run.apply(this, args);
    };
    return loaded;
  };
  const mocha = (): Talks[] => {
    const test = runnable?.type === 'hook' ? runnable.ctx?.currentTest : runnable;
    if (runnable === undefined) return [];
    return [{ file: (test ?? runnable).file, path: test?.titlePath() ?? [] } as Talks];
  };

  const given = JSON.parse(process.env[variable] || '[]') as Talks[];
  const current = (): readonly Talks[] =>
    [nodeTest, vitest, jest, mocha].map((its) => its()).find((tests) => tests.length > 0) ?? given;
  const noted = new Map<string, string>();
  const keyOf = ({ file, path }: Talks): string => JSON.stringify([file, path]);
  const heard = (tests: readonly Talks[]) => {
    for (const its of tests) {
      const text = JSON.stringify(its);
      if (noted.get(keyOf(its)) === text) continue;
      noted.set(keyOf(its), text);
      note({ talks: its });
    }
  };
  // A test that talks may begin others later.
  process.once('exit', () =>
    heard([...holders].map((its) => talksOf(chainOf(its))).filter((its) => noted.has(keyOf(its)))),
  );
  const { write } = Socket.prototype;
  Socket.prototype.write = function (this: InstanceType<typeof Socket>, ...args: never[]) {
    const tests = current();
    const look = () => {
      if (ports.includes(this.remotePort ?? 0)) heard(tests);
    };
    if (this.connecting) this.once('connect', look);
    else look();
    return (write as (...all: never[]) => boolean).apply(this, args);
  } as typeof write;
  // A process that a test starts talks for it.
  const { spawn } = ChildProcess.prototype as unknown as { spawn(options: { envPairs?: string[] }): unknown };
  Object.assign(ChildProcess.prototype, {
    spawn(this: unknown, options: { envPairs?: string[] }) {
      const tests = current();
      const pairs = options.envPairs?.filter((pair) => !pair.startsWith(`${variable}=`)) ?? [];
      if (tests.length > 0) options.envPairs = [...pairs, `${variable}=${JSON.stringify(tests)}`];
      return spawn.call(this, options);
    },
  });
}

/**
 * The same for pytest, as a plugin: what is written to a socket is of the test that it names in its environment. It also lifts
 * the limits of pytest-timeout, which say how long a test may take, and not whether the program would have ended.
 */
export const PYTEST_PLUGIN = `import json, os, socket
import pytest

_notes = os.environ.get('INTERN_EXPLORE_TALKS') and os.environ.get('INTERN_EXPLORE_NOTES')
_ports = json.loads(os.environ.get('INTERN_EXPLORE_PORTS') or '[]')
_noted = set()

@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_timeout_set_timer(item, settings):
    return True

def _heard(its):
    test = os.environ.get('PYTEST_CURRENT_TEST', '').rsplit(' (', 1)[0]
    if test and test not in _noted and its.getpeername()[1] in _ports:
        _noted.add(test)
        with open(_notes, 'a') as file:
            file.write(json.dumps({'talks': {'path': [test]}}) + '\\n')

def _listening(name):
    send = getattr(socket.socket, name)
    def sends(self, *args):
        try:
            _heard(self)
        except Exception:
            pass
        return send(self, *args)
    setattr(socket.socket, name, sends)

if _notes:
    for _name in ('send', 'sendall', 'sendmsg'):
        _listening(_name)
`;
