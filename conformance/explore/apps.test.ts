import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DISTURBANCES } from '../../emulator/contract/disturbance.js';
import { createEmulator } from '../../emulator/index.js';
import { withApps } from '../../scripts/explore-rows.js';
import { AI_SDK } from '../../test/apps/right/ai-sdk.js';
import { APPS, type FoundByLaw, RIGHT } from '../../test/apps/score.js';
import score from '../../test/apps/score.json' with { type: 'json' };
import { WRONG } from '../../test/apps/wrong/index.js';
import { closing } from '../../test/closing.js';
import { LAWS } from './types.js';

test.each(APPS)('$id passes undisturbed, and leaves nothing', async ({ id, run }) => {
  const emulator = closing(
    createEmulator({ clock: 'auto', ...(id === 'openrouter' ? { profile: 'openrouter' } : {}) }),
  );
  const { target, fetch, daemon, clock } = emulator;
  const list = async () => {
    const answer = await fetch('/api/v1/interns', {
      headers: { authorization: `Bearer ${target.credentials.api_key}` },
    });
    return ((await answer.json()) as { data: unknown[] }).data.length;
  };
  const before = await list();
  await run({
    emulator,
    target,
    fetch: (input, init) => {
      const given = input instanceof Request ? input : String(input);
      const { origin } = new URL(input instanceof Request ? input.url : input);
      return origin === target.daemon_origin ? daemon.fetch(given, init) : fetch(given, init);
    },
    signal: new AbortController().signal,
    print: () => {},
  });
  await clock.advance(60_000);
  expect(await list()).toBe(before);
});

test('each wrong app is wrong in its own way, where it was seen', () => {
  expect(new Set(APPS.map(({ id }) => id)).size).toBe(APPS.length);
  expect(WRONG.length).toBeGreaterThanOrEqual(25);
  expect(WRONG.filter(({ seen }) => !/^[\w.-]+\/[\w.-]+#\d+: \S/.test(seen))).toEqual([]);
  expect(new Set(WRONG.map(({ seen }) => seen.split(':')[0])).size).toBe(WRONG.length);
});

const found: FoundByLaw = score;

test('each wrong app is found by the law meant for it, and no right one is blamed', () => {
  expect(WRONG.filter(({ id, law }) => found[id]?.[law] === undefined).map(({ id }) => id)).toEqual([]);
  expect(RIGHT.filter(({ id }) => Object.keys(found[id] ?? { missing: [] }).length > 0)).toEqual([]);
  const known = [...APPS, ...AI_SDK];
  expect(Object.keys(found).filter((id) => !known.some((app) => app.id === id))).toEqual([]);
  expect(found['ai-sdk']).toEqual({});
});

test('no wrong app is blamed by a law that it keeps', () => {
  const blamed = WRONG.map(({ id }) => `${id}: ${Object.keys(found[id] ?? {}).sort()}`);
  expect(blamed).toEqual(WRONG.map(({ id, law, also }) => `${id}: ${[law, ...Object.keys(also ?? {})].sort()}`));
});

test('each disturbance finds an app, and each law is met by several', () => {
  const kinds = new Set(Object.values(found).flatMap((laws) => Object.values(laws).flat()));
  const blunt = Object.entries(DISTURBANCES).filter(([kind, row]) => row.class !== 'broken' && !kinds.has(kind));
  expect(blunt.map(([kind]) => kind)).toEqual([]);
  for (const law of LAWS) expect(WRONG.filter((app) => app.law === law).length, law).toBeGreaterThan(1);
});

test('the page shows them as they are: npm run explore-score, npm run docs', () => {
  const page = readFileSync('docs/explore-apps.md', 'utf8');
  expect(withApps(page)).toBe(page);
});
