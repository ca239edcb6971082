import { existsSync } from 'node:fs';
import { withZod } from '../../emulator/contract/with-zod.js';
import { isFailure } from '../engine/baseline.js';
import type { Results } from '../engine/results.js';
import type { KnownFailure } from '../framework/baseline.js';
import { UsageError } from '../framework/usage.js';
import { readJson } from './files.js';
import { writeTo } from './folders.js';

/** Whether a text is a day that exists: February has no 30th. */
const isDay = (text: string): boolean => {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text);
};
const TEXTS = ['id', 'reason', 'link', 'expires', 'until'] as const;
const KEYS: readonly string[] = [...TEXTS, 'flaky'];

/**
 * An entry of a baseline. `until` is `expires`.
 *
 * @throws UsageError that names the place, `at`, and what was expected there
 */
function entryOf(value: unknown, at: string): KnownFailure {
  const wrong = (expected: string): never => {
    throw new UsageError(`${at}: expected ${expected}`);
  };
  if (typeof value === 'string') return { id: value };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return wrong('the id of a check, or {id, reason, link?, expires?, flaky?}');
  const entry = value as Partial<Record<(typeof TEXTS)[number], string>> & { readonly flaky?: unknown };
  for (const key of Object.keys(entry)) if (!KEYS.includes(key)) wrong(`one of ${KEYS.join(', ')}, got ${key}`);
  for (const key of TEXTS) {
    const text: unknown = entry[key];
    if (text !== undefined && (typeof text !== 'string' || text === '')) wrong(`text for ${key}`);
  }
  const { id, reason, link, flaky } = entry;
  if (id === undefined) return wrong('an id');
  if (reason === undefined) return wrong(`a reason why ${id} may fail`);
  if (flaky !== undefined && typeof flaky !== 'boolean') wrong(`true or false for flaky, got ${JSON.stringify(flaky)}`);
  if (entry.expires !== undefined && entry.until !== undefined) wrong('either expires or until, got both');
  const name = entry.expires === undefined ? 'until' : 'expires';
  const expires = entry[name];
  if (expires !== undefined && !isDay(expires)) wrong(`a day such as 2026-12-31 for ${name}, got ${expires}`);
  return {
    id,
    reason,
    ...(link === undefined ? {} : { link }),
    ...(expires === undefined ? {} : { expires }),
    ...(flaky === true ? { flaky } : {}),
  };
}

const baselineSchema = withZod((z) => {
  const known = z.array(z.unknown()).max(100_000);
  return z.looseObject({ known }, { error: () => 'expected {"known": [ids of checks, or entries]}' });
});

/** Checks that are known to fail. A missing file is an empty baseline if it is being updated. */
export function readBaseline(file: string, updating: boolean): KnownFailure[] {
  if (updating && !existsSync(file)) return [];
  const { known: list } = readJson(file, 'baseline', baselineSchema);
  return list.map((entry, at) => entryOf(entry, `baseline ${file}: known[${at}]`));
}

/**
 * Writes down what fails now. Entries of checks that this run did not reach, and of those that may pass, stay as they were;
 * those that still fail keep their reason.
 */
export function writeBaseline(file: string, before: readonly KnownFailure[], results: Results): void {
  const { checks, options } = results;
  const ran = new Set(checks.filter((check) => check.verdict !== 'skip').map((check) => check.id));
  const failing = checks.filter((check) => isFailure(check, options.failOn)).map((check) => check.id);
  const kept = before.filter(({ id, flaky }) => !ran.has(id) || flaky === true).map(({ id }) => id);
  const ids = [...new Set([...kept, ...failing])].sort();
  const known = ids.map((id) => {
    const entry = before.find((one) => one.id === id);
    return entry === undefined || Object.keys(entry).length === 1 ? id : entry;
  });
  writeTo(`baseline ${file}`, file, `${JSON.stringify({ known }, null, 2)}\n`);
}
