import { describe, expect, test } from 'vitest';
import { check, fakeDriver, fakeHost, fakeTarget } from '../../test/targets/fake-target.js';
import { talk } from '../requests/chat.js';
import type { Check } from '../run/check.js';
import * as expects from '../run/expect.js';
import { run } from '../run.js';
import { groups } from './groups.js';
import { REPORT_KINDS, REPORTERS } from './index.js';

type Choice = { delta: object; finish_reason?: string };
const chunk = (choice?: Choice, more: object = {}) => ({
  id: 'c',
  choices: choice === undefined ? [] : [{ index: 0, ...choice }],
  ...more,
});
const FINAL = chunk(undefined, { session_id: 's', usage: null });
const STOP = [chunk({ delta: { content: 'Hello.' } }), chunk({ delta: {}, finish_reason: 'stop' })];

const stream = (chunks: readonly object[]) =>
  new Response(`${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}data: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  });
const CALL = { index: 0, id: 'c', type: 'function', function: { name: 'service.provide_input', arguments: '{}' } };
const asking = () => stream([chunk({ delta: { tool_calls: [CALL] }, finish_reason: 'tool_calls' }), FINAL]);
const busy = () =>
  new Response('{"error":{"code":409,"message":"Busy","metadata":{"reason":"busy","retryable":true}}}', {
    status: 409,
    headers: { 'content-type': 'application/json' },
  });

/** Does the checks against a target that answers the prompts of each with these, the last one again and again. */
async function go(checks: Check[], answers: readonly (() => Response)[]) {
  const host = fakeHost();
  let asked = 0;
  const target = fakeTarget(({ url }) =>
    url.includes('/chat/') ? answers[Math.min(asked++, answers.length - 1)]?.() : undefined,
  );
  return run({ driver: fakeDriver(target.fetch, host), host, checks, seed: 'seed' });
}

describe('a stream that breaks a rule of another requirement', () => {
  const twice = () => stream([...STOP, FINAL, FINAL]);
  const asks = check(
    'a/asks',
    async (ctx) => {
      const t = await talk(ctx, ctx.interns.unknownId(), 'Hello.');
      expects.grammar(t, 'S');
    },
    { requirement: 'CHAT-5' },
  );

  test('is reported under that requirement, which is the one that counts as broken', async () => {
    const results = await go([asks], [twice]);
    expect(results.checks[0]?.finding?.breaks).toBe('CHAT-3');
    const verdicts = Object.fromEntries(results.requirements.map(({ id, verdict }) => [id, verdict]));
    expect(verdicts).toMatchObject({ 'CHAT-3': 'fail', 'CHAT-5': 'skip' });
    for (const kind of REPORT_KINDS.filter((one) => !['json', 'html', 'badge'].includes(one))) {
      expect(REPORTERS[kind](results)).toContain('CHAT-3');
      expect(REPORTERS[kind](results)).not.toContain('finishes with `finish_reason: tool_calls`');
    }
    expect(REPORTERS.tty(results)).toMatch(/a\/asks {2}CHAT-3, stated, met by a check of CHAT-5\n {2}After every/);
  });

  test('is shown with the event that does, at the end of a long stream too', async () => {
    const long = Array.from({ length: 60 }, (_, at) => chunk({ delta: { content: `word ${at} ` } }));
    const results = await go(
      [asks],
      [() => stream([...long, ...STOP, FINAL, chunk(undefined, { session_id: 'two' })])],
    );
    const [first] = results.checks;
    expect(first?.finding?.actual).toMatch(
      /^a second chunk with empty choices; event 64 of 65 is \{.*"session_id":"two"/,
    );
    expect(groups(results.checks)[0]?.title).toBe('the stream breaks a rule: a second chunk with empty choices');
    const text = REPORTERS.tty(results);
    expect(text).toMatch(/ {2}says in 61 chunks "word 0 word 1 /);
    expect(text).toMatch(
      / {2}✗ .* {2}final chunk, session_id "two" {2}← a second chunk with empty choices\n +\{"id":"c"/,
    );
    expect(text).not.toContain('word 30 ');
  });
});

describe('a chat request that is refused', () => {
  test('says what was sent, and that no run streams', async () => {
    const two = check('a/two', async (ctx) => {
      const id = ctx.interns.unknownId();
      await talk(ctx, id, 'Hello.');
      await talk(ctx, id, { prompt: 'Hello.', session_id: 's' });
    });
    const results = await go([two], [() => stream([...STOP, FINAL]), busy, () => stream([...STOP, FINAL]), busy]);
    const { finding } = results.checks[0] ?? {};
    expect(finding?.what).toBe('a prompt in a session');
    expect(finding?.actual).toMatch(/^409 busy although no run of the intern streams, the last one has ended: \{/);
  });

  test('breaks CHAT-6 where it is an answer and its run waits, whatever the check is about', async () => {
    const asks = check(
      'a/asks',
      async (ctx) => {
        const id = ctx.interns.unknownId();
        await talk(ctx, id, 'Hello.');
        await talk(ctx, id, { messages: [{ role: 'tool', content: 'x' }], session_id: 's' });
      },
      { requirement: 'CHAT-9' },
    );
    const { finding } = (await go([asks], [asking, busy, asking, busy])).checks[0] ?? {};
    expect(finding).toMatchObject({ what: 'the answer to a question', breaks: 'CHAT-6' });
    expect(finding?.actual).toMatch(
      /^409 busy although no run of the intern streams, the last one waits on a question: /,
    );
  });
});

test('skips are grouped by what the intern did instead', async () => {
  const wants = (id: string, finish: 'stop' | 'tool_calls') =>
    check(id, async (ctx) =>
      expects.finish(await talk(ctx, ctx.interns.unknownId(), 'Hello.'), finish, `the prompt of ${id}`),
    );
  const plain = () => stream([...STOP, FINAL]);
  const results = await go(
    [wants('a/one', 'tool_calls'), wants('a/two', 'tool_calls'), wants('a/three', 'stop')],
    [plain, plain, asking],
  );
  const text = REPORTERS.tty(results);
  expect(text).toMatch(/ 2 {2}the intern did not ask when asked to, it answered: a\/one: the prompt of a\/one ended/);
  expect(text).toMatch(/ 1 {2}the intern did not simply answer when asked to, it asked: a\/three: /);
});

test('a stated rule that a published check finds broken is what is reported, and fails', async () => {
  const published = check(
    'a/published',
    async (ctx) => {
      expects.grammar(await talk(ctx, ctx.interns.unknownId(), 'Hello.'), 'P', 'CHAT-3');
    },
    { requirement: 'CHAT-15', level: 'P' },
  );
  const results = await go([published], [() => stream([...STOP, FINAL, FINAL])]);
  expect(results.checks[0]).toMatchObject({ verdict: 'fail', finding: { breaks: 'CHAT-3', level: 'S' } });
  expect(results.requirements.find(({ id }) => id === 'CHAT-3')?.verdict).toBe('fail');
});
