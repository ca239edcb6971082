import fc from 'fast-check';
import type { Ctx } from '../framework/context.js';
import type { Transcript } from '../probe/chunks.js';
import { type Life, type Lives, pick } from './lives.js';

/** The target, and those of its answers that later commands need. */
export interface Real {
  readonly ctx: Ctx;
  /** Responses that ended with a question. */
  readonly asked: Transcript[];
  /** Checks statuses and reasons too, as the published API shows them. */
  readonly published: boolean;
  /** Leaves boots and teardowns to the `wait` command instead of waiting for them at once. */
  readonly inTime: boolean;
}

export type Command = fc.AsyncCommand<Lives, Real>;

/** A command on one of the interns of the model that `when` holds for. Without one it does not run. */
export function on(
  name: string,
  which: number,
  when: (intern: Life) => boolean,
  run: (intern: Life, real: Real, model: Lives) => Promise<void>,
): Command {
  return {
    check: (model) => pick(model, which, when) !== undefined,
    async run(model, real) {
      const intern = pick(model, which, when);
      if (intern !== undefined) await run(intern, real, model);
    },
    toString: () => name,
  };
}

/** Which intern of those that a command may be on. */
export const which = fc.nat({ max: 3 });
