import { expect, test } from 'vitest';
import type { Ctx } from '../framework/context.js';
import { answerOf, findingOf } from '../framework/finding.js';
import { DISCONNECT } from './disconnect.js';

/** An intern that streams, and from then on is busy. */
function staysBusy() {
  let prompts = 0;
  const json = { error: { code: 409, message: 'Busy', metadata: { reason: 'not_now', retryable: true } } };
  const busy = { status: 409, exchange: 2, headers: new Headers(), text: JSON.stringify(json), json };
  return {
    interns: { running: async () => ({ id: 'one' }) },
    prompt: () => '',
    needsStreaming() {},
    internDid() {},
    wait: async () => {},
    chat: async () =>
      prompts++ > 0
        ? { status: 409, whole: async () => busy }
        : { status: 200, until: async () => ({ content: 'x' }), disconnect: async () => {} },
  } as unknown as Ctx;
}

test('an intern that stays busy after its client has left is found by its answer: habits look at answers', async () => {
  const check = DISCONNECT.find(({ id }) => id === 'disconnect/noticed');
  const found = await check?.run(staysBusy()).then(() => undefined, findingOf);
  expect(found && answerOf(found.found)).toMatchObject({ status: 409, reason: 'not_now', retryable: true });
});
