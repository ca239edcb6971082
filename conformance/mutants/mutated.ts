import * as controlled from '../../emulator/agents/controlled.js';
import { createSigningLab } from '../../emulator/daemon/lab.js';
import { assemble, type Emulator } from '../../emulator/emulator.js';
import { defaultFactories, type Factories } from '../../emulator/factories.js';
import type { EmulatorOptions } from '../../emulator/index.js';
import type { Handler, Mutant } from './mutant.js';

/** An emulator that is wrong in one way, and what serves its requests. */
interface Mutated {
  readonly emulator: Emulator;
  readonly fetch: Handler;
  readonly daemonFetch: Handler;
}

/** At once: a clock that jumps while nothing goes on would not wait for an import. */
const loadControlled = async () => ({ ...controlled, createSigningLab });

/** Starts the emulator that a mutant makes of a right one. */
export function mutated(
  made: Mutant['mutation'],
  options: EmulatorOptions,
  factories: Factories = defaultFactories,
): Mutated {
  const mutation = typeof made === 'function' ? made() : made;
  const emulator = assemble(options, { ...factories, ...mutation.factories?.(factories), loadControlled });
  const usual: Handler = (request) => emulator.fetch(request);
  const usualDaemon: Handler = (request) => emulator.daemon.fetch(request);
  return {
    emulator,
    fetch: mutation.around?.(usual, emulator) ?? usual,
    daemonFetch: mutation.aroundDaemon?.(usualDaemon) ?? usualDaemon,
  };
}
