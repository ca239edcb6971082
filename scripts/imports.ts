import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** An import of one file of ours by another, of whatever form. */
export interface Import {
  readonly file: string;
  /** The room of the file. */
  readonly from: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

const FROM = /(?:^|\n)\s*(import|export)\s+(type\s+)?([^;'"]*?)\s*from\s+'(\.[^']+)'/g;
const BARE = /(?:^|\n)\s*import\s+'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'/g;

/** The room that a file is in: `emulator/http/app.ts` as `emulator/http`, `emulator/index.ts` as itself. */
export const areaOf = (file: string): string =>
  file.startsWith('bin/') ? 'bin' : file.split('/').slice(0, 2).join('/');

const onlyTypes = (names: string) =>
  /^\{[\s\S]*\}$/.test(names) &&
  names
    .slice(1, -1)
    .split(',')
    .filter((name) => name.trim() !== '')
    .every((name) => name.trim().startsWith('type '));

/** The imports of a file's text. */
export function importsIn(file: string, source: string): Import[] {
  const located = (path: string, typeOnly: boolean): Import => {
    const written = normalize(join(dirname(file), path)).replace(/\.js$/, '.ts');
    const target = existsSync(join(ROOT, `${written}x`)) ? `${written}x` : written;
    return { file, from: areaOf(file), target, typeOnly };
  };
  return [
    ...[...source.matchAll(FROM)].map(([, , type, names = '', path = '']) =>
      located(path, type !== undefined || onlyTypes(names)),
    ),
    ...[...source.matchAll(BARE)].map(([, bare, dynamic]) => located(bare ?? dynamic ?? '', false)),
  ];
}

export const importsOf = (file: string): Import[] => importsIn(file, readFileSync(join(ROOT, file), 'utf8'));

/** Every file of code of both halves, tests too. */
export const CODE: readonly string[] = ['emulator', 'conformance', 'bin']
  .flatMap((half) =>
    readdirSync(join(ROOT, half), { recursive: true, encoding: 'utf8' }).map((file) => join(half, file)),
  )
  .filter((file) => /\.tsx?$/.test(file));

/** Tests, and what they share. */
export const OF_TESTS = /\.(test|harness)\.ts$/;

/** The files that are no tests. */
export const SOURCES: readonly string[] = CODE.filter((file) => !OF_TESTS.test(file));

/** The names that each name leads to, by way of others too. */
export function reachIn(edges: Iterable<readonly [string, string]>): ReadonlyMap<string, ReadonlySet<string>> {
  const targets = new Map<string, string[]>();
  for (const [from, to] of edges) targets.set(from, [...(targets.get(from) ?? []), to]);
  const reached = (from: string) => {
    const seen = new Set<string>();
    const open = [...(targets.get(from) ?? [])];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (!seen.has(one)) open.push(...(targets.get(one) ?? []));
      seen.add(one);
    }
    return seen;
  };
  return new Map([...targets.keys()].map((from) => [from, reached(from)]));
}
