import { readFileSync } from 'node:fs';
import { suggestion } from '../../emulator/contract/nearest.js';
import { inWords } from '../../emulator/contract/system-error.js';
import type { Prompts } from '../drivers/live.js';
import { BEHAVIOURS } from '../framework/needs.js';
import type { PublicKey } from '../framework/target.js';
import { UsageError } from '../framework/usage.js';
import { RUN_FLAGS } from './flags.js';

/** Flags that are of one call: no config file has them. */
const OF_A_CALL = ['config', 'path', 'plan', 'shard', 'update-baseline'];

/** What may be set in a config file, with the flag's own spelling of values. */
const SETTINGS = Object.keys(RUN_FLAGS).filter((flag) => !OF_A_CALL.includes(flag));

/** A file of JSON. `what` names it in the UsageError for one that cannot be read. */
export function readJson(file: string, what: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${what} ${file} cannot be read: ${inWords(error)}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${what} ${file} is no JSON: ${error instanceof Error ? error.message : error}`);
  }
}

/** A config file, whose every key is known. */
export function readConfig(file: string | undefined): Record<string, unknown> {
  if (file === undefined) return {};
  const config = readJson(file, 'config file');
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new UsageError(`config file ${file}: expected an object`);
  }
  const known = new Set(['url', ...SETTINGS.map((flag) => flag.replaceAll('-', '_')), 'prompts', '$schema']);
  for (const key of Object.keys(config)) {
    if (!known.has(key))
      throw new UsageError(
        `config file ${file}: ${key} is not known${suggestion(key, known)}; known are ${[...known].join(', ')}`,
      );
  }
  return config as Record<string, unknown>;
}

/** The `prompts` of a config file. */
export function readPrompts(value: unknown): Prompts {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null)
    throw new UsageError('prompts: expected an object of prompts by behaviour');
  const prompts: Prompts = {};
  for (const [name, prompt] of Object.entries(value)) {
    const behaviour = BEHAVIOURS.find((known) => known === name);
    if (behaviour === undefined)
      throw new UsageError(
        `prompts: ${name} is not known${suggestion(name, BEHAVIOURS)}; known are ${BEHAVIOURS.join(', ')}`,
      );
    const wordings: readonly unknown[] = [prompt].flat();
    if (wordings.length === 0 || !wordings.every((one) => typeof one === 'string'))
      throw new UsageError(`prompts.${name}: expected a string, or a list of strings`);
    prompts[behaviour] = wordings as readonly string[];
  }
  return prompts;
}

/** A file of public keys: a JWK set, or the list in one. */
export function readKeys(file: string | undefined): PublicKey[] {
  if (file === undefined) return [];
  const value = readJson(file, 'public keys');
  const keys = Array.isArray(value) ? value : (value as { keys?: unknown }).keys;
  if (!Array.isArray(keys)) throw new UsageError(`public keys ${file}: expected a JWK set, {"keys": […]}`);
  return keys as PublicKey[];
}
