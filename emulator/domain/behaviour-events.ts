import { askSchema } from '../contract/interaction.js';
import { words } from '../contract/problem.js';
import { usageSchema } from '../contract/script.js';
import type { BehaviourEvent, TurnGenerator } from '../scripts/behaviour.js';

/** The text in a message for any value a script may produce. */
function shown(value: unknown): string {
  try {
    return (typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)).slice(0, 200);
  } catch {
    return 'a value without a text';
  }
}

export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : shown(thrown));

const ENDINGS: readonly unknown[] = ['stop', 'cancelled', 'deadline', 'severed', 'failed'];

/** @throws TypeError for anything but a string */
export function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new TypeError(`a behaviour yielded ${what}: ${typeof value}, expected a string`);
  return value;
}

type Schema = typeof askSchema | typeof usageSchema;

function fits(schema: Schema, value: unknown, what: string): void {
  const { error } = schema().safeParse(value, { error: words });
  if (!error) return;
  const problems = error.issues.map(({ path, message }) => `${[what, ...path].join('.')}: ${message}`);
  throw new TypeError(`a behaviour yielded ${problems.join('; ')}`);
}

/**
 * Validates the value that a behaviour yielded: its code may be unchecked, and only events may reach the stream. The texts of
 * a `say` are validated one by one when they are said.
 *
 * @throws TypeError that says what was yielded and what is expected
 */
export function validateEvent(value: unknown): BehaviourEvent {
  if (typeof value !== 'object' || value === null) {
    throw new TypeError(
      `a behaviour yielded ${shown(value)}: expected an object with say, reason, ask, usage, model or end`,
    );
  }
  const event = value as BehaviourEvent;
  if ('say' in event) return event;
  if ('reason' in event) text(event.reason, 'reason');
  else if ('ask' in event) fits(askSchema, event.ask, 'ask');
  else if ('usage' in event) fits(usageSchema, event.usage, 'usage');
  else if ('model' in event) text(event.model, 'model');
  else if (!('end' in event)) {
    throw new TypeError(`a behaviour yielded ${shown(event)}: expected say, reason, ask, usage, model or end`);
  } else {
    if (!ENDINGS.includes(event.end)) throw new TypeError(`a behaviour ended with ${shown(event.end)}`);
    if ('message' in event && event.message !== undefined) text(event.message, 'message');
  }
  return event;
}

/**
 * Validates the value that a `turn` returned.
 *
 * @throws TypeError for anything but an async generator, such as what `async turn()` or `*turn()` return
 */
export function validateGenerator(value: unknown): TurnGenerator {
  const generator = value as Partial<TurnGenerator> | null | undefined;
  if (
    typeof generator === 'object' &&
    typeof generator?.[Symbol.asyncIterator] === 'function' &&
    typeof generator.next === 'function' &&
    typeof generator.return === 'function'
  ) {
    return generator as TurnGenerator;
  }
  // A promise that nobody awaits must not crash the process when it rejects.
  if (value instanceof Promise) value.catch(() => {});
  const found =
    value instanceof Promise ? 'a promise' : typeof value === 'object' && value ? 'an object' : shown(value);
  throw new TypeError(`turn returned ${found}: expected an async generator, as async *turn() makes`);
}
