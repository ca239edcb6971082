import type { Answer, Ask } from '../../../emulator/contract/interaction.js';
import type { InternRow } from '../../../emulator/contract/state.js';
import type {
  Behaviour,
  BehaviourEvent,
  LifecyclePlan,
  Turn,
  TurnContext,
} from '../../../emulator/scripts/behaviour.js';
import type { Mutant } from '../mutant.js';
import { inside, type Made, wrap } from './parts.js';

type Scripts = Made<'createScriptRegistry'>;

/** Changes which behaviour takes a prompt, and what it is given of it. */
export const resolves = (
  change: (usual: Scripts, ...given: Parameters<Scripts['resolveTurn']>) => ReturnType<Scripts['resolveTurn']>,
): Mutant =>
  wrap({
    createScriptRegistry: (usual) => ({ ...usual, resolveTurn: (intern, prompt) => change(usual, intern, prompt) }),
  });

/** Changes the behaviour that takes a prompt. */
export const behaviours = (change: (behaviour: Behaviour) => Behaviour): Mutant =>
  resolves((usual, intern, prompt) => {
    const chosen = usual.resolveTurn(intern, prompt);
    return { ...chosen, behaviour: change(chosen.behaviour) };
  });

/** Changes how boots and teardowns go. */
export const plans = (change: (plan: LifecyclePlan, row: InternRow) => LifecyclePlan): Mutant =>
  wrap({
    createScriptRegistry: (usual) => inside(usual, 'resolveLifecycle', (resolve) => (row) => change(resolve(row), row)),
  });

/** Changes the events of a behaviour, one by one; nothing leaves one out, a list puts several. */
export const yields = (
  begin: (name: string, turn: Turn) => (event: BehaviourEvent) => BehaviourEvent | BehaviourEvent[] | undefined,
): Mutant =>
  behaviours((behaviour) => ({
    ...behaviour,
    async *turn(turn, context) {
      const change = begin(behaviour.name, turn);
      const generator = behaviour.turn(turn, context);
      let answer: Answer | undefined;
      for (;;) {
        const step = await generator.next(answer);
        if (step.done) return;
        const changed = change(step.value);
        answer = undefined;
        for (const event of changed === undefined ? [] : Array.isArray(changed) ? changed : [changed]) {
          const given = yield event;
          if ('ask' in event) answer = given;
        }
      }
    },
  }));

/** What the intern itself makes of questions: an answer of its own, in place of asking, or undefined to ask. */
export const answersItself = (answer: (ask: Ask, turn: Turn, asked: number) => Answer | undefined): Mutant =>
  behaviours((behaviour) => ({
    ...behaviour,
    async *turn(turn, context) {
      const generator = behaviour.turn(turn, context);
      let given: Answer | undefined;
      let asked = 0;
      for (;;) {
        const step = await generator.next(given);
        if (step.done) return;
        given = 'ask' in step.value ? answer(step.value.ask, turn, asked) : undefined;
        if (given !== undefined) continue;
        if ('ask' in step.value) asked++;
        given = (yield step.value) ?? undefined;
      }
    },
  }));

/** Has a run do something with the answer it was given: another answer, or an end. */
export const whenAnswered = (change: (answer: Answer, ask: Ask) => Answer | { readonly end: 'cancelled' }): Mutant =>
  behaviours((behaviour) => ({
    ...behaviour,
    async *turn(turn, context) {
      const generator = behaviour.turn(turn, context);
      let given: Answer | undefined;
      for (;;) {
        const step = await generator.next(given);
        if (step.done) return;
        const answer: Answer | undefined = yield step.value;
        given = undefined;
        if (!('ask' in step.value) || answer === undefined) continue;
        const changed = change(answer, step.value.ask);
        if (typeof changed === 'object' && 'end' in changed) {
          yield changed;
          return;
        }
        given = changed;
      }
    },
  }));

/** Ends a run some time after `starts` says so of an event it yielded (undefined: of its beginning), whatever it does. */
export const endsAfter = (
  ms: number,
  end: 'cancelled' | 'deadline',
  starts: (turn: Turn, event: BehaviourEvent | undefined) => boolean,
): Mutant =>
  behaviours((behaviour) => ({
    ...behaviour,
    async *turn(turn, context) {
      const generator = behaviour.turn(turn, context);
      const over = Symbol('over');
      let rung: Promise<typeof over> | undefined;
      const start = (event: BehaviourEvent | undefined) => {
        if (!rung && starts(turn, event)) {
          rung = context.clock.sleep(ms).then(() => over);
          rung.catch(() => {});
        }
      };
      start(undefined);
      let answer: Answer | undefined;
      for (;;) {
        const next = generator.next(answer);
        const step = await (rung ? Promise.race([next, rung]) : next);
        if (step === over) {
          next.catch(() => {});
          yield { end };
          return;
        }
        if (step.done) return;
        start(step.value);
        answer = yield step.value;
      }
    },
  }));

/** Changes how a behaviour waits. */
export const waits = (change: (sleep: TurnContext['clock']['sleep'], ms: number) => Promise<void>): Mutant =>
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
        release: context.release,
        clock: {
          now: () => context.clock.now(),
          sleep: (ms, signal) => change((time) => context.clock.sleep(time, signal), ms),
        },
      }),
  }));

/** Changes what is said; several texts at once are changed together. */
export const says = (change: (texts: string[]) => string[]): Mutant =>
  yields(
    () => (event) =>
      'say' in event ? { say: change(typeof event.say === 'string' ? [event.say] : [...event.say]) } : event,
  );
