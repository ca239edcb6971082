import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { AREAS } from './index.js';
import type { Deviation } from './mutant.js';

const CHECKS = 'conformance/checks';
const DEVIATIONS = 'conformance/deviations';
/** Each names all checks, or all deviations: a run of one deviation loads only its own. */
const LISTS = new Set([`${CHECKS}/index.ts`, `${DEVIATIONS}/index.ts`]);

/** Modules by their paths from the root, types left out. */
export interface Modules {
  /** What every run of a deviation rests on: the emulator, the runner. */
  readonly shared: ReadonlySet<string>;
  /** What else a deviation is made of: its own file, and its checks. */
  readonly own: ReadonlyMap<Deviation, ReadonlySet<string>>;
}

/** The file of each check, by its id. */
async function filesOfChecks(root: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const name of readdirSync(join(root, CHECKS), { encoding: 'utf8', recursive: true })) {
    const file = `${CHECKS}/${name}`;
    if (!/^(?!.*\.(?:test|harness)\.).*\.ts$/.test(name) || LISTS.has(file)) continue;
    const module = (await import(pathToFileURL(join(root, file)).href)) as Record<string, unknown>;
    for (const { id } of Object.values(module).flat() as { id?: unknown }[])
      if (typeof id === 'string') files.set(id, file);
  }
  return files;
}

/** Reads what imports what. */
export async function readModules(root: string): Promise<Modules> {
  const checks = await filesOfChecks(root);
  const runner = `${DEVIATIONS}/matrix.ts`;
  const areaOf = (name: string) => `${DEVIATIONS}/areas/${name}.ts`;
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [runner, ...new Set(checks.values()), ...Object.keys(AREAS).map(areaOf)],
    outdir: '.tmp',
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const reached = (from: readonly string[]): Set<string> => {
    const seen = new Set<string>();
    const waiting = [...from];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next) || LISTS.has(next)) continue;
      seen.add(next);
      for (const { path, external } of metafile.inputs[next]?.imports ?? []) if (external !== true) waiting.push(path);
    }
    return seen;
  };
  const shared = reached([runner]);
  const own = new Map<Deviation, ReadonlySet<string>>();
  for (const [area, deviations] of Object.entries(AREAS)) {
    for (const one of deviations) {
      const files = one.caughtBy.map((id) => checks.get(id)).filter((file) => file !== undefined);
      own.set(one, reached([areaOf(area), ...files]));
    }
  }
  return { shared, own };
}
