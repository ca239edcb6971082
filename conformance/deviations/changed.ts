import { execFileSync } from 'node:child_process';
import { hash } from '../framework/random.js';
import type { Modules } from './graph.js';
import { deviations } from './index.js';
import type { Deviation } from './mutant.js';

/** How many count as all. */
export const SAMPLE = 60;

/** No module, and yet what every run rests on. */
const SETTINGS = /^(package(-lock)?|tsconfig)\.json$/;

/** What git knows of a branch. */
export interface Changes {
  /** What the branch is at. */
  readonly commit: string;
  /** Files that differ from where it left main, uncommitted ones too. */
  readonly files: readonly string[];
}

export interface Choice {
  readonly deviations: readonly Deviation[];
  /** Why some of them are a sample of all, and the commit that drew it. */
  readonly sample?: { readonly why: string; readonly commit: string };
}

/** Of some deviations so many, which ones the commit decides: another commit draws others. */
const drawn = (from: readonly Deviation[], commit: string): readonly Deviation[] =>
  from
    .map((one) => ({ one, at: hash(`${commit} ${one.name}`) }))
    .sort((a, b) => a.at - b.at)
    .slice(0, SAMPLE)
    .map(({ one }) => one);

/**
 * The deviations that changes can touch: those whose own file or whose checks import a file that changed, directly or
 * through others. Of what touches more than half of them, which is most of the kit and of the emulator, a sample; a sample
 * of all where nothing changed, and where git does not know.
 */
export function choose(changes: Changes | undefined, { shared, own }: Modules): Choice {
  const { files, commit } = changes ?? { files: [], commit: 'unknown' };
  const touchedBy = (file: string) =>
    shared.has(file) || SETTINGS.test(file) ? deviations : deviations.filter((one) => own.get(one)?.has(file));
  const touched = new Set<Deviation>();
  const widely = new Set<Deviation>(files.length === 0 ? deviations : []);
  let why = changes === undefined ? 'git does not say what changed' : 'nothing differs from main';
  for (const file of files) {
    const mine = touchedBy(file);
    const wide = mine.length > deviations.length / 2;
    if (wide) why = `${mine.length} of ${deviations.length} rest on ${file}`;
    for (const one of mine) (wide ? widely : touched).add(one);
  }
  for (const one of drawn([...widely], commit)) touched.add(one);
  return {
    deviations: deviations.filter((one) => touched.has(one)),
    ...(widely.size === 0 ? {} : { sample: { why, commit } }),
  };
}

/** What changed since the branch left main; undefined where git does not know. */
export function readChanges(root: string): Changes | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line !== '');
  for (const main of ['main', 'origin/main']) {
    try {
      const [base = 'HEAD'] = git('merge-base', 'HEAD', main);
      const [commit = ''] = git('rev-parse', '--short', 'HEAD');
      return {
        commit,
        files: [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')],
      };
    } catch {}
  }
  return undefined;
}
