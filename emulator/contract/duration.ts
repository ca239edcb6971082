import { withZod } from './with-zod.js';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

const EXPECTED =
  'expected a duration: whole milliseconds, or a number with ms, s, m or h such as "20ms", "45s", "5m", "1h"';

/**
 * Milliseconds of a duration: a number, or a text such as `20ms`, `1.5s`, `5m`, `1h`; digits alone are milliseconds.
 *
 * @throws RangeError that says what was expected
 */
export function parseDuration(value: string | number): number {
  const match = typeof value === 'number' ? undefined : /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/.exec(value.trim());
  const [, number = 'none', unit = 'ms'] = match ?? [];
  const product = typeof value === 'number' ? value : Number(number) * (UNITS[unit] ?? 1);
  // 1.005 times 1,000 is a little less than 1,005.
  const isWhole = Math.abs(product - Math.round(product)) <= 1e-9 * product;
  const ms = isWhole ? Math.round(product) : product;
  if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError(`${EXPECTED}; found ${JSON.stringify(value)}`);
  return ms;
}

/** A duration in JSON; comes out as milliseconds. */
export const durationSchema = withZod((z) =>
  z.union([z.number(), z.string()]).transform((value, context) => {
    try {
      return parseDuration(value);
    } catch {
      context.addIssue({ code: 'custom', message: EXPECTED });
      return z.NEVER;
    }
  }),
);
