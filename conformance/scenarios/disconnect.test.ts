import { expect, test, vi } from 'vitest';
import { answerOf, findingOf } from '../model/finding.js';
import type { Ctx } from '../run/context.js';
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
        : {
            status: 200,
            transcript: { content: 'x' },
            until: async () => ({ content: 'x' }),
            disconnect: async () => {},
          },
  } as unknown as Ctx;
}

test('an intern that stays busy after its client has left is found by its answer: habits look at answers', async () => {
  const check = DISCONNECT.find(({ id }) => id === 'disconnect/noticed');
  const found = await check?.run(staysBusy()).then(() => undefined, findingOf);
  expect(found && answerOf(found.found)).toMatchObject({ status: 409, reason: 'not_now', retryable: true });
});

test.each(['disconnect/while-silent', 'disconnect/noticed', 'disconnect/after-an-answer'])(
  '%s leaves no stream that ends with a question after a moment of further words',
  async (id) => {
    const asking = { toolCalls: [{ id: 'call', arguments: '{"options":["allow_once"]}' }], sessionId: 'one' };
    let spoken = 0;
    const transcript: Record<string, unknown> = { content: 'working' };
    const disconnect = vi.fn(async () => {});
    const asked = {
      status: 200,
      end: async () => ({ ...asking, content: '', finish: 'tool_calls' }),
      disconnect: async () => {},
    };
    const silent = { status: 200, transcript, until: async () => transcript, disconnect };
    const ctx = {
      interns: { running: async () => ({ id: 'one' }) },
      prompt: (behaviour: string) => behaviour,
      needsStreaming() {},
      internDid(holds: boolean, { did }: { did: string }) {
        if (!holds) throw new Error(`did not ${did}`);
      },
      // It speaks for a moment, and then asks.
      wait: async () =>
        void Object.assign(transcript, spoken++ === 0 ? { content: 'still working' } : { finish: 'tool_calls' }),
      chat: async (_: string, { prompt, approval_mode }: { prompt: string; approval_mode?: string }) =>
        prompt === 'silent' && approval_mode === undefined ? silent : asked,
      answer: async () => silent,
    } as unknown as Ctx;
    const check = DISCONNECT.find((one) => one.id === id);
    await expect(check?.run(ctx)).rejects.toThrow('did not fall silent');
    expect(disconnect).not.toHaveBeenCalled();
  },
);
