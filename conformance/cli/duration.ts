import { UsageError } from '../framework/usage.js';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** ms of `90`, `90s`, `5m`, `1h`, `500ms`; a bare number is in seconds. Throws a line that says what was expected. */
export function duration(text: string, what: string): number {
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim());
  if (found === null) throw new UsageError(`${what}: expected a time such as 90s or 5m, got ${JSON.stringify(text)}`);
  return Number(found[1]) * (UNITS[found[2] ?? 's'] ?? 1_000);
}
