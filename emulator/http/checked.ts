import type { z } from 'zod';
import { type ErrorKey, Refusal } from '../contract/errors.js';
import { fieldProblems, problems, words } from '../contract/problem.js';

/** Validates a body by its schema, or throws the 400 `invalid_body` (BODY-4). */
export function checked<T>(schema: () => z.ZodType<T>, value: unknown): T {
  const result = schema().safeParse(value, { error: words });
  if (result.success) return result.data;
  const fields = fieldProblems(result.error);
  throw new Refusal('invalid_body', { detail: problems(fields, 'body'), fields });
}

/** The refusal of one field, or of one parameter of the query. `said` replaces the message of the row. */
export const wrongField = (key: ErrorKey, name: string, message: string, said?: string): Refusal =>
  new Refusal(key, {
    detail: `${name}: ${message}`,
    fields: [{ path: [name], message }],
    ...(said !== undefined && { message: said }),
  });

/**
 * A whole number of a query that may be given once; `fallback` if it is not given.
 *
 * @throws Refusal 400 that names the parameter
 */
export function countOf(query: URLSearchParams, name: string, min: number, max: number, fallback: number): number {
  const [given, ...more] = query.getAll(name);
  if (given === undefined) return fallback;
  if (more.length > 0) throw wrongField('invalid_query', name, `given ${more.length + 1} times`);
  const value = /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (value >= min && value <= max) return value;
  const range = max === Number.POSITIVE_INFINITY ? `a whole number from ${min}` : `${min} to ${max}`;
  throw wrongField('invalid_query', name, `expected ${range}`);
}
