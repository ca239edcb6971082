import { existsSync } from 'node:fs';
import { given } from '../../emulator/contract/given.js';
import { withZod } from '../../emulator/contract/with-zod.js';
import type { KnownFailure, Results } from '../run/results.js';
import { isFailure } from '../run/verdict.js';
import { writeTo } from './destinations.js';
import { readJson } from './files.js';

/** Whether a text is a day that exists: February has no 30th. */
const isDay = (text: string): boolean => {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text);
};

const baselineSchema = withZod((z) => {
  const text = z.string().min(1);
  const day = z.string().refine(isDay, { error: ({ input }) => `expected a day such as 2026-12-31; found ${input}` });
  const entry = z
    .strictObject({
      id: text,
      reason: z.string({ error: 'expected a reason why it may fail' }).min(1),
      link: text.optional(),
      expires: day.optional(),
      /** The same as `expires`. */
      until: day.optional(),
      flaky: z.boolean().optional(),
    })
    .refine(({ expires, until }) => expires === undefined || until === undefined, 'expected expires or until, not both')
    .transform(({ until, flaky, link, expires = until, ...known }): KnownFailure => {
      return { ...known, ...given({ link, expires }), ...(flaky && { flaky }) };
    });
  const known = z.array(z.union([text.transform((id): KnownFailure => ({ id })), entry])).max(100_000);
  return z.looseObject({ known }, { error: () => 'expected {"known": [ids of checks, or entries]}' });
});

/** Checks that are known to fail. A missing file is an empty baseline if it is being updated. */
export function readBaseline(file: string, updating: boolean): KnownFailure[] {
  if (updating && !existsSync(file)) return [];
  return readJson(file, 'baseline', baselineSchema).known;
}

/**
 * Writes the current failures. Entries of checks that this run did not reach, and of flaky ones, stay as they were;
 * entries that still fail keep their reason.
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
