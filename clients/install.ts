import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Listed } from './real/list.js';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = join(ROOT, '.tmp/clients');

/** A version that is ready to run. */
export interface Installed {
  readonly folder: string;
  readonly command: readonly [string, ...string[]];
  /** Other packages that came with it, by version. */
  readonly with: Readonly<Record<string, string>>;
}

/** The binary of Node, this one's or another major version's from npm. */
const nodeOf = (major: number | undefined): string =>
  major === undefined || process.versions.node.startsWith(`${major}.`)
    ? process.execPath
    : join(execFileSync('bash', [join(ROOT, 'scripts/node.sh'), String(major)], { encoding: 'utf8' }).trim(), 'node');

/** The module that is started: an adapter of its own, or the one that every client of `real` shares. */
const entryOf = ({ adapter, name }: Listed) =>
  adapter === undefined
    ? `import { start } from './start.mjs'; import load, { client } from './${name}.mjs'; await start({ client, load, name: '${name}' });`
    : `import '../../${adapter}';`;

/** Why a client cannot run on this machine; undefined if it can. */
export function lackOf({ needs }: Listed): string | undefined {
  if (needs === undefined) return undefined;
  const [command, ...args] = needs.command;
  try {
    execFileSync(command, args, { stdio: 'ignore', timeout: 60_000 });
    return undefined;
  } catch {
    return `${command} is missing: ${needs.get}`;
  }
}

/** Installs a version of a client into a folder of its own below `.tmp`, and compiles its adapter into that. */
export async function install(client: Listed, version: string): Promise<Installed> {
  if (client.command !== undefined) {
    const [command, ...args] = client.command;
    return { folder: ROOT, command: [command, ...args], with: {} };
  }
  const folder = join(FOLDERS, `${client.name}-${version}`);
  const packages = { ...client.with, ...(client.package === undefined ? {} : { [client.package]: version }) };
  const manifest = `${JSON.stringify({ private: true, type: 'module', dependencies: packages })}\n`;
  const file = join(folder, 'package.json');
  if (!existsSync(file) || readFileSync(file, 'utf8') !== manifest) {
    mkdirSync(folder, { recursive: true });
    const draft = join(folder, 'draft.json');
    writeFileSync(draft, manifest);
    writeFileSync(file, manifest);
    try {
      execFileSync('npm', ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', '--loglevel=error'], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    } catch (error) {
      // A half install is made anew next time.
      renameSync(file, draft);
      throw error;
    }
  }
  await build({
    stdin: { contents: entryOf(client), resolveDir: join(import.meta.dirname, 'real') },
    outfile: join(folder, 'adapter.mjs'),
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  });
  const versionOf = (name: string): string =>
    (JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as { version: string })
      .version;
  const others = Object.keys(client.with ?? {}).map((name) => [name, versionOf(name)] as const);
  const node = nodeOf(/^\d+$/.test(version) ? Number(version) : client.node);
  return { folder, command: [node, 'adapter.mjs'], with: Object.fromEntries(others) };
}
