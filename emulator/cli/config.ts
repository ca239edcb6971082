import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type * as z from 'zod';
import { UsageError } from '../../conformance/cli/arguments.js';
import { textOfFile } from '../contract/file.js';
import { JsonSyntaxError, parseJson } from '../contract/json.js';
import { suggestion } from '../contract/nearest.js';
import { place, words } from '../contract/problem.js';
import { withZod } from '../contract/with-zod.js';
import { FLAG_NAMES, FLAGS, type GivenFlags, type Setting, settingsFrom, variable } from './flags.js';

/** Read by default, if it exists. */
export const DEFAULT_CONFIG = 'intern-emulator.config.json';

/** The keys of a config file: every setting, under the name of its flag in camel case. */
export const configSchema = withZod((z) =>
  z.strictObject({
    $schema: z.string().optional().describe('Where the schema of this file is'),
    ...Object.fromEntries(
      Object.entries<Setting<unknown>>(FLAGS).map(([name, { json, describe, fallback }]) => [
        name,
        json()
          .optional()
          .describe(fallback === undefined ? describe : `${describe} (default: ${fallback})`),
      ]),
    ),
  }),
);

/** Settings of a config file; none if it was not named and does not exist. Throws a {@link UsageError}. */
export function readConfig(named: string | undefined, folder: string): GivenFlags {
  const file = resolve(folder, named ?? DEFAULT_CONFIG);
  if (named === undefined && !existsSync(file)) return {};
  const shown = named ?? DEFAULT_CONFIG;
  return checkedSettings(readJson(file, shown), shown, dirname(file));
}

/** Settings that are read from JSON; `shown` names where they come from. Throws a {@link UsageError}. */
export function checkedSettings(value: unknown, shown: string, folder?: string): GivenFlags {
  const parsed = configSchema().safeParse(value, { error: words });
  if (!parsed.success) throw new UsageError(`${shown}: ${problem(parsed.error)}`);
  const data: Record<string, unknown> = parsed.data;
  return settingsFrom((setting, name) => located(setting, data[name], folder));
}

function readJson(file: string, shown: string): unknown {
  try {
    return parseJson(textOfFile(file, shown));
  } catch (error) {
    throw error instanceof JsonSyntaxError ? new UsageError(`${shown}: ${error.message}`) : error;
  }
}

/** The first thing wrong, with its path. */
function problem(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue) return 'it is not valid';
  const at = (path: readonly PropertyKey[]) => place(['$', ...path], '');
  if (issue.code !== 'unrecognized_keys') return `${at(issue.path)}: ${issue.message}`;
  const [key = ''] = issue.keys;
  return `${at([...issue.path, key])}: unknown setting${suggestion(key, FLAG_NAMES)}`;
}

/** Paths in a config file are relative to its folder. */
function located({ path }: Setting<unknown>, value: unknown, folder: string | undefined): unknown {
  if (path === undefined || value === undefined || folder === undefined) return value;
  const place = (file: string) => (path === 'unless-name' && !/[./\\]/.test(file) ? file : resolve(folder, file));
  return Array.isArray(value) ? value.map((file) => place(String(file))) : place(String(value));
}

/** Settings of the environment: `INTERN_EMULATOR_PORT` and so on. Throws a {@link UsageError} naming the variable. */
export function readEnvironment(env: NodeJS.ProcessEnv): GivenFlags {
  const prefix = variable('');
  const known = [...FLAG_NAMES, 'config'].map((name) => variable(name).slice(prefix.length));
  for (const name of Object.keys(env)) {
    const own = name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
    if (own !== undefined && !known.includes(own))
      throw new UsageError(`${name}: unknown setting${suggestion(own, known, (nearest) => prefix + nearest)}`);
  }
  return settingsFrom((setting, name) => {
    const text = env[variable(name)];
    return text === undefined ? undefined : parsed(variable(name), setting, text);
  });
}

/** The value of a text; an error names its source. */
export function parsed<T>(source: string, setting: Setting<T>, text: string): T {
  try {
    return setting.parse(text);
  } catch (error) {
    throw new UsageError(`${source}: ${(error as Error).message}`);
  }
}
