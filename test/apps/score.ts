import { explore } from '../../conformance/explore/explore.js';
import type { ExploreOptions, Finding, ScheduleFile } from '../../conformance/explore/types.js';
import type { App, WrongApp } from './app.js';
import { AI_SDK, hasAiSdk } from './right/ai-sdk.js';
import { FETCH } from './right/fetch.js';
import { OPENAI } from './right/openai.js';
import { OPENROUTER } from './right/openrouter.js';
import { WRONG } from './wrong/index.js';

/** The table of disturbances, the apps that they find, and the laws (EXP-9). */

/** The apps that are right, as far as their packages are here. */
export const RIGHT: readonly App[] = [...FETCH, ...OPENAI, ...OPENROUTER, ...(hasAiSdk() ? AI_SDK : [])];
export const APPS: readonly (App | WrongApp)[] = [...WRONG, ...RIGHT];

export interface Score {
  readonly id: string;
  readonly schedules: number;
  readonly findings: readonly Finding[];
  readonly found: readonly { readonly law: string; readonly kind: string; readonly sentence: string }[];
}

/** The app's own settings. Its limits are 1.5 s: who waits longer has none. */
const settingsOf = ({ id }: App): ExploreOptions => ({
  jobs: 12,
  ...(id === 'openrouter' ? { emulator: { profile: 'openrouter' } } : {}),
});

export async function scoreOf(app: App | WrongApp, options: ExploreOptions = {}): Promise<Score> {
  const { findings, counts } = await explore((context) => app.run(context), {
    ...settingsOf(app),
    patience: 3_000,
    failOn: 'unnoticed',
    ...options,
  });
  return {
    id: app.id,
    schedules: counts.run,
    findings,
    found: findings.flatMap(({ law, sentence, disturbances }) =>
      disturbances.map(({ kind }) => ({ law, kind, sentence })),
    ),
  };
}

/** Findings that their schedule alone does not show again, as it stands in a file, `times` times. */
export async function notAgain(app: App, findings: readonly Finding[], times = 3): Promise<Finding[]> {
  const again = async ({ law, schedule }: Finding): Promise<boolean> => {
    const file = JSON.parse(JSON.stringify(schedule)) as ScheduleFile;
    const report = await explore((context) => app.run(context), { ...settingsOf(app), schedule: file });
    return report.findings.some((one) => one.law === law);
  };
  const shown = await Promise.all(
    findings.map(async (finding) => {
      for (let n = 0; n < times; n++) if (!(await again(finding))) return false;
      return true;
    }),
  );
  return findings.filter((_, at) => !shown[at]);
}

/** The kinds of disturbances that found an app, by the law that it broke. */
export type FoundByLaw = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export const byLaw = (scores: readonly Pick<Score, 'id' | 'found'>[]): FoundByLaw =>
  Object.fromEntries(
    scores.map(({ id, found }) => [
      id,
      Object.fromEntries(
        [...new Set(found.map(({ law }) => law))].map((law) => [
          law,
          [...new Set(found.filter((one) => one.law === law).map(({ kind }) => kind))].sort(),
        ]),
      ),
    ]),
  );
