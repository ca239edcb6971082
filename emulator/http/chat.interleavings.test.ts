import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunView } from '../contract/run.js';
import { createHarness, type Harness, type Listening, listen } from './chat.harness.js';
import '../../test/same-draws.js';

/**
 * One intern, any order of prompts, answers, wrong and stale answers, steers, disconnects, suspensions, deletions and
 * passing time. The runs of the control interface must agree with their streams, and every request
 * must be answered as the state it met demands. Both are checked here from the outside.
 */
type Op =
  | { do: 'prompt'; script: number; session: number | undefined; manual: boolean }
  | { do: 'answer'; run: number; how: 'right' | 'wrong' | 'stale' | 'cancel' }
  | { do: 'race'; run: number }
  | { do: 'invoke'; script: number }
  | { do: 'disconnect' }
  | { do: 'suspend'; cause: 'stopped' | 'destroying' }
  | { do: 'advance'; ms: number };

const SCRIPTS = ['talk', 'ask-twice', 'ask-permission', 'ask-question', 'fails', 'severed', 'cancelled', 'never-ends'];

/** The words of each script when its questions are cancelled, and when they are answered. */
const SAYS: Record<string, string[]> = {
  talk: ['abcdefghij'],
  'ask-twice': ['Two questions. Never mind. Skipped.', 'Two questions. Thank you. Noted.'],
  'ask-permission': [
    'I would like to use the shell. Cancelled.',
    'I would like to use the shell. Rejected once.',
    'I would like to use the shell. Allowed once.',
  ],
  'ask-question': ['One thing first. Cancelled.', 'One thing first. Blue it is.'],
  fails: ['Almost there'],
  severed: ['You can count on'],
  cancelled: ['On second thoughts'],
  'never-ends': ['Still at it.'],
};

const session = fc.option(fc.nat(2), { nil: undefined });
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('prompt' as const), script: fc.nat(7), session, manual: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      run: fc.nat(5),
      how: fc.constantFrom('right' as const, 'right' as const, 'wrong' as const, 'stale' as const, 'cancel' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('race' as const), run: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('invoke' as const), script: fc.nat(7) }) },
  { weight: 2, arbitrary: fc.constant({ do: 'disconnect' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('suspend' as const),
      cause: fc.constantFrom('stopped' as const, 'destroying' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      ms: fc.constantFrom(1, 99, 100, 1_000, 29_999, 30_000, 299_999, 300_000, 300_001),
    }),
  },
);

interface Story {
  script: string;
  id: string;
  responses: Listening[];
  cancelledByClient: boolean;
  steered: number;
}

const RIGHT: Record<string, string> = {
  'What is your name?': '{"action":"accept","content":{"name":"Ada"}}',
  'How many?': '{"action":"accept","content":{"count":3}}',
  'Which colour?': '{"action":"accept","content":{"answer":"blue"}}',
};

async function play(ops: readonly Op[]) {
  const h = createHarness();
  h.scripts.put('talk', { name: 'talk', turn: [{ say: 'abcdefghij', chunks: 10, every: 100 }] });
  const stories = new Map<string, Story>();
  const shown = () => h.runs.list(h.intern.id);
  const chats = () => shown().filter((run) => run.origin === 'chat');
  const streaming = () => chats().find((run) => run.status === 'running');
  const current = () => {
    const run = streaming();
    return run && stories.get(run.id);
  };

  const prompt = async ({ script, session, manual }: Extract<Op, { do: 'prompt' }>) => {
    const name = SCRIPTS[script] ?? 'talk';
    const id = session === undefined ? undefined : `session-${session}`;
    const lock = streaming();
    const going = chats().find((run) => run.session_id === id && run.status !== 'ended');
    const known = new Set(shown().map((run) => run.id));
    const response = await h.prompt(`script: ${name}\nhello`, {
      ...(id && { session_id: id }),
      ...(manual && { approval_mode: 'manual' }),
    });
    if (lock && lock.id !== going?.id) return expect(response.status).toBe(409);
    if (going) {
      expect(response.status).toBe(202);
      const story = stories.get(going.id);
      if (story) story.steered++;
      return;
    }
    expect(response.status).toBe(200);
    const run = shown().find((other) => !known.has(other.id));
    expect(run).toMatchObject({ origin: 'chat' });
    const responses = [listen(response)];
    stories.set(run?.id ?? '', { script: name, id: run?.id ?? '', responses, cancelledByClient: false, steered: 0 });
  };

  const questionOf = (run: RunView) => stories.get(run.id)?.responses.at(-1)?.heard().call;

  const answer = async ({ run: n, how }: Extract<Op, { do: 'answer' }>) => {
    const runs = chats();
    const run = runs[n % Math.max(1, runs.length)];
    const story = run && stories.get(run.id);
    const call = run && questionOf(run);
    if (!run || !story || !call) return;
    const right = call.arguments.kind === 'permission' ? 'reject_once' : RIGHT[String(call.arguments.message)];
    const cancel = call.arguments.kind === 'permission' ? 'cancel' : '{"action":"cancel"}';
    const content = how === 'wrong' ? 'nonsense' : how === 'cancel' ? cancel : right;
    const id = how === 'stale' ? (story.responses[0]?.heard().call?.id ?? call.id) : call.id;
    const lock = streaming();
    const response = await h.reply(run.session_id, id, content);
    if (run.status === 'ended' || run.status === 'running' || id !== run.question?.id || lock)
      return expect(response.status).toBe(409);
    if (how === 'wrong') {
      expect(response.status).toBe(400);
      return expect(shown().find((other) => other.id === run.id)).toEqual(run);
    }
    expect(response.status).toBe(200);
    story.responses.push(listen(response));
  };

  const race = async (n: number) => {
    const waiting = chats().filter((run) => run.status === 'waiting');
    const run = waiting[n % Math.max(1, waiting.length)];
    const call = run && questionOf(run);
    if (!run || !call || streaming()) return;
    const content = call.arguments.kind === 'permission' ? 'cancel' : '{"action":"cancel"}';
    const all = await Promise.all([0, 1, 2].map(() => h.reply(run.session_id, call.id, content)));
    const delivered = all.filter((response) => response.status === 200);
    expect(all.map((response) => response.status).sort()).toEqual([200, 409, 409]);
    stories.get(run.id)?.responses.push(...delivered.map(listen));
  };

  for (const step of ops) {
    if (step.do === 'prompt') await prompt(step);
    if (step.do === 'answer') await answer(step);
    if (step.do === 'race') await race(step.run);
    if (step.do === 'invoke') expect((await h.invoke({ input: `script: ${SCRIPTS[step.script]}` })).status).toBe(202);
    if (step.do === 'disconnect') {
      const story = current();
      if (story) {
        story.cancelledByClient = true;
        await story.responses.at(-1)?.cancel();
        expect(shown().find((run) => run.id === story.id)).toMatchObject({ ended: 'cancelled' });
      }
    }
    if (step.do === 'suspend') {
      h.setStatus(h.intern, step.cause);
      expect(shown().every((run) => run.status === 'ended')).toBe(true);
      expect((await h.prompt('x')).status).toBe(409);
      h.setStatus(h.intern, 'running');
    }
    if (step.do === 'advance') await h.clock.advance(step.ms);
    await h.settle();
    check(h, stories);
  }
  h.runs.close();
  await h.settle();
  check(h, stories);
  expect(shown().every((run) => run.status === 'ended')).toBe(true);
}

/** Every run as it is shown, against its stream. */
function check(h: Harness, stories: Map<string, Story>) {
  const runs = h.runs.list(h.intern.id);
  expect(runs.filter((run) => run.origin === 'chat' && run.status === 'running').length).toBeLessThanOrEqual(1);
  for (const run of runs) {
    const story = stories.get(run.id);
    if (!story) continue;
    const heard = story.responses.map((response) => response.heard());
    const last = heard.at(-1);
    const complete = heard.slice(0, -1);
    expect(complete.every((part) => part.done && part.finish === 'tool_calls' && part.usage === null)).toBe(true);
    expect(heard.every((part) => !part.done || part.sessionId === run.session_id)).toBe(true);

    const content = heard.map((part) => part.content).join('');
    expect(content.split('(steered: ').length - 1).toBeLessThanOrEqual(story.steered);
    const said = content.replace(/\(steered: script: [a-z-]+\nhello\)/g, '');
    const possible = combinations(story.script);
    expect(possible.some((text) => text.startsWith(said))).toBe(true);

    if (run.status === 'running') expect(last).toMatchObject({ done: false, finish: undefined });
    if (run.status === 'waiting') {
      expect(last).toMatchObject({ done: true, finish: 'tool_calls', usage: null });
      expect(last?.call?.id).toBe(run.question?.id);
      expect(Date.parse(run.question?.deadline ?? '')).toBeGreaterThan(h.clock.now());
    }
    if (run.status !== 'ended') continue;
    expect(run.question).toBeUndefined();
    if (last?.finish === 'stop') {
      expect(run.ended).toBe('stop');
      expect(possible).toContain(said);
    } else if (last?.finish === 'error') {
      const reason = last.error?.metadata.reason;
      const ended = { run_ended: ['cancelled', 'deadline'], stream_severed: ['severed'], turn_failed: ['failed'] };
      expect(ended[reason as keyof typeof ended]).toContain(run.ended);
    } else if (last?.finish === 'tool_calls') {
      expect(['cancelled', 'deadline']).toContain(run.ended);
      if (run.ended === 'deadline')
        expect(Date.parse(run.ended_at ?? '') - Date.parse(run.started_at)).toBeGreaterThanOrEqual(300_000);
    } else {
      expect(story.cancelledByClient).toBe(true);
      expect(run.ended).toBe('cancelled');
    }
  }
}

/** Everything a script may say, whichever answer each of its questions got. */
function combinations(script: string): string[] {
  if (script !== 'ask-twice') return SAYS[script] ?? [];
  return ['Never mind. ', 'Thank you. '].flatMap((first) =>
    ['Skipped.', 'Noted.'].map((second) => `Two questions. ${first}${second}`),
  );
}

test('any order of events: the runs that are shown agree with what the streams said', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 1, maxLength: 30 }), async (ops) => {
      await play(ops);
    }),
    { numRuns: Number(process.env.INTERLEAVINGS ?? 150), endOnFailure: false },
  );
});
