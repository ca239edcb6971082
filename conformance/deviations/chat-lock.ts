import { Refusal } from '../../emulator/contract/errors.js';
import { before, remeta, restatus, served } from './change.js';
import { afterMoves, busy, goingIn, lanes, prompts, streamingIn } from './change-runs.js';
import { defineDeviations, together } from './deviation.js';

export const CHAT_LOCK = defineDeviations([
  {
    name: 'lock-not-there',
    requirement: 'CHAT-14',
    description: 'Any number of chat runs of an intern stream at once.',
    alters: lanes((all) => {
      const { add, moved } = all;
      const unlocked = (id: string) => {
        const lane = all.peek(id);
        if (lane) lane.streaming = undefined;
      };
      all.add = (run) => {
        add.call(all, run);
        unlocked(run.internId);
      };
      all.moved = (run, from) => {
        moved(run, from);
        unlocked(run.internId);
      };
    }),
    caughtBy: [
      'chat-lock/silent-run',
      'chat-lock/prompts',
      'chat-lock/waiting-session',
      'chat-lock/resumed-run',
      'chat-lock/race',
      'chat-lock/for-every-caller',
      'chat-lock/busy-changes-nothing',
      'chat-refusals/busy-before-unacceptable',
    ],
  },
  {
    name: 'lock-not-for-waiting-sessions',
    requirement: 'CHAT-14',
    description: 'While another run streams a prompt to a waiting run is steered.',
    alters: prompts(async (usual, request, runs) => {
      const going = goingIn(runs, request.intern.id, request.sessionId);
      return going?.status === 'waiting' && streamingIn(runs, request.intern).length > 0
        ? { steered: going.session_id }
        : usual(request);
    }),
    caughtBy: ['chat-lock/waiting-session'],
  },
  {
    name: 'lock-not-after-an-answer',
    requirement: 'CHAT-14',
    description: 'A run that streams on after an answer holds no lock.',
    alters: afterMoves((lane, run, from) => {
      if (from === 'waiting' && run.status === 'running') lane.streaming = undefined;
    }),
    caughtBy: ['chat-lock/resumed-run'],
  },
  {
    name: 'lock-of-all-interns',
    requirement: 'CHAT-14',
    description: 'While a chat run streams no other intern takes a prompt.',
    alters: prompts(async (usual, request, runs) => {
      if (streamingIn(runs, undefined).some((run) => run.intern_id !== request.intern.id)) throw busy();
      return usual(request);
    }),
    caughtBy: ['chat-lock/per-intern', 'chat-sessions/same-id-elsewhere', 'keepalive/every-stream'],
  },
  {
    name: 'lock-of-each-caller',
    requirement: 'CHAT-14',
    description: 'A run keeps out only the prompts of the caller who started it.',
    alters: () => {
      let caller = '';
      const holders = new Map<string, string>();
      return together(
        before('chat', (call) => {
          caller = call.caller.id;
          return undefined;
        }),
        {
          runs: (usual) => ({
            ...usual,
            async prompt(request) {
              const own = caller;
              try {
                const result = await usual.prompt(request);
                if ('reader' in result) holders.set(request.intern.id, own);
                return result;
              } catch (error) {
                if (error instanceof Refusal && error.key === 'busy' && holders.get(request.intern.id) !== own)
                  return { steered: 'another' };
                throw error;
              }
            },
          }),
        },
      );
    },
    caughtBy: ['chat-lock/for-every-caller'],
  },
  {
    name: 'lock-kept-while-waiting',
    requirement: 'CHAT-14',
    description: 'A run that waits on a question keeps the lock.',
    alters: prompts(async (usual, request, runs) => {
      const waiting = runs.list(request.intern.id).find((run) => run.status === 'waiting');
      if (waiting && waiting.session_id !== request.sessionId) throw busy();
      return usual(request);
    }),
    caughtBy: [
      'chat-lock/not-while-waiting',
      'chat-lock/let-go',
      'chat-answers/to-the-run-that-asked',
      'chat-deadlines/each-its-own',
    ],
  },
  {
    name: 'lock-held-by-invoke',
    requirement: 'CHAT-14',
    description: 'A run of invoke holds the lock.',
    alters: prompts(async (usual, request, runs) => {
      if (runs.list(request.intern.id).some((run) => run.origin === 'invoke' && run.status === 'running')) throw busy();
      return usual(request);
    }),
    caughtBy: ['chat-lock/not-by-invoke', 'chat-sessions/invoke-session-going'],
  },
  {
    name: 'lock-keeps-invoke-out',
    requirement: 'CHAT-14',
    description: 'While a chat run streams invoke is 409 busy.',
    alters: {
      runs: (usual) => ({
        ...usual,
        async invoke(request) {
          if (streamingIn(usual, request.intern).length > 0) throw busy();
          return usual.invoke(request);
        },
      }),
    },
    caughtBy: ['chat-lock/not-for-invoke'],
  },
  {
    name: 'lock-kept-after-a-failure',
    requirement: 'CHAT-14',
    description: 'A run that failed keeps the lock.',
    alters: afterMoves((lane, run) => {
      if (run.ended === 'failed' && run.origin === 'chat') lane.streaming = run;
    }),
    caughtBy: ['chat-lock/let-go', 'chat-not-taken/not-accepted'],
  },
  {
    name: 'lock-kept-after-a-cancellation',
    requirement: 'CHAT-14',
    description: 'A run that was cancelled keeps the lock.',
    alters: afterMoves((lane, run, from) => {
      if (run.ended === 'cancelled' && run.origin === 'chat' && from === 'running') lane.streaming = run;
    }),
    caughtBy: [
      'chat-lock/let-go',
      'chat-lock/let-go-by-suspend',
      'chat-lock/let-go-by-disconnect',
      'disconnect/while-silent',
    ],
  },
  {
    name: 'lock-taken-too-late',
    requirement: 'CHAT-14',
    description: 'Of prompts sent at once several stream.',
    alters: lanes((all) => {
      const { add } = all;
      all.add = (run) => {
        add.call(all, run);
        const lane = all.peek(run.internId);
        if (!lane || run.origin !== 'chat') return;
        lane.streaming = undefined;
        setImmediate(() => {
          if (run.status === 'running') lane.streaming ??= run;
        });
      };
    }),
    caughtBy: ['chat-lock/race'],
  },
  {
    name: 'busy-prompt-is-heard',
    requirement: 'CHAT-14',
    description: 'A prompt that is told busy shows in the run that streams.',
    alters: prompts(async (usual, request, runs) => {
      try {
        return await usual(request);
      } catch (error) {
        const [going] = streamingIn(runs, request.intern);
        if (error instanceof Refusal && error.key === 'busy' && going)
          await usual({ ...request, sessionId: going.session_id });
        throw error;
      }
    }),
    caughtBy: ['chat-lock/busy-changes-nothing', 'chat-lock/prompts'],
  },
  {
    name: 'busy-for-good',
    requirement: 'CHAT-14',
    description: 'busy says that trying again does not help.',
    alters: remeta('busy', 409, { retryable: false }),
    caughtBy: [
      'chat-lock/prompts',
      'chat-lock/waiting-session',
      'chat-lock/resumed-run',
      'chat-refusals/busy-before-unacceptable',
    ],
  },
  {
    name: 'busy-is-423',
    requirement: 'CHAT-14',
    description: 'busy is 423.',
    alters: restatus('busy', 409, 423),
    caughtBy: ['chat-lock/prompts', 'chat-lock/race', 'chat-lock/busy-changes-nothing'],
  },
  {
    name: 'busy-does-not-say-until-when',
    requirement: 'CHAT-14',
    description: 'The 409 of a busy intern has no Retry-After.',
    alters: served((answer) => {
      if (answer.status !== 409) return answer;
      const { 'retry-after': _, ...headers } = answer.headers;
      return { ...answer, headers };
    }),
    caughtBy: ['chat-lock/prompts', 'chat-lock/waiting-session', 'chat-refusals/busy-before-unacceptable'],
  },
]);
