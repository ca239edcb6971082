import type { Ask, AskResult } from '../../../emulator/contract/interaction.js';
import type { InternRow } from '../../../emulator/contract/state.js';
import type {
  Behaviour,
  BehaviourEvent,
  LifecyclePlan,
  Turn,
  TurnContext,
} from '../../../emulator/scripts/behaviour.js';
import type { Mutation } from '../mutant.js';
import { inside, type Part, wrap } from './parts.js';

type Scripts = Part<'createScriptRegistry'>;

/** Changes which behaviour takes a prompt, and the prompt that it gets. */
export const resolves = (
  change: (usual: Scripts, ...given: Parameters<Scripts['resolveTurn']>) => ReturnType<Scripts['resolveTurn']>,
): Mutation =>
  wrap({ createScriptRegistry: (usual) => ({ resolveTurn: (intern, prompt) => change(usual, intern, prompt) }) });

/** Changes the behaviour that takes a prompt. */
export const behaviours = (change: (behaviour: Behaviour) => Behaviour): Mutation =>
  resolves((usual, intern, prompt) => {
    const chosen = usual.resolveTurn(intern, prompt);
    return { ...chosen, behaviour: change(chosen.behaviour) };
  });

/** Changes how boots and teardowns go. */
export const plans = (change: (plan: LifecyclePlan, row: InternRow) => LifecyclePlan): Mutation =>
  wrap({
    createScriptRegistry: (usual) => inside(usual, 'resolveLifecycle', (resolve) => (row) => change(resolve(row), row)),
  });

/** Ends the behaviour. */
const OVER = Symbol('over');

/** Replaces each event of a behaviour: by the events that `begin` yields, and by the answer that it returns to the behaviour. */
export const stepwise = (
  begin: (
    name: string,
    turn: Turn,
    context: TurnContext,
  ) => (
    event: BehaviourEvent,
  ) => AsyncGenerator<BehaviourEvent, AskResult | undefined | typeof OVER, AskResult | undefined>,
): Mutation =>
  behaviours((behaviour) => ({
    ...behaviour,
    async *turn(turn, context) {
      const each = begin(behaviour.name, turn, context);
      const generator = behaviour.turn(turn, context);
      let answer: AskResult | undefined;
      for (;;) {
        const step = await generator.next(answer);
        if (step.done) return;
        const given = yield* each(step.value);
        if (given === OVER) return;
        answer = given;
      }
    },
  }));

/** Changes the events of a behaviour one by one. Undefined drops an event; a list puts several in its place. */
export const yields = (
  begin: (name: string, turn: Turn) => (event: BehaviourEvent) => BehaviourEvent | BehaviourEvent[] | undefined,
): Mutation =>
  stepwise((name, turn) => {
    const change = begin(name, turn);
    return async function* (event) {
      let answer: AskResult | undefined;
      for (const one of [change(event) ?? []].flat()) {
        const given = yield one;
        if ('ask' in one) answer = given;
      }
      return answer;
    };
  });

/** Has the intern answer questions by itself. With undefined it asks. */
export const answersItself = (answer: (ask: Ask, turn: Turn, asked: number) => AskResult | undefined): Mutation =>
  stepwise((_, turn) => {
    let asked = 0;
    return async function* (event) {
      const own = 'ask' in event ? answer(event.ask, turn, asked) : undefined;
      if (own !== undefined) return own;
      if ('ask' in event) asked++;
      return yield event;
    };
  });

/** Waits for `ms` before questions for which `asks` is true. */
export const hesitates = (ms: number, asks: (ask: Ask, turn: Turn) => boolean): Mutation =>
  stepwise(
    (_, turn, { clock }) =>
      async function* (event) {
        if ('ask' in event && asks(event.ask, turn)) await clock.sleep(ms);
        return yield event;
      },
  );

/** Changes the answers that a run gets: to another answer, or to an end of the run. */
export const whenAnswered = (
  change: (answer: AskResult, ask: Ask) => AskResult | { readonly end: 'cancelled' },
): Mutation =>
  stepwise(
    () =>
      async function* (event) {
        const answer = yield event;
        if (!('ask' in event) || answer === undefined) return undefined;
        const changed = change(answer, event.ask);
        if (typeof changed !== 'object' || !('end' in changed)) return changed;
        yield changed;
        return OVER;
      },
  );

/** Ends a run `ms` after the first event for which `starts` is true. Before the first event `starts` gets undefined. */
export const endsAfter = (
  ms: number,
  end: 'cancelled' | 'deadline',
  starts: (turn: Turn, event: BehaviourEvent | undefined) => boolean,
): Mutation =>
  behaviours((behaviour) => ({
    ...behaviour,
    async *turn(turn, context) {
      const generator = behaviour.turn(turn, context);
      let rung: Promise<typeof OVER> | undefined;
      const start = (event: BehaviourEvent | undefined) => {
        if (!rung && starts(turn, event)) {
          rung = context.clock.sleep(ms).then(() => OVER as typeof OVER);
          rung.catch(() => {});
        }
      };
      start(undefined);
      let answer: AskResult | undefined;
      for (;;) {
        const next = generator.next(answer);
        const step = await (rung ? Promise.race([next, rung]) : next);
        if (step === OVER) {
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
export const waits = (change: (sleep: TurnContext['clock']['sleep'], ms: number) => Promise<void>): Mutation =>
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
export const says = (change: (texts: string[]) => string[]): Mutation =>
  yields(
    () => (event) =>
      'say' in event ? { say: change(typeof event.say === 'string' ? [event.say] : [...event.say]) } : event,
  );
