import { expect, test } from 'vitest';
import { createEmulator } from '../../emulator/index.js';
import { AI_SDK, hasAiSdk } from '../../test/apps/right/ai-sdk.js';
import { FETCH } from '../../test/apps/right/fetch.js';
import { OPENAI } from '../../test/apps/right/openai.js';
import { OPENROUTER } from '../../test/apps/right/openrouter.js';
import { WRONG } from '../../test/apps/wrong/index.js';

const APPS = [...WRONG, ...FETCH, ...OPENAI, ...OPENROUTER, ...(hasAiSdk() ? AI_SDK : [])];

test.each(APPS)('$id passes undisturbed, and leaves nothing', async ({ id, run }) => {
  const emulator = createEmulator({ clock: 'auto', ...(id === 'openrouter' ? { profile: 'openrouter' } : {}) });
  const { target, fetch, daemon, clock } = emulator;
  const list = async () => {
    const answer = await fetch('/api/v1/interns', {
      headers: { authorization: `Bearer ${target.credentials.api_key}` },
    });
    return ((await answer.json()) as { data: unknown[] }).data.length;
  };
  try {
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
  } finally {
    await emulator.close();
  }
});

test('each wrong app is wrong in its own way, where it was seen', () => {
  expect(new Set(APPS.map(({ id }) => id)).size).toBe(APPS.length);
  expect(WRONG.length).toBeGreaterThanOrEqual(25);
  expect(WRONG.filter(({ seen }) => !/^[\w.-]+\/[\w.-]+#\d+: \S/.test(seen))).toEqual([]);
  expect(new Set(WRONG.map(({ seen }) => seen.split(':')[0])).size).toBe(WRONG.length);
});
