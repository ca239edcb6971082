import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    built: string;
  }
}

const ROOT = resolve(import.meta.dirname, '..');

/** Builds the package as it ships, once for all projects of a run, and again when a watched file changed. */
export default async function setup(project: TestProject): Promise<() => void> {
  const outdir = join(ROOT, '.tmp', `built-${process.pid}`);
  const args = ['scripts/build.mjs', '--no-types', '--outdir', outdir];
  const build = async () => void (await promisify(execFile)(process.execPath, args, { cwd: ROOT }));
  // The setups of the projects run one after the other, in one process.
  if (process.env.TESTS_BUILT !== outdir) {
    await build();
    project.onTestsRerun(build);
    process.env.TESTS_BUILT = outdir;
  }
  project.provide('built', outdir);
  return () => rmSync(outdir, { recursive: true, force: true });
}
