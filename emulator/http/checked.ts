import type { z } from 'zod';
import { Refusal } from '../contract/errors.js';
import { problems, words } from '../contract/problem.js';

/** Validates a body by its schema, or throws the 400 `invalid_body` (BODY-4). */
export function checked<T>(schema: () => z.ZodType<T>, value: unknown): T {
  const result = schema().safeParse(value, { error: words });
  if (!result.success) throw new Refusal('invalid_body', { detail: problems(result.error, 'body') });
  return result.data;
}

/**
 * A whole number of a query that may be given once; `fallback` if it is not given.
 *
 * @throws Refusal 400 that names the parameter
 */
export function countOf(query: URLSearchParams, name: string, min: number, max: number, fallback: number): number {
  const [given, ...more] = query.getAll(name);
  if (given === undefined) return fallback;
  if (more.length > 0) throw new Refusal('invalid_query', { detail: `${name}: given ${more.length + 1} times` });
  const value = /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (value >= min && value <= max) return value;
  const range = max === Number.POSITIVE_INFINITY ? `a whole number from ${min}` : `${min} to ${max}`;
  throw new Refusal('invalid_query', { detail: `${name}: expected ${range}` });
}
