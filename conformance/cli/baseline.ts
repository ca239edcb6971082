import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Results } from '../run/results.js';
import { UsageError } from '../run/usage.js';

/** Ids of checks that are known to fail. A file that is not there yet is an empty baseline where it is being updated. */
export function readBaseline(file: string, updating: boolean): string[] {
  if (updating && !existsSync(file)) return [];
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`baseline ${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  const list = (value as { known?: unknown } | null)?.known;
  if (!Array.isArray(list) || !list.every((entry) => typeof entry === 'string')) {
    throw new UsageError(`baseline ${file}: expected {"known": [ids of checks]}`);
  }
  return list;
}

/**
 * Writes down what fails now. Entries of checks that this run did not get to stay as they were.
 */
export function writeBaseline(file: string, before: readonly string[], results: Results): void {
  const ran = new Set(results.checks.filter((check) => check.verdict !== 'skip').map((check) => check.id));
  const failing = results.checks.filter((check) => check.verdict === 'fail').map((check) => check.id);
  const known = [...new Set([...before.filter((id) => !ran.has(id)), ...failing])].sort();
  writeFileSync(file, `${JSON.stringify({ known }, null, 2)}\n`);
}
