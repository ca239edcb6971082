import { DONE, frameOf } from '../../../emulator/wire/chunks.js';
import { failed } from '../answers.js';
import { withBody } from '../call.js';
import type { Way } from '../world.js';
import { isServed, peeked, reasonOf } from './helpers.js';

const KNOWN =
  'messages stream stream_options session_id approval_mode model input temperature top_p max_tokens user metadata tools';

export const queues: Way = {
  name: 'a prompt waits up to ten seconds for its turn before the intern is busy',
  lawful: true,
  unpublished: true,
  quote: 'Error catalogue for the intern operations other than signing: not shown.',
  wrong: (world) => async (call, next) => {
    let response = await next();
    for (let tries = 0; tries < 20; tries++) {
      if (call.op !== 'chat' || call.request.signal.aborted || (await reasonOf(response)) !== 'busy') break;
      world.hit();
      await world.setting.host.sleep(500);
      response = await next(withBody(call, call.text));
    }
    return response;
  },
};

export const chat: readonly Way[] = [
  queues,
  {
    // Chat answers with a stream; that a steered one does not is published alone.
    name: 'a steered chat is answered by a short stream whose final chunk says that it was steered',
    lawful: true,
    unpublished: true,
    quote: 'the prompt is delivered into that run, and the reported status is steered',
    wrong: (world) =>
      world.later('chat', async (response) => {
        if (response.status !== 202) return undefined;
        const { session_id } = await peeked(response);
        const chunk = {
          id: `chatcmpl-${world.setting.host.now()}`,
          object: 'chat.completion.chunk',
          created: 1,
          model: 'steer',
        };
        const delta = { role: 'assistant', content: '' };
        const body = [
          { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
          { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
          { ...chunk, choices: [], session_id, status: 'steered', usage: null },
        ];
        const headers = { 'content-type': 'text/event-stream' };
        return new Response(body.map(frameOf).join('') + DONE, { headers });
      }),
  },
  {
    name: 'chat and invoke refuse fields that they do not know',
    lawful: true,
    unpublished: true,
    quote: 'Method, path and parameter names: not shown.',
    wrong: (world) =>
      world.instead('chat invoke', async (call) =>
        Object.keys(call.body).some((name) => !KNOWN.split(' ').includes(name)) && (await isServed(world, call))
          ? failed(400, 'Unknown field in the body', 'bad_request')
          : undefined,
      ),
  },
];
