import { Refusal } from '../../emulator/contract/errors.js';
import type { Run } from '../../emulator/domain/run.js';
import type { Runs } from '../../emulator/domain/runs.js';
import type { Alterations } from './alterations.js';
import { before, bodies, parses, reads, statuses } from './change.js';
import { isObject } from './change-lifecycle.js';
import { busy, goingIn, lanes, prompts, watches } from './change-runs.js';
import { defineDeviations, together } from './deviation.js';

interface Input {
  kind: string;
  prompt?: string;
  sessionId?: string | undefined;
}

/** Changes what a chat request was understood as. */
const inputs = (change: (input: Input) => Input) => parses('chat', (parse, parts) => change(parse(parts) as Input));

/** Changes the session_id that a chat request names. */
const sessionIds = (change: (id: unknown) => unknown): Alterations =>
  reads('chat', (value) =>
    isObject(value) && 'session_id' in value ? { ...value, session_id: change(value.session_id) } : value,
  );

/** Changes what a steered prompt leaves in the run. */
const steering = (change: (run: Run, text: string) => string): Alterations =>
  lanes((all) => {
    const { add } = all;
    all.add = (run) => {
      const { behaviour } = run;
      Object.assign(run, { behaviour: { ...behaviour, steered: (said: string) => change(run, `(steered: ${said})`) } });
      add.call(all, run);
    };
  });

export const CHAT_SESSIONS = defineDeviations([
  {
    name: 'session-not-continued',
    requirement: 'CHAT-3',
    description: 'Every prompt starts a session of its own, whatever session_id it names.',
    alters: inputs((input) => (input.kind === 'prompt' ? { ...input, sessionId: undefined } : input)),
    caughtBy: ['chat-sessions/continue', 'chat-sessions/unseen-id', 'model/conversations'],
  },
  {
    name: 'session-of-the-intern',
    requirement: 'CHAT-15',
    description: 'Prompts without session_id go on in the last session of the intern.',
    alters: inputs((input) =>
      input.kind === 'prompt' ? { ...input, sessionId: input.sessionId ?? 'the-session' } : input,
    ),
    caughtBy: ['chat-sessions/new-each-time', 'chat-answers/to-the-run-that-asked', 'chat-lock/not-while-waiting'],
  },
  {
    name: 'session-has-to-be-known',
    requirement: 'CHAT-15',
    description: 'An unseen session_id is 404.',
    alters: prompts(async (usual, request, runs) => {
      if (
        request.sessionId !== undefined &&
        !runs.list(request.intern.id).some((run) => run.session_id === request.sessionId)
      )
        throw new Refusal('session_not_found');
      return usual(request);
    }),
    caughtBy: ['chat-sessions/unseen-id', 'chat-sessions/same-id-elsewhere', 'chat-sessions/unfit-id'],
  },
  {
    name: 'session-id-trimmed',
    requirement: 'CHAT-15',
    description: 'White space around a session_id is taken off.',
    alters: sessionIds((id) => (typeof id === 'string' ? id.trim() || 'x' : id)),
    caughtBy: ['chat-sessions/unseen-id'],
  },
  {
    name: 'session-id-of-128-at-most',
    requirement: 'CHAT-15',
    description: 'A session_id of more than 128 characters is refused.',
    alters: sessionIds((id) => (typeof id === 'string' && id.length > 128 ? '' : id)),
    caughtBy: ['chat-sessions/unseen-id', 'chat-sessions/unfit-id'],
  },
  {
    name: 'session-id-cut',
    requirement: 'CHAT-15',
    description: 'A session_id that is too long is cut.',
    alters: sessionIds((id) => (typeof id === 'string' ? [...id].slice(0, 256).join('') : id)),
    caughtBy: ['chat-sessions/unfit-id'],
  },
  {
    name: 'session-id-empty-is-none',
    requirement: 'CHAT-15',
    description: 'An empty session_id is taken for none.',
    alters: sessionIds((id) => (id === '' ? undefined : id)),
    caughtBy: ['chat-sessions/unfit-id'],
  },
  {
    name: 'session-id-of-any-type',
    requirement: 'CHAT-15',
    description: 'A session_id that is a number is taken for text.',
    alters: sessionIds((id) => (typeof id === 'number' ? String(id) : id)),
    caughtBy: ['chat-sessions/unfit-id'],
  },
  {
    name: 'session-id-with-control-characters',
    requirement: 'CHAT-15',
    description: 'Control characters of a session_id are left out.',
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
    alters: sessionIds((id) => (typeof id === 'string' ? id.replace(/[\u0000-\u001f\u007f-\u009f]/g, '_') : id)),
    caughtBy: ['chat-sessions/unfit-id'],
  },
  {
    name: 'sessions-of-all-interns',
    requirement: 'CHAT-15',
    description: 'A session_id is one session on every intern.',
    alters: prompts(async (usual, request, runs) => {
      const elsewhere = runs
        .list()
        .find(
          (run) =>
            run.session_id === request.sessionId && run.status !== 'ended' && run.intern_id !== request.intern.id,
        );
      return elsewhere ? { steered: elsewhere.session_id } : usual(request);
    }),
    caughtBy: ['chat-sessions/same-id-elsewhere'],
  },
  {
    name: 'steered-prompt-is-busy',
    requirement: 'CHAT-14',
    description: 'A prompt to a session whose run streams is 409 busy.',
    alters: prompts(async (usual, request, runs) => {
      if (request.sessionId !== undefined && goingIn(runs, request.intern.id, request.sessionId)?.status === 'running')
        throw busy();
      return usual(request);
    }),
    caughtBy: [
      'chat-steering/steered',
      'chat-steering/steered-answer',
      'chat-steering/steered-shows',
      'chat-lock/race',
    ],
  },
  {
    name: 'steered-prompt-is-200',
    requirement: 'CHAT-14',
    description: 'A steered prompt answers 200.',
    alters: statuses('chat', 202, 200),
    caughtBy: ['chat-steering/steered-answer', 'chat-steering/steered-shows', 'chat-lock/race'],
  },
  {
    name: 'steered-prompt-is-started',
    requirement: 'CHAT-14',
    description: 'A steered prompt says status started.',
    alters: bodies(['chat'], (body) => ({ ...body, status: 'started' })),
    caughtBy: [
      'chat-steering/steered-live',
      'chat-steering/steered',
      'chat-steering/steered-answer',
      'chat-steering/steered-into-waiting',
    ],
  },
  {
    name: 'steered-prompt-has-no-session',
    requirement: 'CHAT-14',
    description: 'A steered prompt answers without session_id.',
    alters: bodies(['chat'], ({ session_id: _, ...body }) => body),
    caughtBy: ['chat-steering/steered-answer'],
  },
  {
    name: 'steered-prompt-starts-a-run',
    requirement: 'CHAT-14',
    description: 'A prompt to a session whose run goes on starts another run beside it.',
    alters: {
      runs: (usual) => ({
        ...usual,
        async prompt(request) {
          const result = await usual.prompt(request);
          if ('steered' in result && request.intern)
            await usual.invoke({ intern: request.intern, callerId: 'x', input: 'Hello.', admit: () => () => {} });
          return result;
        },
      }),
    },
    caughtBy: ['chat-steering/steered', 'chat-lock/race', 'chat-sessions/invoke-session-going'],
  },
  {
    name: 'steered-text-lost',
    requirement: 'CHAT-14',
    description: 'A steered prompt does not reach the run.',
    alters: steering(() => ''),
    caughtBy: ['chat-steering/steered-shows', 'chat-steering/steered-shows-after-answer'],
  },
  {
    name: 'steered-text-twice',
    requirement: 'CHAT-14',
    description: 'A steered prompt shows twice.',
    alters: steering((_run, text) => text + text),
    caughtBy: ['chat-steering/steered-shows', 'chat-steering/steered-shows-after-answer'],
  },
  {
    name: 'steered-text-otherwise',
    requirement: 'CHAT-14',
    description: 'A steered prompt shows as [steered] TEXT.',
    alters: steering((_run, text) => text.replace(/^\(steered: (.*)\)$/s, '[steered] $1')),
    caughtBy: ['chat-steering/steered-shows', 'chat-steering/steered-shows-after-answer'],
  },
  {
    name: 'steered-text-lost-while-waiting',
    requirement: 'CHAT-14',
    description: 'What is steered into a waiting run is lost.',
    alters: steering((run, text) => (run.status === 'waiting' ? '' : text)),
    caughtBy: ['chat-steering/steered-shows-after-answer'],
  },
  {
    name: 'waiting-run-is-not-steered',
    requirement: 'CHAT-14',
    description: 'A prompt to a session whose run waits is 409 busy.',
    alters: prompts(async (usual, request, runs) => {
      if (request.sessionId !== undefined && goingIn(runs, request.intern.id, request.sessionId)?.status === 'waiting')
        throw busy();
      return usual(request);
    }),
    caughtBy: [
      'chat-steering/steered-into-waiting',
      'chat-steering/steered-answer',
      'chat-deadlines/not-extended-by-a-look',
    ],
  },
  {
    name: 'waiting-run-is-answered-by-steering',
    requirement: 'CHAT-14',
    description: 'A prompt to a session whose run waits cancels its question.',
    alters: () => {
      const waiting = new Map<string, () => void>();
      return together(
        watches((run, _from, runner) => {
          if (run.status === 'waiting') waiting.set(run.sessionId, () => void runner.answer(run, 'cancel'));
          else waiting.delete(run.sessionId);
        }),
        prompts(async (usual, request) => {
          const result = await usual(request);
          if (request.sessionId !== undefined) waiting.get(request.sessionId)?.();
          return result;
        }),
      );
    },
    caughtBy: ['chat-steering/steered-into-waiting'],
  },
  {
    name: 'ended-run-is-steered',
    requirement: 'CHAT-14',
    description: 'A prompt to a session whose last run failed is steered into that run.',
    alters: prompts(async (usual, request, runs) => {
      const last = runs.list(request.intern.id).find((run) => run.session_id === request.sessionId);
      return last?.ended === 'failed' && request.sessionId !== undefined
        ? { steered: request.sessionId }
        : usual(request);
    }),
    caughtBy: ['chat-steering/not-steered-when-over'],
  },
  {
    name: 'ended-session-is-closed',
    requirement: 'CHAT-14',
    description: 'A session whose run was cancelled takes no further prompt.',
    alters: prompts(async (usual, request, runs) => {
      const last = runs.list(request.intern.id).find((run) => run.session_id === request.sessionId);
      if (last?.ended === 'cancelled') throw busy();
      return usual(request);
    }),
    caughtBy: ['chat-steering/not-steered-when-over', 'chat-endings/suspend-while-waiting', 'disconnect/while-silent'],
  },
  {
    name: 'steered-prompt-of-any-length',
    requirement: 'CHAT-15',
    description: 'A steered prompt may be empty.',
    alters: () => {
      let list: Runs['list'] = () => [];
      return {
        runs(usual) {
          list = usual.list;
          return usual;
        },
        ...reads('chat', (value) => {
          if (!isObject(value) || !Array.isArray(value.messages)) return value;
          if (!list().some((run) => run.session_id === value.session_id && run.status === 'running')) return value;
          const last = value.messages.at(-1) as { content?: unknown };
          return last.content === '' ? { ...value, messages: [{ ...last, content: ' ' }] } : value;
        }),
      };
    },
    caughtBy: ['chat-steering/steered-is-checked'],
  },
  {
    name: 'invoke-session-is-not-for-chat',
    requirement: 'CHAT-15',
    description: 'A session of invoke is 404 for chat.',
    alters: prompts(async (usual, request, runs) => {
      if (runs.list(request.intern.id).some((run) => run.session_id === request.sessionId && run.origin === 'invoke'))
        throw new Refusal('session_not_found');
      return usual(request);
    }),
    caughtBy: ['chat-sessions/of-the-intern', 'chat-sessions/invoke-session-going'],
  },
  {
    name: 'question-answered-by-its-caller-only',
    requirement: 'CHAT-15',
    description: 'A reply of another caller than the one who was asked is 404.',
    alters: () => {
      const asked = new Map<string, string>();
      let caller = '';
      return together(
        before('chat', (call) => {
          caller = call.caller.id;
          const input = call.input as Input;
          if (input.kind === 'reply' && asked.get(input.sessionId ?? '') !== caller)
            throw new Refusal('interaction_unknown');
          return undefined;
        }),
        prompts(async (usual, request) => {
          const own = caller;
          const result = await usual(request);
          if ('reader' in result) asked.set(result.reader.sessionId, own);
          return result;
        }),
      );
    },
    caughtBy: ['chat-sessions/of-the-intern'],
  },
]);
