import type { Check } from '../framework/check.js';
import type { Finding, Found } from '../framework/finding.js';
import type { Redactor } from '../probe/redact.js';
import type { Attempt } from './attempt.js';
import { curl, replayCommand } from './replay.js';
import type { FindingResult } from './results.js';
import type { RunContext } from './run-context.js';

/** Longest text that is kept of a value, after secrets are taken out. */
const KEPT = 2_000;

function clean(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') return String(value);
  if (typeof value === 'string') {
    const text = redactor.text(value);
    return text.length > KEPT ? `${text.slice(0, KEPT)}…` : text;
  }
  if (Array.isArray(value)) return value.map((entry) => clean(entry, redactor));
  if (typeof value !== 'object' || value === null || value instanceof RegExp || value instanceof Uint8Array)
    return redactor.deep(value);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, clean(entry, redactor)]));
}

/** Data as JSON can carry it, secrets taken out before anything is cut off. */
export const recorded = <Data>(data: Data, redactor: Redactor): Data => clean(data, redactor) as Data;

/** What a finding says, with all that it takes to act on it, free of secrets. `askedBy`: the check that asked. */
export function reported(
  run: RunContext,
  check: Check,
  { found, more: { property } }: Finding,
  { transcript, control }: Pick<Attempt, 'transcript' | 'control'>,
  askedBy: string = check.id,
): FindingResult {
  const { settings, session } = run;
  const { redactor } = session;
  const last = transcript.at(-1);
  const { breaks: broken, ...look } = recorded(found, redactor);
  return {
    ...(last === undefined ? {} : { exchange: last.number }),
    ...look,
    ...breaks(check, broken),
    ...(property === undefined ? {} : { property: recorded(property, redactor) }),
    ...(askedBy === check.id ? {} : { askedBy }),
    transcript,
    ...(control.length === 0 ? {} : { control: recorded(control, redactor) }),
    ...(last === undefined ? {} : { curl: redactor.text(curl(last)) }),
    seed: settings.seed,
    runs: settings.runs,
    replay: replayCommand({
      command: settings.command,
      id: [...new Set([askedBy, check.id])].join(','),
      seed: settings.seed,
      runs: settings.runs,
      ...(property === undefined ? {} : { path: { name: property.name, path: property.path } }),
    }),
  };
}

/** What is broken beside what the check is about, and at which level. */
const breaks = (check: Check, other: Found['breaks']): Pick<FindingResult, 'breaks' | 'level'> => ({
  ...(other === undefined || other.requirement === check.requirement ? {} : { breaks: other.requirement }),
  ...(other === undefined || other.level === check.level ? {} : { level: other.level }),
});
