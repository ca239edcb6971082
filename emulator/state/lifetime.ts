import { Scope } from '../clock/scope.js';
import { Refusal } from '../contract/errors.js';

/** The answer to a request that was in progress when its state ended. */
const cutShort = (why: string) => new Refusal('service_unavailable', { message: why });

/**
 * How long the parts of an emulator live. The root ends with the emulator. Within it, each state of the emulator has a
 * scope of its own: requests, runs, boots and teardowns belong to the state they began in, and end with it.
 */
export function createLifetime() {
  const root = new Scope();
  let state = root.child();
  return {
    /** Ends with the emulator: what is opened once (the store, watchers, listeners) is released with it. */
    root,
    /** The scope of the present state. */
    state: () => state,
    /**
     * Ends the scope of the present state; the next state's scope exists when this returns. Resolves once the old one is
     * undone.
     */
    renewState(why: string): Promise<void> {
      const ended = state;
      state = root.child();
      return ended.dispose(cutShort(why));
    },
    /** Ends the scope of the present state, and then the root. */
    async end(why: string): Promise<void> {
      const errors: unknown[] = [];
      for (const scope of [state, root])
        await scope.dispose(cutShort(why)).catch((error: unknown) => errors.push(error));
      if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, why);
    },
  };
}

export type Lifetime = ReturnType<typeof createLifetime>;
