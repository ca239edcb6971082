import type { AskResult } from '../contract/interaction.js';
import { suggestion } from '../contract/nearest.js';
import { words } from '../contract/problem.js';
import { durationMs, type Script, type Step, scriptSchema } from '../contract/script.js';
import type { ReleaseVerdict } from '../contract/vault.js';
import { type Behaviour, type BehaviourEvent, DEFAULT_LIFECYCLE, type LifecyclePlan } from './behaviour.js';
import { tooDeep } from './depth.js';
import { jsonPath, problemsOf, ScriptInvalid } from './problems.js';
import { split } from './split.js';

/** A prepared step: what it yields is built once, whatever the number of runs. */
type Ready =
  | { do: 'yield'; event: BehaviourEvent }
  | { do: 'pieces'; events: BehaviourEvent[]; every: number }
  | { do: 'ask'; event: BehaviourEvent; as: string | undefined }
  | { do: 'release'; name: string; to: string; as: string; vault: 'workspace' | undefined }
  | { do: 'when'; test: [name: string, expected: unknown][]; yes: Ready[]; no: Ready[] }
  | { do: 'wait'; ms: number };

/** Whether `expected` is part of `found`: objects field by field, anything else as a whole. */
function includes(found: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return found === expected;
  if (typeof found !== 'object' || found === null || Array.isArray(found) !== Array.isArray(expected)) return false;
  if (Array.isArray(expected) && expected.length !== (found as unknown[]).length) return false;
  return Object.entries(expected).every(([key, value]) => includes((found as Record<string, unknown>)[key], value));
}

/** The value that `when` compares with: an option or an action as text, otherwise the content of an answer. */
function matches(answer: AskResult | ReleaseVerdict | undefined, expected: unknown): boolean {
  if (answer === undefined) return false;
  if (typeof answer === 'string') return answer === expected;
  return typeof expected === 'string' ? answer.action === expected : includes(answer.content ?? {}, expected);
}

function ready(step: Step): Ready {
  if ('say' in step) {
    const pieces = split(step.say, step.chunks ?? 1);
    const every = step.every === undefined ? 0 : durationMs(step.every);
    const [only] = pieces;
    // Only a text may get a pace; pieces are as the script wants them.
    const asItIs = step.chunks === undefined && step.every === undefined;
    if (asItIs && only !== undefined) return { do: 'yield', event: { say: only } };
    if (every === 0 || pieces.length === 1) return { do: 'yield', event: { say: pieces } };
    return { do: 'pieces', events: pieces.map((say) => ({ say: [say] })), every };
  }
  if ('ask' in step) return { do: 'ask', event: { ask: step.ask } as BehaviourEvent, as: step.as };
  if ('release' in step) {
    const { release: name, to, as = name, vault } = step;
    return { do: 'release', name, to, as, vault };
  }
  if ('when' in step) {
    return {
      do: 'when',
      test: Object.entries(step.when),
      yes: (step.then ?? []).map(ready),
      no: (step.else ?? []).map(ready),
    };
  }
  if ('wait' in step) return { do: 'wait', ms: durationMs(step.wait) };
  if ('end' in step && step.end === 'never') return { do: 'wait', ms: Number.POSITIVE_INFINITY };
  return { do: 'yield', event: step as BehaviourEvent };
}

/** Mistakes that the schema cannot find: names that no earlier ask defined, and unreachable steps. */
function looseEnds(steps: readonly Step[], path: PropertyKey[], known: Set<string>): string[] {
  return steps.flatMap((step, i) => {
    const here = [...path, i];
    const found: string[] = [];
    if ('end' in step) {
      if (i < steps.length - 1) found.push(`${jsonPath([...path, i + 1])}: unreachable, because it follows an end`);
      if (step.end !== 'failed' && (step.retryable !== undefined || step.message !== undefined)) {
        found.push(`${jsonPath(here)}: retryable and message belong to "end": "failed"`);
      }
    }
    if ('ask' in step && step.as !== undefined) known.add(step.as);
    if ('release' in step) known.add(step.as ?? step.release);
    if ('when' in step) {
      for (const name of Object.keys(step.when)) {
        if (!known.has(name)) {
          const names = known.size === 0 ? 'there is none' : `known are ${[...known].join(', ')}`;
          const near = suggestion(name, known);
          found.push(
            `${jsonPath([...here, 'when', name])}: expected the "as" of an earlier ask or release${near}; ${names}`,
          );
        }
      }
      found.push(...looseEnds(step.then ?? [], [...here, 'then'], known));
      found.push(...looseEnds(step.else ?? [], [...here, 'else'], known));
    }
    return found;
  });
}

function compileTurn(steps: readonly Step[]): Behaviour['turn'] {
  const program = steps.map(ready);
  return async function* turn(_turn, { clock, release }) {
    let answers: Map<string, AskResult | ReleaseVerdict> | undefined;
    // Branches are pushed on a stack. Nested generators would cost time for every event of the script.
    const stack: { list: Ready[]; at: number }[] = [{ list: program, at: 0 }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const step = top.list[top.at++];
      if (!step) {
        stack.pop();
        continue;
      }
      switch (step.do) {
        case 'yield':
          yield step.event;
          break;
        case 'pieces':
          for (let i = 0; i < step.events.length; i++) {
            if (i > 0) await clock.sleep(step.every);
            yield step.events[i] as BehaviourEvent;
          }
          break;
        case 'ask': {
          const answer = yield step.event;
          if (step.as === undefined || answer === undefined) break;
          answers ??= new Map();
          answers.set(step.as, answer);
          break;
        }
        case 'release': {
          const verdict = release(step.name, step.to, step.vault);
          answers ??= new Map();
          answers.set(step.as, verdict);
          if (step.vault === undefined) yield { say: verdict };
          break;
        }
        case 'when': {
          const met = step.test.every(([name, expected]) => matches(answers?.get(name), expected));
          stack.push({ list: met ? step.yes : step.no, at: 0 });
          break;
        }
        case 'wait':
          await clock.sleep(step.ms);
      }
    }
  };
}

function compileLifecycle(source: NonNullable<Script['lifecycle']>): Partial<LifecyclePlan> {
  const { boot, teardown, ...rest } = source;
  const plan: Partial<LifecyclePlan> = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined),
  );
  if (boot) {
    plan.boot = {
      after: boot.after === undefined ? DEFAULT_LIFECYCLE.boot.after : durationMs(boot.after),
      steps: boot.steps ?? DEFAULT_LIFECYCLE.boot.steps,
      ends: boot.ends ?? 'running',
      ...(boot.message === undefined ? {} : { message: boot.message }),
    };
  }
  if (teardown) {
    plan.teardown = {
      after: teardown.after === undefined ? DEFAULT_LIFECYCLE.teardown.after : durationMs(teardown.after),
      ends: teardown.ends ?? 'gone',
    };
  }
  return plan;
}

/**
 * Turns a JSON script into a behaviour.
 *
 * @param source the script as a JSON value
 * @param options `file` is what errors call the script's place
 * @throws ScriptInvalid naming the file, and per problem the JSON path and what was expected
 */
export function compileScript(source: unknown, { file }: { file: string }): Behaviour {
  const deep = tooDeep(source);
  if (deep !== undefined) throw new ScriptInvalid(file, [deep]);
  const parsed = scriptSchema().safeParse(source, { error: words });
  if (!parsed.success) throw new ScriptInvalid(file, problemsOf(parsed.error.issues, source));
  const script = parsed.data;
  const loose = looseEnds(script.turn ?? [], ['turn'], new Set());
  if (loose.length > 0) throw new ScriptInvalid(file, loose);
  return {
    name: script.name,
    turn: compileTurn(script.turn ?? []),
    ...(script.lifecycle && { lifecycle: compileLifecycle(script.lifecycle) }),
    source,
  };
}
