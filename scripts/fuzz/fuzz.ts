import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { Broken } from './law.js';

/** The process under test. */
export interface Subject<Input> {
  /** Sends the input, and checks the outcome against the laws. @throws Broken */
  meet(input: Input): Promise<void>;
  close(): Promise<void>;
}

export interface Target<Input> {
  readonly inputs: fc.Arbitrary<Input>;
  start(): Promise<Subject<Input>>;
}

export interface FuzzOptions {
  readonly seed: number;
  readonly seconds: number;
  /** One input alone: the path that a failure printed. */
  readonly path?: string | undefined;
  /** Seconds in which a failure is made smaller. Default: 90. */
  readonly shrink?: number;
}

export interface Failure {
  readonly law: string;
  readonly input: string;
  readonly seed: number;
  readonly path: string;
  /** Whether the input alone breaks the law, without those before it. */
  readonly alone: boolean;
}

export interface Outcome {
  readonly inputs: number;
  readonly failure?: Failure;
}

/** How many inputs one process meets, and one seed draws; the next seed is the next number. */
const AT_ONCE = 150;
/** How long an input may take: far beyond what any of them waits for. */
const HUNG_MS = 60_000;

/**
 * Draws inputs until the time is up or a law is broken, which it then shows with the smallest input that it finds.
 *
 * @throws any error that is not a broken law: a mistake of the fuzzer's own
 */
export async function fuzz<Input>(target: Target<Input>, options: FuzzOptions): Promise<Outcome> {
  const replayed = options.path !== undefined;
  let end = replayed ? Number.POSITIVE_INFINITY : performance.now() + options.seconds * 1_000;
  let inputs = 0;
  let failed = false;
  let subject: Subject<Input> | undefined;
  const letGo = async () => {
    const met = subject;
    subject = undefined;
    await met?.close();
  };
  const meet = async (input: Input) => {
    subject ??= await target.start();
    const hung = delay(HUNG_MS, undefined, { ref: false }).then(() => {
      throw new Broken('an input is done with', `nothing came of it in ${HUNG_MS / 1_000} s`);
    });
    try {
      await Promise.race([subject.meet(input), hung]);
    } catch (error) {
      // An input that broke a law gets a process of its own.
      await letGo();
      throw error;
    }
  };
  const property = fc.asyncProperty(target.inputs, async (input) => {
    // Inputs drawn after the time is up are not sent.
    if (performance.now() > end) return;
    inputs++;
    try {
      await meet(input);
    } catch (error) {
      if (!failed) end = performance.now() + (options.shrink ?? 90) * 1_000;
      failed = true;
      throw error;
    }
  });
  try {
    for (let seed = options.seed; ; seed++) {
      const drawn = replayed ? { numRuns: 1, path: options.path ?? '' } : { numRuns: AT_ONCE };
      const {
        failed: found,
        errorInstance,
        counterexample,
        counterexamplePath,
      } = await fc.check(property, { seed, ...drawn });
      if (found) {
        if (!(errorInstance instanceof Broken)) throw errorInstance;
        const [input] = counterexample ?? [];
        await letGo();
        const alone = await meet(input as Input).then(
          () => false,
          (error: unknown) => error instanceof Broken,
        );
        const shown = fc.stringify(input);
        return {
          inputs,
          failure: { law: errorInstance.message, input: shown, seed, path: counterexamplePath ?? '0', alone },
        };
      }
      if (replayed || performance.now() > end) return { inputs };
      await letGo();
    }
  } finally {
    await letGo();
  }
}
