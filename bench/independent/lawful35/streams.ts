import { isJson } from '../call.js';
import { chained } from '../lawful31/helpers.js';
import type { Answer, Way, World } from '../world.js';
import { paced } from './helpers.js';

const pacing =
  (quiet: Parameters<typeof paced>[2]) =>
  (world: World): Answer =>
  async ({ op }, next) => {
    const response = await next();
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    return op === 'chat' && response.ok && isStream ? paced(world, response, quiet) : response;
  };

export const ticking: Way = {
  name: 'a keepalive comes up to a second late, as the service looks for silence now and then',
  lawful: true,
  quote: 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.',
  wrong: pacing({ late: 900, linger: 0 }),
};

export const tight: Way = {
  name: 'a chunk is an event named message, without a space after its colon',
  lawful: true,
  quote: 'streams the reply as server-sent events',
  wrong: (world) =>
    world.stream(() => (event) => (event.startsWith('data: {') ? `event:message\ndata:${event.slice(6)}` : undefined)),
};

export const streams: readonly Way[] = [
  ticking,
  tight,
  {
    name: 'a connection is closed two seconds after its last event',
    lawful: true,
    quote: 'ending with `data: [DONE]`',
    wrong: pacing({ late: 0, linger: 2_000 }),
  },
  {
    name: 'a delta has null for what it does not say',
    lawful: true,
    unpublished: true,
    quote: 'in the common chat-completion chunk format',
    wrong: (world) =>
      world.stream(() => (_, chunk) => {
        for (const choice of chunk?.choices ?? []) {
          Object.assign(choice, { logprobs: null });
          choice.delta = { content: null, refusal: null, tool_calls: null, audio: null, ...choice.delta };
        }
        return chunk;
      }),
  },
  {
    name: 'a choice has its finish reason when there is one, and that of the model beside it',
    lawful: true,
    unpublished: true,
    quote: 'in the common chat-completion chunk format (`choices`, `finish_reason`)',
    wrong: (world) =>
      world.stream(() => (_, chunk) => {
        if (chunk === undefined) return undefined;
        const choices = chunk.choices.map(({ finish_reason, ...choice }) =>
          finish_reason === null ? choice : { ...choice, finish_reason, native_finish_reason: 'end_turn' },
        );
        return `data: ${JSON.stringify({ ...chunk, choices })}`;
      }),
  },
  {
    name: 'each chunk has the session_id where the request gave one, and a header has it too',
    lawful: true,
    unpublished: true,
    quote: 'one final chunk with empty `choices` that carries `session_id`',
    wrong(world) {
      const chunks = world.stream(({ body }) => (_, chunk) => {
        if (chunk !== undefined && typeof body.session_id === 'string') chunk.session_id ??= body.session_id;
        return chunk;
      });
      const heads = world.head('chat', (headers, { body }, { ok }) => {
        if (ok && typeof body.session_id === 'string') headers.set('x-session-id', encodeURIComponent(body.session_id));
      });
      return chained(chunks, heads);
    },
  },
  {
    name: 'the final chunk repeats the finish reason, and says how long the run took',
    lawful: true,
    unpublished: true,
    quote: 'one final chunk with empty `choices` that carries `session_id`',
    wrong: (world) =>
      world.stream(() => {
        let finished: unknown;
        return (_, chunk) => {
          if (chunk === undefined) return undefined;
          finished ??= chunk.choices[0]?.finish_reason ?? undefined;
          if (chunk.choices.length === 0 && !isJson(chunk.error))
            Object.assign(chunk, { finish_reason: finished ?? null, timings: { total_ms: 412 } });
          return chunk;
        };
      }),
  },
];
