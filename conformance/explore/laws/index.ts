import type { Run } from '../run.js';
import type { DisturbanceClass, Law, LawName, Outcome, Seen } from '../types.js';
import { brokenOnce, varyingKinds } from './once.js';
import { brokenPolite, type Rudeness, rudenessOf } from './polite.js';

/** What runs are judged by: the straight ones, and the laws that were added. */
export interface Bench {
  readonly straight: Run;
  readonly varying: ReadonlySet<string>;
  readonly rudeness: readonly Rudeness[];
  /** Own interns that the undisturbed run leaves behind. */
  readonly left: number;
  readonly reported: boolean;
  readonly own: readonly (readonly [name: string, law: Law])[];
  readonly requireTransient: boolean;
}

export interface Breach {
  readonly law: string;
  readonly message: string;
}

/** Interns that the program made, and that are there at the end. */
export function leftBehind({ requests, interns }: Seen): readonly string[] {
  const made = new Set(requests.flatMap(({ madeId }) => madeId ?? []));
  return interns.filter(({ id }) => made.has(id)).map(({ name, status }) => `${name} (${status})`);
}

export function createBench(
  first: Run,
  second: Run,
  rest: Pick<Bench, 'reported' | 'own' | 'requireTransient'>,
): Bench {
  return {
    straight: first,
    varying: varyingKinds(first.seen, second.seen),
    rudeness: [...rudenessOf(first.seen), ...rudenessOf(second.seen)],
    left: Math.max(leftBehind(first.seen).length, leftBehind(second.seen).length),
    ...rest,
  };
}

/** Output without what differs in each run. */
const plain = (text: string) => text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|call_[\w-]+|\d+/g, '#');

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function brokenByOwn(seen: Seen, straight: Seen, laws: Bench['own']): Promise<Breach | undefined> {
  for (const [law, keeps] of laws) {
    try {
      await keeps(seen, straight);
    } catch (error) {
      return { law, message: messageOf(error) };
    }
  }
  return undefined;
}

const PASSED: Outcome['kind'] = 'passed';

/** The law that a disturbed run breaks, if it breaks one. */
export async function breachOf(run: Run, its: DisturbanceClass, bench: Bench): Promise<Breach | undefined> {
  const { seen, rejected } = run;
  const { outcome } = seen;
  const straight = bench.straight.seen;
  const passed = outcome.kind === PASSED;
  const by = (law: LawName, message: string | undefined): Breach | undefined =>
    message === undefined ? undefined : { law, message };
  const [rejection] = rejected;
  return (
    by('settles', outcome.kind === 'hung' ? `it did not end: ${outcome.waitsFor}` : undefined) ??
    by('quiet', outcome.kind === 'crashed' ? outcome.message : undefined) ??
    by('quiet', rejection === undefined ? undefined : `an error was not handled: ${rejection}`) ??
    by('once', brokenOnce(seen, straight, bench.varying)) ??
    by('polite', brokenPolite(seen, bench.rudeness)) ??
    by('harmless-passes', its === 'harmless' && outcome.kind === 'failed' ? outcome.message : undefined) ??
    by('tidy', passed && leftBehind(seen).length > bench.left ? `it left ${leftBehind(seen).join(', ')}` : undefined) ??
    by(
      'told',
      bench.reported && passed && its === 'final' && plain(seen.stdout) === plain(straight.stdout)
        ? 'its user heard nothing of it'
        : undefined,
    ) ??
    (bench.requireTransient && its === 'transient' && outcome.kind === 'failed'
      ? { law: 'transient-passes', message: outcome.message }
      : undefined) ??
    (await brokenByOwn(seen, straight, bench.own))
  );
}
