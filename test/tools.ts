import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { TestOptions } from 'vitest';

interface Tool {
  /** The name that a person knows it by. */
  readonly what: string;
  /** The way to have it. */
  readonly get: string;
  /** The command or the file; undefined if this machine has none. */
  find(): string | undefined;
}

/** The first command that succeeds with these arguments. */
const runs = (commands: readonly string[], ...args: string[]): string | undefined =>
  commands.find((command) => {
    try {
      execFileSync(command, args, { stdio: 'ignore', timeout: 30_000 });
      return true;
    } catch {
      return false;
    }
  });

/** The second is Debian's, for machines where `python3` is a version manager's. */
const PYTHONS = ['python3', '/usr/bin/python3'];
const CHROMIUMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The tools that a test may need beside Node and npm. */
export const TOOLS = {
  bash: { what: 'bash', get: 'apt-get install bash', find: () => runs(['bash'], '--version') },
  chromium: {
    what: 'Chromium',
    get: 'apt-get install chromium, or set CHROMIUM_PATH',
    find: () => [process.env.CHROMIUM_PATH ?? '', ...CHROMIUMS].find((path) => existsSync(path)),
  },
  curl: { what: 'curl', get: 'apt-get install curl', find: () => runs(['curl'], '--version') },
  zsh: { what: 'zsh', get: 'apt-get install zsh', find: () => runs(['zsh'], '--version') },
  linux: {
    what: 'Linux',
    get: 'run it in a container',
    find: () => (process.platform === 'linux' ? process.platform : undefined),
  },
  // The first version that verifies Ed25519 from a file.
  openssl: {
    what: 'OpenSSL 3',
    get: 'apt-get install openssl',
    find: () => runs(['openssl'], 'list', '-providers'),
  },
  pip: {
    what: 'pip, setuptools and pytest',
    get: 'apt-get install python3-pip python3-setuptools python3-wheel python3-pytest',
    find: () => runs(PYTHONS, '-c', 'import setuptools, wheel, pip, pytest'),
  },
  podman: {
    what: 'podman with podman-compose',
    get: 'apt-get install podman podman-compose runc netavark aardvark-dns iptables',
    find: () => runs(['podman-compose'], 'version') && runs(['podman'], 'version'),
  },
  pytest: {
    what: 'pytest',
    get: 'apt-get install python3-pytest',
    find: () => runs(PYTHONS, '-c', 'import pytest'),
  },
  python: {
    what: 'Python 3',
    get: 'apt-get install python3',
    find: () => runs(PYTHONS, '-c', 'import sys; sys.exit(sys.version_info < (3, 8))'),
  },
} as const satisfies Record<string, Tool>;

export type ToolName = keyof typeof TOOLS;

declare module 'vitest' {
  interface TaskMeta {
    /** The missing tool of a skipped test. The reporter says so at the end. */
    lacks?: readonly ToolName[];
  }
}

const found = new Map<ToolName, string | undefined>();

/** Where a tool is: a command or a file. Undefined if this machine has none. */
export function findTool(name: ToolName): string | undefined {
  if (!found.has(name)) found.set(name, TOOLS[name].find());
  return found.get(name);
}

/** The same for code that cannot go on without it. Throws, and says how to get it. */
export function tool(name: ToolName): string {
  const path = findTool(name);
  if (path === undefined) throw new Error(`${TOOLS[name].what} is missing: ${TOOLS[name].get}`);
  return path;
}

/**
 * The options of a test, or of a `describe`, that needs tools of the system. If one is missing the test is skipped, and
 * the last line of the run says what is missing and how to get it.
 *
 *     test('a page streams', needs('chromium'), async () => { … tool('chromium') … });
 */
export function needs(...names: readonly ToolName[]): TestOptions {
  const lacks = names.filter((name) => findTool(name) === undefined);
  return lacks.length === 0 ? {} : { skip: true, meta: { lacks } };
}
