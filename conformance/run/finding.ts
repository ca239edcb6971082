import { brief, type Finding } from '../framework/assert.js';
import type { Check } from '../framework/check.js';
import { Falsified } from '../framework/property.js';
import type { Exchange } from '../probe/exchange.js';
import type { Redactor } from '../probe/redact.js';
import type { Attempt } from './attempt.js';
import { curl, replayCommand } from './replay.js';
import type { FindingResult } from './results.js';
import type { RunContext } from './run-context.js';

/** How often a finding came again when the check was repeated. */
export interface Confirmed {
  readonly tries: number;
  readonly failures: number;
}

/** Longest text that a finding shows of a value, after secrets are taken out. */
const SHOWN = 2_000;

/** What a finding says, with all that it takes to act on it, free of secrets. */
export function reported(
  run: RunContext,
  check: Check,
  finding: Finding,
  { transcript, control }: Pick<Attempt, 'transcript' | 'control'>,
  confirmed: Confirmed,
): FindingResult {
  const { settings, session } = run;
  const { redactor } = session;
  const falsified = finding instanceof Falsified ? finding.property : undefined;
  const last = transcript.at(-1);
  return {
    what: redactor.text(finding.what),
    expected: shown(finding.expected, redactor),
    actual: shown(finding.actual, redactor),
    ...breaks(check, finding),
    ...(falsified === undefined
      ? {}
      : {
          property: {
            name: falsified.name,
            counterexample: falsified.counterexample.map((value) => redactor.text(value)),
            seed: falsified.seed,
            path: falsified.path,
            runs: falsified.runs,
            shrinks: falsified.shrinks,
          },
        }),
    flaky: confirmed.failures < confirmed.tries,
    confirmed,
    transcript,
    ...(control.length === 0 ? {} : { control: redactor.deep(control) as FindingResult['control'] & object }),
    ...(last === undefined ? {} : { curl: redactor.text(curl(last)) }),
    replay: replayCommand({
      command: settings.command,
      id: check.id,
      seed: settings.seed,
      runs: settings.runs,
      ...(falsified === undefined ? {} : { path: { name: falsified.name, path: falsified.path } }),
    }),
  };
}

/** What is broken beside what the check is about. At another level than the check's it is a matter of other checks. */
const breaks = (check: Check, { breaks: other }: Finding): Pick<FindingResult, 'breaks'> =>
  other === undefined || other.requirement === check.requirement || other.level !== check.level
    ? {}
    : { breaks: other.requirement };

/** What the kit itself did wrong, free of secrets. */
export function fault(error: unknown, transcript: readonly Exchange[], redactor: Redactor) {
  const message = redactor.text(error instanceof Error ? `${error.name}: ${error.message}` : brief(error));
  const stack = error instanceof Error && error.stack !== undefined ? { stack: redactor.text(error.stack) } : {};
  return { message, ...stack, transcript };
}

/** A value as JSON can carry it, secrets taken out before anything is cut off. */
export function shown(value: unknown, redactor: Redactor): unknown {
  if (value === undefined) return 'undefined';
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') return String(value);
  const clean = redactor.deep(value);
  return typeof clean === 'string' && clean.length > SHOWN ? `${clean.slice(0, SHOWN)}…` : clean;
}
