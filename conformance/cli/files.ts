import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod';
import { FileInvalid, jsonIn, textOfFile } from '../../emulator/contract/file.js';
import { given } from '../../emulator/contract/given.js';
import { suggestion } from '../../emulator/contract/nearest.js';
import { UsageError } from '../../emulator/contract/problem.js';
import { inWords } from '../../emulator/contract/system-error.js';
import { withZod } from '../../emulator/contract/with-zod.js';
import type { Prompts } from '../drivers/driver.js';
import { BEHAVIOURS, type PublicKey } from '../model/target.js';
import { type Report, readResults } from '../report/json.js';
import type { KnownFailure, Results } from '../run/results.js';
import { isFailure } from '../run/verdict.js';
import { writeTo } from './destinations.js';
import { RUN_FLAGS } from './flags.js';

/** Flags of one call, which no config file has. */
const OF_A_CALL = ['config', 'path', 'plan', 'shard', 'update-baseline'];

/** The settings of a config file, with the flag's own spelling of values. */
export const SETTINGS = Object.keys(RUN_FLAGS).filter((flag) => !OF_A_CALL.includes(flag));

const anything = withZod((z) => z.unknown());

/** Reads a file of JSON. `what` names it in the FileInvalid for an unreadable one. */
export const readJson = <Value = unknown>(
  file: string,
  what: string,
  schema: () => z.ZodType<Value> = anything as () => z.ZodType<Value>,
): Value => jsonIn(textOfFile(file, `${what} ${file}`), `${what} ${file}`, schema);

/** The prompts of a config file. Its other keys stand in for flags. */
export const configSchema = withZod((z) => {
  const wordings = z.union([z.string(), z.array(z.string()).min(1)]).transform((given) => [given].flat());
  const prompts = z.strictObject(Object.fromEntries(BEHAVIOURS.map((name) => [name, wordings.optional()])));
  return z.looseObject({ prompts: prompts.optional() });
});

/** Reads a config file. Unknown keys are refused. */
export function readConfig(file: string | undefined): Record<string, unknown> & { readonly prompts?: Prompts } {
  if (file === undefined) return {};
  const config = readJson(file, 'config file', configSchema);
  const known = new Set(['url', ...SETTINGS.map((flag) => flag.replaceAll('-', '_')), 'prompts', '$schema']);
  for (const key of Object.keys(config)) {
    if (!known.has(key))
      throw new UsageError(
        `config file ${file}: ${key} is not known${suggestion(key, known)}; known are ${[...known].join(', ')}`,
      );
  }
  return config as typeof config & { prompts?: Prompts };
}

const keysSchema = withZod((z) => {
  const keys = z.array(z.looseObject({ kty: z.string() })).max(1_000);
  return z.union([keys, z.looseObject({ keys })], { error: () => 'expected a JWK set, {"keys": […]}' });
});

/** Reads a file of public keys: a JWK set, or its list. */
export function readKeys(file: string | undefined): PublicKey[] {
  if (file === undefined) return [];
  const value = readJson(file, 'public keys', keysSchema);
  return (Array.isArray(value) ? value : value.keys) as unknown as PublicKey[];
}

/**
 * Reads a JSON report.
 *
 * @throws FileInvalid: one line that names the file and what is wrong with it
 */
export const readReport = (file: string): Report => readResults(textOfFile(file, `report ${file}`), `report ${file}`);

/** Every file of JSON below a folder, in the order of their names. */
function jsonFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    throw new UsageError(`folder ${folder} cannot be read: ${inWords(error)}`);
  }
}

/**
 * Reads the JSON reports below a folder. Leaves out invalid ones, and says why by `warn`.
 *
 * @throws UsageError where nothing is left
 */
export function readReports(folder: string, warn: (line: string) => void): Report[] {
  const files = jsonFiles(folder);
  const reports = files.flatMap((file) => {
    try {
      return [readReport(file)];
    } catch (error) {
      if (!(error instanceof FileInvalid)) throw error;
      warn(`left out: ${error.message}`);
      return [];
    }
  });
  if (reports.length > 0) return reports;
  throw new UsageError(
    files.length === 0
      ? `folder ${folder} has no JSON reports: write them with --report json=${join(folder, 'NAME.json')}`
      : `folder ${folder}: none of its ${files.length} JSON files is a report of this kit`,
  );
}

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
