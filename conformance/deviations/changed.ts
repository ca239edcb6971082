import { execFileSync } from 'node:child_process';
import { AREAS, deviations } from './index.js';
import type { Deviation } from './mutant.js';

/** Files and the areas of checks that a change of them can touch. The first row that matches counts. */
const TOUCHES: readonly { readonly files: RegExp; readonly areas: readonly string[] }[] = [
  // Texts, tests, and what no check meets.
  { files: /\.(md|test\.ts|harness\.ts|css|html|svg|png)$/, areas: [] },
  { files: /^(docs|bench|bin|clients|schemas|test|scripts|\.ci)\//, areas: [] },
  { files: /^emulator\/(cli|console|lab|oidc|recording)\//, areas: [] },
  { files: /^conformance\/(cli|clients|drift|reporters|safety|testing)\//, areas: [] },
  { files: /^(\.gitignore|biome\.json|knip\.json|LICENSE|vitest\.config\.ts)$/, areas: [] },
  // What a part of the checks meets.
  { files: /^emulator\/sse\//, areas: ['chat', 'disconnect', 'keepalive', 'model', 'shipped-scripts'] },
  { files: /^emulator\/(daemon|signing)\//, areas: ['auth', 'daemon', 'emulator', 'proof', 'sign', 'suspend'] },
  { files: /^emulator\/control\//, areas: ['emulator', 'faults', 'limiter', 'limits', 'scripts'] },
  {
    files: /^fixtures\/scripts\//,
    areas: ['chat', 'create', 'delete', 'invoke', 'provision', 'scripts', 'shipped-scripts'],
  },
  { files: /^fixtures\/signing\//, areas: ['proof', 'sign'] },
];

const DEVIATIONS = /^conformance\/deviations\/areas\/([a-z-]+)\.ts$/;
const CHECKS = /^conformance\/checks\/[a-z-]+\.ts$/;

/** `chat` of `chat/…` and of `chat-answers/…`. */
const isIn = (areas: readonly string[], id: string): boolean => {
  const area = id.slice(0, id.indexOf('/'));
  return areas.some((one) => area === one || area.startsWith(`${one}-`));
};

/**
 * The deviations that changes of some files can touch: all where a file is not known, or where nothing changed.
 *
 * @param read gives the text of a file; throws where it is gone
 */
export function touchedBy(files: readonly string[], read: (file: string) => string): readonly Deviation[] {
  const touched = new Set<Deviation>();
  const add = (which: (one: Deviation) => boolean) => {
    for (const one of deviations) if (which(one)) touched.add(one);
  };
  for (const file of files) {
    const row = TOUCHES.find((one) => one.files.test(file));
    const own = AREAS[DEVIATIONS.exec(file)?.[1] ?? ''];
    if (row) add(({ caughtBy }) => caughtBy.some((id) => isIn(row.areas, id)));
    else if (own) for (const one of own) touched.add(one);
    else if (CHECKS.test(file)) {
      let text: string;
      try {
        text = read(file);
      } catch {
        return deviations;
      }
      const ids = new Set([...text.matchAll(/\bid: '([^']+)'/g)].map(([, id = '']) => id));
      if (ids.size === 0) return deviations;
      add(({ caughtBy }) => caughtBy.some((id) => ids.has(id)));
    } else return deviations;
  }
  return files.length === 0 ? deviations : deviations.filter((one) => touched.has(one));
}

/** The files that differ from where the branch left main, uncommitted ones too; undefined where git does not know. */
export function changedFiles(root: string): readonly string[] | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line !== '');
  for (const main of ['main', 'origin/main']) {
    try {
      const [base = 'HEAD'] = git('merge-base', 'HEAD', main);
      return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
    } catch {}
  }
  return undefined;
}
