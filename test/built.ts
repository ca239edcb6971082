import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inject } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
let own: string | undefined;

/** The build of this process, where none was made for all tests of the project. */
function ownBuild(): string {
  const folder = join(ROOT, '.tmp', `built-by-${process.pid}`);
  execFileSync(process.execPath, ['scripts/build.mjs', '--no-types', '--outdir', folder], { cwd: ROOT });
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A file of the package as it ships: `builtFile('emulator/index.js')`. The build is of this run of the tests. */
export function builtFile(path: string): string {
  own ??= inject('built') ?? ownBuild();
  return join(own, path);
}

/** A command of the package. */
export const commandOf = (name: 'intern-emulator' | 'intern-conformance'): string => builtFile(`bin/${name}.js`);
