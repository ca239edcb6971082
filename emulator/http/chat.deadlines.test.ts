import { describe, expect, test } from 'vitest';
import type { Behaviour } from '../scripts/behaviour.js';
import { createHarness } from './chat.harness.js';

describe('the interaction deadline', () => {
  test('follows the setting as it is when the question is asked', async () => {
    const h = createHarness();
    h.settings.interaction_deadline = 1_000;
    await (await h.say('ask-question')).end();
    h.settings.interaction_deadline = 5_000;
    await h.clock.advance(999);
    expect(h.runs.list()[0]?.status).toBe('waiting');
    await h.clock.advance(1);
    expect(h.runs.list()[0]?.ended).toBe('deadline');
  });

  test('a behaviour that waits on a question is closed, and its finally runs', async () => {
    const closed: string[] = [];
    const tidy: Behaviour = {
      name: 'tidy',
      async *turn(_turn, { signal }) {
        try {
          yield { ask: { kind: 'elicitation', message: '?', fields: [] } };
        } finally {
          closed.push(String(signal.aborted));
        }
      },
    };
    const h = createHarness({ scripts: [tidy] });
    await (await h.say('tidy')).end();
    await h.clock.advance(300_000);
    expect(closed).toEqual(['true']);
  });
});

describe('acceptance', () => {
  const mute: Behaviour = {
    name: 'mute',
    async *turn() {
      await new Promise(() => {});
    },
  };

  test('an intern that neither says nor waits for 30 s has not accepted: 504', async () => {
    const h = createHarness({ scripts: [mute] });
    let answered: Response | undefined;
    const sent = h.prompt('script: mute').then((response) => {
      answered = response;
      return response;
    });
    await h.clock.advance(29_999);
    expect(answered).toBeUndefined();
    await h.clock.advance(1);
    expect(await h.refused(sent)).toMatchObject({ status: 504, reason: 'timeout' });
    expect(h.runs.list()[0]).toMatchObject({ status: 'ended', ended: 'failed' });
    expect((await h.prompt('the lock is free')).status).toBe(200);
  });
});

test('a reader that does not read gets no keepalive on top of what it has not read', async () => {
  const h = createHarness();
  const response = await h.prompt('script: never-ends');
  const reader = response.body?.getReader();
  await reader?.read();
  await h.clock.advance(3_600_000);
  const pending = reader?.read();
  await h.settle();
  await h.clock.advance(30_000);
  expect(new TextDecoder().decode((await pending)?.value)).toBe(': keepalive\n\n');
});
