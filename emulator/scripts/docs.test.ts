import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { createHarness, type Harness, listen } from '../http/chat.harness.js';
import type { Behaviour } from './behaviour.js';

const page = readFileSync('docs/scripts.md', 'utf8');
const blocks = new Map(
  [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => {
    const source = JSON.parse(json ?? '') as { name: string };
    return [source.name, source];
  }),
);
const tried = new Set<string>();

/** An emulator's chat with one recipe of the page installed. */
function recipe(name: string): Harness {
  const h = createHarness();
  tried.add(name);
  h.scripts.put(name, blocks.get(name));
  return h;
}

const accept = (content: object) => JSON.stringify({ action: 'accept', content });

describe('docs/scripts.md', () => {
  afterAll(() => {
    // Every recipe needs a test of its own.
    expect([...tried].sort()).toEqual([...blocks.keys()].sort());
  });

  test('each recipe has a script', () => {
    expect(blocks.size).toBeGreaterThan(5);
    // The first example of the page is one without a number.
    expect(page.match(/^### \d+\./gm)).toHaveLength(blocks.size - 1);
  });

  /** The words of a run of a recipe, given the answers to its questions and the time on its clock. */
  test.each<[name: string, answers: readonly string[], said: object, ms?: number, more?: Record<string, unknown>]>([
    ['deploy', [], { content: 'I have to use the shell. Deployed.', finish: 'stop' }],
    ['deploy', ['reject_once'], { content: 'Left alone.' }, 0, { approval_mode: 'manual' }],
    ['order', [accept({ size: 'S' }), accept({ count: 2 })], { content: 'Small ones, then.', finish: 'stop' }],
    [
      'overloaded',
      [],
      {
        content: 'The answer is, as far as I',
        error: { code: 502, message: 'The model is overloaded', metadata: { reason: 'turn_failed', retryable: true } },
      },
      100,
    ],
    ['sleepy', [], { content: 'Let me think about that. Done.', keepalives: 2 }, 92_000],
    ['paint', [accept({ colour: 'red' })], { content: 'As you like.', usage: { total_tokens: 15 } }],
  ])('%s, answered %j, says %j', async (name, answers, expected, ms = 0, more = {}) => {
    const h = recipe(name);
    const stream = await h.say(name, more);
    await h.clock.advance(ms);
    let said = await stream.end();
    const { sessionId } = said;
    for (const answer of answers) {
      expect(said.finish).toBe('tool_calls');
      said = await listen(await h.reply(sessionId, said.call?.id, answer)).end();
    }
    expect(said).toMatchObject(expected);
    expect(h.runs.list()).toHaveLength(1);
  });

  test('sleepy is steered while it waits', async () => {
    const h = recipe('sleepy');
    const stream = await h.say('sleepy', { session_id: 's' });
    await h.clock.advance(30_000);
    expect((await h.prompt('left', { session_id: 's' })).status).toBe(202);
    await h.clock.advance(90_000);
    expect((await stream.end()).content).toBe('Let me think about that.(steered: left) Done.');
  });

  test('order times out', async () => {
    const h = recipe('order');
    const q = await (await h.say('order')).end();
    await h.clock.advance(300_000);
    expect(h.runs.list()[0]?.ended).toBe('deadline');
    expect(await h.refused(h.reply(q.sessionId, q.call?.id, accept({ size: 'S' })))).toMatchObject({
      status: 409,
      reason: 'interaction_not_pending',
    });
  });

  test('no-disk fails to boot', () => {
    const h = recipe('no-disk');
    expect(h.scripts.resolveLifecycle({ ...h.intern, script: 'no-disk' }).boot).toEqual({
      after: 3_000,
      steps: ['Creating disk', 'Mounting disk'],
      ends: 'failed',
      message: 'No space left',
    });
  });

  test('sticky fails to archive', () => {
    const h = recipe('sticky');
    expect(h.scripts.resolveLifecycle({ ...h.intern, script: 'sticky' }).teardown).toEqual({
      after: 500,
      ends: 'workspace_archive_failed',
    });
  });

  test('paint goes on by itself under invoke', async () => {
    const h = recipe('paint');
    expect((await h.invoke({ input: 'script: paint' })).status).toBe(202);
    await h.settle();
    expect(h.runs.list()[0]).toMatchObject({ origin: 'invoke', ended: 'stop' });
  });

  test('the behaviour in code runs as it stands on the page', async () => {
    const source = /const dice: Behaviour = (\{[\s\S]*?\n\});\n/.exec(page)?.[1];
    const dice = new Function(`return ${source}`)() as Behaviour;
    const story = async () => {
      const h = createHarness({ scripts: [dice], seed: 'dice' });
      const stream = await h.say('dice');
      await h.clock.advance(500);
      return stream.end();
    };
    const said = await story();
    expect(said.content).toMatch(/^You said hello; I rolled [1-6]\.$/);
    expect(said).toMatchObject({ reasoning: expect.stringContaining(said.sessionId ?? '?'), finish: 'stop' });
    expect((await story()).text).toBe(said.text);
  });
});
