import { Refusal } from '../../emulator/contract/errors.js';
import { acts, errorAnswer, errors, numbers, operationOf, remeta, restatus, served } from './change.js';
import { makes } from './change-runs.js';
import { defineDeviations } from './deviation.js';

export const CHAT_NOT_TAKEN = defineDeviations([
  {
    name: 'not-ready-is-503',
    requirement: 'CHAT-16',
    description: 'An intern that does not run is 503.',
    alters: restatus('intern_not_ready', 409, 503),
    caughtBy: ['chat-not-taken/not-running', 'chat-not-taken/while-it-boots', 'model/statuses', 'provision/first-boot'],
  },
  {
    name: 'not-ready-for-good',
    requirement: 'CHAT-16',
    description: 'intern_not_ready says that trying again does not help.',
    alters: remeta('intern_not_ready', 409, { retryable: false }),
    caughtBy: ['chat-not-taken/not-running', 'chat-not-taken/while-it-boots'],
  },
  {
    name: 'not-ready-wakes-it',
    requirement: 'CHAT-16',
    description: 'A prompt to a suspended intern is answered as if it ran.',
    alters: {
      runs: (usual) => ({
        ...usual,
        prompt: async (request) => {
          const { record } = request.intern;
          if (record.status === 'stopped') throw new Refusal('busy');
          return usual.prompt(request);
        },
      }),
    },
    caughtBy: ['chat-not-taken/not-running'],
  },
  {
    name: 'booting-is-503',
    requirement: 'CHAT-16',
    description: 'A prompt to an intern that boots is 503 busy.',
    alters: {
      runs: (usual) => ({
        ...usual,
        prompt: async (request) => {
          if (['queued', 'provisioning'].includes(request.intern.record.status)) throw new Refusal('too_many_waiting');
          return usual.prompt(request);
        },
      }),
    },
    caughtBy: ['chat-not-taken/while-it-boots'],
  },
  {
    name: 'unreachable-is-told-in-the-stream',
    requirement: 'CHAT-16',
    description: 'An intern that cannot be reached opens a stream that ends with an error.',
    alters: served((answer, request, resource) =>
      operationOf(resource, request.method) === 'chat' && answer.status === 502
        ? {
            status: 200,
            headers: { 'content-type': 'text/event-stream' },
            body: `data: {"id":"x","object":"chat.completion.chunk","created":0,"model":"x","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"error"}],"error":{"code":502,"message":"unreachable","metadata":{"reason":"intern_unreachable","retryable":true}}}\n\ndata: {"id":"x","object":"chat.completion.chunk","created":0,"model":"x","choices":[],"session_id":null,"usage":null}\n\ndata: [DONE]\n\n`,
          }
        : answer,
    ),
    caughtBy: ['chat-not-taken/not-accepted', 'shipped-scripts/shipped-refusals'],
  },
  {
    name: 'unreachable-for-good',
    requirement: 'CHAT-16',
    description: 'intern_unreachable says that trying again does not help.',
    alters: remeta('intern_unreachable', 502, { retryable: false }),
    caughtBy: ['chat-not-taken/not-accepted'],
  },
  {
    name: 'refused-turn-is-unreachable',
    requirement: 'CHAT-16',
    description: 'A refused turn is told as intern_unreachable.',
    alters: remeta('turn_failed', 502, { reason: 'intern_unreachable' }),
    caughtBy: ['chat-not-taken/not-accepted', 'shipped-scripts/shipped-refusals'],
  },
  {
    name: 'accepted-only-when-it-did-not-fail',
    requirement: 'CHAT-16',
    description: 'A run that says something and fails at once is 502.',
    alters: acts('chat', (answer) =>
      typeof answer.body === 'string' && answer.body.includes('"finish_reason":"error"')
        ? errorAnswer(502, 'The turn failed', 'turn_failed')
        : answer,
    ),
    caughtBy: ['chat-not-taken/accepted-first', 'chat-endings/cancelled', 'chat-endings/severed'],
  },
  {
    name: 'stream-opens-with-the-first-word',
    requirement: 'CHAT-16',
    description: 'A stream does not open before the intern says something.',
    alters: makes('runner', (create) => (deps) => {
      const runner = create(deps);
      return {
        ...runner,
        async start(run, prompt, intern) {
          await runner.start(run, prompt, intern);
          while (run.status === 'running' && run.log.length === 0) await deps.clock.sleep(500);
        },
      };
    }),
    caughtBy: ['chat-not-taken/opens-at-once', 'keepalive/before-first-word', 'disconnect/before-first-word'],
  },
  {
    name: 'eight-may-wait',
    requirement: 'CHAT-16',
    description: 'With eight runs waiting the next prompt is refused.',
    alters: numbers({ max_waiting_runs: 8 }),
    caughtBy: ['chat-not-taken/too-many-waiting'],
  },
  {
    name: 'any-number-may-wait',
    requirement: 'CHAT-16',
    description: 'Any number of runs may wait on questions.',
    alters: numbers({ max_waiting_runs: 1_000 }),
    caughtBy: ['chat-not-taken/too-many-waiting'],
  },
  {
    name: 'too-many-waiting-is-429',
    requirement: 'CHAT-16',
    description: 'Too many waiting runs are 429.',
    alters: errors(({ status, reason }) => (status === 503 && reason === 'busy' ? { status: 429 } : undefined)),
    caughtBy: ['chat-not-taken/too-many-waiting'],
  },
  {
    name: 'too-many-waiting-does-not-say-until-when',
    requirement: 'CHAT-16',
    description: 'The 503 of too many waiting runs has no Retry-After.',
    alters: served((answer) => {
      if (answer.status !== 503) return answer;
      const { 'retry-after': _, ...headers } = answer.headers;
      return { ...answer, headers };
    }),
    caughtBy: ['chat-not-taken/too-many-waiting'],
  },
]);
