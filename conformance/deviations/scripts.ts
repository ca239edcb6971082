import type { Behaviour, BehaviourEvent, TurnContext } from '../../emulator/scripts/behaviour.js';
import type { Alterable, Alterations } from './alterations.js';
import { errors } from './change.js';
import { defineDeviations } from './deviation.js';

type Scripts = Alterable['scripts'];

/** Changes the behaviour that takes a prompt. */
const behaviours = (change: (behaviour: Behaviour) => Behaviour): Alterations => ({
  scripts: (usual) => ({
    ...usual,
    resolveTurn(intern, prompt) {
      const chosen = usual.resolveTurn(intern, prompt);
      return { ...chosen, behaviour: change(chosen.behaviour) };
    },
  }),
});

/** Changes the events of a behaviour, one by one; nothing leaves one out. */
const yields = (
  begin: (name: string) => (event: BehaviourEvent) => BehaviourEvent | BehaviourEvent[] | undefined,
): Alterations =>
  behaviours((behaviour) => ({
    ...behaviour,
    async *turn(turn, context) {
      const change = begin(behaviour.name);
      const generator = behaviour.turn(turn, context);
      let answer: Awaited<ReturnType<typeof generator.next>>['value'] | undefined;
      for (;;) {
        const step = await generator.next(answer as never);
        if (step.done) return;
        const changed = change(step.value);
        answer = undefined;
        for (const event of changed === undefined ? [] : Array.isArray(changed) ? changed : [changed]) {
          const given = yield event;
          if ('ask' in event) answer = given as never;
        }
      }
    },
  }));

/** Changes how a behaviour waits. */
const waits = (change: (sleep: TurnContext['clock']['sleep'], ms: number) => Promise<void>): Alterations =>
  behaviours((behaviour) => ({
    ...behaviour,
    turn: (turn, context) =>
      behaviour.turn(turn, {
        get signal() {
          return context.signal;
        },
        get random() {
          return context.random;
        },
        clock: {
          now: () => context.clock.now(),
          sleep: (ms, signal) => change((time) => context.clock.sleep(time, signal), ms),
        },
      }),
  }));

/** Changes what is said; several texts at once are changed together. */
const says = (change: (texts: string[]) => string[]): Alterations =>
  yields(
    () => (event) =>
      'say' in event ? { say: change(typeof event.say === 'string' ? [event.say] : [...event.say]) } : event,
  );

const resolves = (
  change: (usual: Scripts, ...given: Parameters<Scripts['resolveTurn']>) => ReturnType<Scripts['resolveTurn']>,
): Alterations => ({
  scripts: (usual) => ({ ...usual, resolveTurn: (intern, prompt) => change(usual, intern, prompt) }),
});

export const SCRIPTS = defineDeviations([
  {
    name: 'script-says-all-at-once',
    requirement: 'EMU-3',
    description: 'say comes in one chunk, whatever chunks it asks for.',
    alters: says((texts) => [texts.join('')]),
    caughtBy: ['scripts/pieces', 'shipped-scripts/shipped-times'],
  },
  {
    name: 'script-cuts-characters',
    requirement: 'EMU-3',
    description: 'say is cut within characters.',
    alters: says((texts) => texts.join('').split('')),
    caughtBy: ['scripts/pieces'],
  },
  {
    name: 'script-loses-the-last-piece',
    requirement: 'EMU-3',
    description: 'The last chunk of a say is lost.',
    alters: says((texts) => (texts.length > 1 ? texts.slice(0, -1) : texts)),
    caughtBy: ['scripts/pieces'],
  },
  {
    name: 'script-waits-before-the-first-piece',
    requirement: 'EMU-2',
    description: 'Paced chunks begin after the first pause.',
    alters: behaviours((behaviour) => ({
      ...behaviour,
      async *turn(turn, context) {
        const generator = behaviour.turn(turn, context);
        let first = true;
        let answer: unknown;
        for (;;) {
          const step = await generator.next(answer as never);
          if (step.done) return;
          if (first) await context.clock.sleep(1);
          first = false;
          answer = yield step.value;
        }
      },
    })),
    caughtBy: ['scripts/pace'],
  },
  {
    name: 'script-waits-longer',
    requirement: 'EMU-2',
    description: 'Every wait takes a millisecond longer.',
    alters: waits((sleep, ms) => sleep(ms + 1)),
    caughtBy: ['scripts/wait', 'scripts/pace', 'invoke-runs/goes-on'],
  },
  {
    name: 'script-waits-in-seconds',
    requirement: 'EMU-2',
    description: 'Waits are rounded up to whole seconds.',
    alters: waits((sleep, ms) => sleep(Math.ceil(ms / 1_000) * 1_000)),
    caughtBy: ['scripts/wait', 'scripts/pace', 'shipped-scripts/shipped-times'],
  },
  {
    name: 'script-waits-an-hour-at-most',
    requirement: 'EMU-2',
    description: 'A wait takes half an hour at most.',
    alters: waits((sleep, ms) => sleep(Math.min(ms, 1_800_000))),
    caughtBy: ['scripts/wait', 'invoke-runs/deadline'],
  },
  {
    name: 'script-forgets-the-first-answer',
    requirement: 'EMU-3',
    description: 'The first answer of a run reaches it as cancel.',
    alters: behaviours((behaviour) => ({
      ...behaviour,
      async *turn(turn, context) {
        const generator = behaviour.turn(turn, context);
        let first = true;
        let answer: unknown;
        for (;;) {
          const step = await generator.next(answer as never);
          if (step.done) return;
          answer = yield step.value;
          if ('ask' in step.value && first) {
            answer = step.value.ask.kind === 'permission' ? 'cancel' : { action: 'cancel' };
            first = false;
          }
        }
      },
    })),
    caughtBy: ['scripts/when', 'chat-answers/every-option', 'chat-answers/question-actions'],
  },
  {
    name: 'script-compares-whole-answers',
    requirement: 'EMU-3',
    description: 'Of the content of an answer only one field reaches the script.',
    alters: behaviours((behaviour) => ({
      ...behaviour,
      async *turn(turn, context) {
        const generator = behaviour.turn(turn, context);
        let answer: unknown;
        for (;;) {
          const step = await generator.next(answer as never);
          if (step.done) return;
          const given = yield step.value;
          answer =
            typeof given === 'object' && given.content
              ? { ...given, content: Object.fromEntries(Object.entries(given.content).slice(-1)) }
              : given;
        }
      },
    })),
    caughtBy: ['scripts/when', 'chat-answers/question-content'],
  },
  {
    name: 'script-failure-for-good',
    requirement: 'EMU-3',
    description: 'A turn that fails is never worth trying again.',
    alters: yields(
      () => (event) => ('end' in event && event.end === 'failed' ? { ...event, retryable: false } : event),
    ),
    caughtBy: ['scripts/ends'],
  },
  {
    name: 'script-runs-out-as-cancelled',
    requirement: 'EMU-3',
    description: 'A turn that runs out ends as cancelled.',
    alters: behaviours((behaviour) => ({
      ...behaviour,
      async *turn(turn, context) {
        const generator = behaviour.turn(turn, context);
        let answer: unknown;
        for (;;) {
          const step = await generator.next(answer as never);
          if (step.done) {
            if (behaviour.name !== 'echo') yield { end: 'cancelled' };
            return;
          }
          answer = yield step.value;
        }
      },
    })),
    caughtBy: ['scripts/ends'],
  },
  {
    name: 'script-of-the-prompt-before-the-one-put',
    requirement: 'EMU-3',
    description: 'A script named by the prompt goes before one put on the intern.',
    alters: resolves((usual, intern, prompt) => {
      const named = /^script: (\S+)/.exec(prompt)?.[1];
      return usual.resolveTurn(named === undefined ? intern : { ...intern, script: null }, prompt);
    }),
    caughtBy: ['scripts/chosen-by'],
  },
  {
    name: 'script-of-the-instructions-before-the-model',
    requirement: 'EMU-3',
    description: 'A script named by the instructions goes before the model.',
    alters: resolves((usual, intern, prompt) =>
      usual.resolveTurn(
        intern.booted?.instructions?.startsWith('script: ')
          ? { ...intern, booted: { ...intern.booted, model: null } }
          : intern,
        prompt,
      ),
    ),
    caughtBy: ['scripts/chosen-by'],
  },
  {
    name: 'script-of-the-model-of-now',
    requirement: 'EMU-3',
    description: 'The script is that of the model the record shows.',
    alters: resolves((usual, intern, prompt) =>
      usual.resolveTurn(
        intern.booted ? { ...intern, booted: { ...intern.booted, model: intern.record.model } } : intern,
        prompt,
      ),
    ),
    caughtBy: ['scripts/model-it-booted-with', 'update/model-at-next-provision'],
  },
  {
    name: 'script-of-any-line',
    requirement: 'EMU-3',
    description: 'A script may be named in any line of a prompt.',
    alters: resolves((usual, intern, prompt) => {
      const line = /^script: \S+$/m.exec(prompt)?.[0];
      return usual.resolveTurn(intern, line === undefined ? prompt : `${line}\n${prompt.replace(line, '')}`);
    }),
    caughtBy: ['scripts/chosen-by'],
  },
  {
    name: 'script-unknown-is-echo',
    requirement: 'EMU-3',
    description: 'A prompt that names an unknown script is echoed.',
    alters: resolves((usual, intern, prompt) => {
      const named = /^script: (\S+)/.exec(prompt)?.[1];
      return usual.resolveTurn(intern, named === undefined || usual.get(named) ? prompt : `Unknown.\n${prompt}`);
    }),
    caughtBy: ['scripts/unknown'],
  },
  {
    name: 'script-unknown-without-the-known',
    requirement: 'EMU-3',
    description: 'The refusal of an unknown script does not list the known ones.',
    alters: errors(({ status, error }) =>
      status === 400 && String(error.message).startsWith('unknown script')
        ? { error: { ...error, message: 'unknown script' } }
        : undefined,
    ),
    caughtBy: ['scripts/unknown'],
  },
  {
    name: 'script-invalid-is-put',
    requirement: 'EMU-3',
    description: 'A script that is invalid is taken, and says nothing.',
    alters: {
      scripts: (usual) => ({
        ...usual,
        put(name, source) {
          try {
            return usual.put(name, source);
          } catch {
            return usual.put(name, { name, turn: [] });
          }
        },
      }),
    },
    caughtBy: ['scripts/invalid'],
  },
  {
    name: 'script-put-again-is-ignored',
    requirement: 'EMU-3',
    description: 'A script that is put again stays as it was.',
    alters: {
      scripts: (usual) => ({ ...usual, put: (name, source) => usual.view(name) ?? usual.put(name, source) }),
    },
    caughtBy: ['scripts/put-again'],
  },
  {
    name: 'script-cannot-be-deleted',
    requirement: 'EMU-3',
    description: 'A deleted script is still known.',
    alters: { scripts: (usual) => ({ ...usual, delete: (name) => usual.view(name)?.from === 'control' }) },
    caughtBy: ['scripts/unknown'],
  },
  {
    name: 'shipped-asks-once',
    requirement: 'EMU-9',
    description: 'ask-twice asks one question.',
    alters: yields((name) => {
      let asked = false;
      return (event) => {
        if (name !== 'ask-twice' || !('ask' in event)) return event;
        const again = asked;
        asked = true;
        return again ? undefined : event;
      };
    }),
    caughtBy: ['shipped-scripts/shipped-asks', 'chat-questions/ids-differ'],
  },
  {
    name: 'shipped-asks-with-two-options',
    requirement: 'EMU-9',
    description: 'ask-permission offers two options.',
    alters: yields(
      (name) => (event) =>
        name === 'ask-permission' && 'ask' in event && event.ask.kind === 'permission'
          ? { ask: { ...event.ask, options: ['allow_once', 'reject_once'] } }
          : event,
    ),
    caughtBy: ['shipped-scripts/shipped-asks'],
  },
  {
    name: 'shipped-endings-say-nothing',
    requirement: 'EMU-9',
    description: 'cancelled and severed end without a word.',
    alters: yields(
      (name) => (event) => (['cancelled', 'fails'].includes(name) && 'say' in event ? { say: '' } : event),
    ),
    caughtBy: ['shipped-scripts/shipped-endings'],
  },
  {
    name: 'shipped-no-usage-with-usage',
    requirement: 'EMU-9',
    description: 'no-usage reports usage.',
    alters: yields(
      (name) => (event) =>
        name === 'no-usage' && 'say' in event
          ? [event, { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }]
          : event,
    ),
    caughtBy: ['shipped-scripts/shipped-endings', 'update/model-at-next-provision'],
  },
  {
    name: 'shipped-refusals-speak-first',
    requirement: 'EMU-9',
    description: 'refuses and unreachable say something before they end.',
    alters: yields(
      (name) => (event) =>
        ['refuses', 'unreachable'].includes(name) && 'end' in event ? [{ say: 'Hm. ' }, event] : event,
    ),
    caughtBy: ['shipped-scripts/shipped-refusals', 'chat-not-taken/not-accepted', 'invoke/not-accepted'],
  },
  {
    name: 'shipped-silence-of-four-minutes',
    requirement: 'EMU-9',
    description: 'silent stops after four minutes.',
    alters: waits((sleep, ms) => sleep(ms === 300_000 ? 240_000 : ms)),
    caughtBy: ['shipped-scripts/shipped-times'],
  },
]);
