/** Which disturbance finds which app, by which law (EXP-9). */
import { explore } from '../explore.js';
import type { ExploreOptions } from '../types.js';
import type { App, WrongApp } from './app.js';
import { AI_SDK, hasAiSdk } from './right/ai-sdk.js';
import { FETCH } from './right/fetch.js';
import { OPENAI } from './right/openai.js';
import { OPENROUTER } from './right/openrouter.js';
import { WRONG } from './wrong/index.js';

/** The apps that are right, as far as their packages are here. */
export const RIGHT: readonly App[] = [...FETCH, ...OPENAI, ...OPENROUTER, ...(hasAiSdk() ? AI_SDK : [])];
export const APPS: readonly (App | WrongApp)[] = [...WRONG, ...RIGHT];

export interface Score {
  readonly id: string;
  readonly schedules: number;
  readonly found: readonly { readonly law: string; readonly kind: string; readonly sentence: string }[];
}

/** Explores an app. Its own limits are 1.5 s: who waits longer has none. */
export async function scoreOf(app: App | WrongApp, options: ExploreOptions = {}): Promise<Score> {
  const { findings, counts } = await explore((context) => app.run(context), {
    jobs: 12,
    patience: 3_000,
    ...('law' in app && app.law === 'told' ? { laws: ['told'] } : {}),
    ...(app.id === 'openrouter' ? { emulator: { profile: 'openrouter' } } : {}),
    ...options,
  });
  return {
    id: app.id,
    schedules: counts.run,
    found: findings.map(({ law, kind, sentence }) => ({ law, kind, sentence })),
  };
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
