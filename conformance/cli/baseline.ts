import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { inWords } from '../../emulator/contract/system-error.js';
import type { Results } from '../engine/results.js';
import { UsageError } from '../framework/usage.js';

/** A check that is known to fail. */
export interface Known {
  readonly id: string;
  /** Why it may fail for now. */
  readonly reason?: string;
  /** Where to read more: an issue. */
  readonly link?: string;
  /** The last day, as YYYY-MM-DD in UTC, on which it may fail. After it the failure counts again. */
  readonly until?: string;
}

/** Whether a text is a day that exists: February has no 30th. */
const isDay = (text: string): boolean => {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text);
};
const KEYS = ['id', 'reason', 'link', 'until'];

function entryOf(value: unknown, at: string): Known {
  const wrong = (expected: string): never => {
    throw new UsageError(`${at}: expected ${expected}`);
  };
  if (typeof value === 'string') return { id: value };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return wrong('the id of a check, or {id, reason, link?, until?}');
  const entry = value as Record<string, unknown>;
  for (const [key, text] of Object.entries(entry)) {
    if (!KEYS.includes(key)) wrong(`one of ${KEYS.join(', ')}, got ${key}`);
    if (typeof text !== 'string' || text === '') wrong(`text for ${key}`);
  }
  if (entry.id === undefined) wrong('an id');
  if (entry.reason === undefined) wrong(`a reason why ${entry.id} may fail`);
  const { until } = entry;
  if (until !== undefined && !isDay(String(until))) wrong(`a day such as 2026-12-31 for until, got ${until}`);
  return entry as unknown as Known;
}

/** Checks that are known to fail. A missing file is an empty baseline if it is being updated. */
export function readBaseline(file: string, updating: boolean): Known[] {
  if (updating && !existsSync(file)) return [];
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`baseline ${file} cannot be read: ${inWords(error)}`);
  }
  const list = (value as { known?: unknown } | null)?.known;
  if (!Array.isArray(list)) throw new UsageError(`baseline ${file}: expected {"known": [ids of checks, or entries]}`);
  return list.map((entry, at) => entryOf(entry, `baseline ${file}: known[${at}]`));
}

/** Ids of the entries that hold on the day of `now` (ms since the epoch). */
export const knownOn = (entries: readonly Known[], now: number): string[] =>
  entries.filter(({ until }) => until === undefined || now < Date.parse(until) + 86_400_000).map(({ id }) => id);

/**
 * Writes down what fails now. Entries of checks that this run did not reach stay as they were; those that still fail
 * keep their reason.
 */
export function writeBaseline(file: string, before: readonly Known[], results: Results): void {
  const ran = new Set(results.checks.filter((check) => check.verdict !== 'skip').map((check) => check.id));
  const failing = results.checks.filter((check) => check.verdict === 'fail').map((check) => check.id);
  const ids = [...new Set([...before.map(({ id }) => id).filter((id) => !ran.has(id)), ...failing])].sort();
  const known = ids.map((id) => {
    const entry = before.find((one) => one.id === id);
    return entry === undefined || Object.keys(entry).length === 1 ? id : entry;
  });
  writeFileSync(file, `${JSON.stringify({ known }, null, 2)}\n`);
}
