import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readJson } from '../../../conformance/cli/files.js';
import { CLASSES, type Law, type ScheduleFile, type VerdictRests } from '../../../conformance/explore/types.js';
import { isRecord } from '../../../conformance/probe/json.js';
import { UsageError } from '../usage.js';

const isText = (value: unknown): boolean => typeof value === 'string';
const isTime = (value: unknown): boolean => isText(value) || typeof value === 'number';

/** What the verdict of a schedule rested on, as it stands in its file. */
const RESTS: Readonly<Record<keyof VerdictRests, (value: unknown) => boolean>> = {
  class: (value) => CLASSES.some((one) => one === value),
  law: isText,
  seed: isText,
  require: (value) => value === 'transient',
  failOn: (value) => value === 'unnoticed',
  patience: isTime,
  runTimeout: isTime,
  laws: (value) => Array.isArray(value) && value.every(isText),
  emulator: isRecord,
  test: isText,
};

function restsIn(explore: unknown, place: string): VerdictRests {
  if (!isRecord(explore)) throw new UsageError(`${place}: explore: expected an object`);
  const needed = (['class', 'seed'] as const).find((name) => explore[name] === undefined);
  const wrong =
    needed ?? Object.keys(explore).find((name) => RESTS[name as keyof VerdictRests]?.(explore[name]) !== true);
  if (wrong !== undefined)
    throw new UsageError(`${place}: explore.${wrong}: found ${JSON.stringify(explore[wrong]) ?? 'nothing'}`);
  return explore as unknown as VerdictRests;
}

/** A schedule as `--save` writes it. What its faults hold is validated by the emulators that serve them. */
export function readSchedule(file: string): ScheduleFile {
  const place = `--schedule ${file}`;
  const { format, name = file, faults, explore } = (readJson(file, '--schedule') ?? {}) as Record<string, unknown>;
  if (!Array.isArray(faults) || faults.length === 0)
    throw new UsageError(`${place}: expected a schedule that --save has written, with faults; found none`);
  const odd = faults.findIndex((fault) => !isRecord(fault));
  if (odd >= 0)
    throw new UsageError(`${place}: faults.${odd}: expected an object, found ${JSON.stringify(faults[odd])}`);
  if (format !== undefined && format !== 2)
    throw new UsageError(`${place}: format: expected 2, or none, found ${JSON.stringify(format)}`);
  return {
    ...(format && { format }),
    name: String(name),
    faults,
    ...(explore !== undefined && { explore: restsIn(explore, place) }),
  };
}

/** The laws of a module: what it exports as `laws` or by default, a function or an object of functions. */
export async function readLaws(file: string, folder: string): Promise<Record<string, Law>> {
  let module: Record<string, unknown>;
  try {
    module = await import(pathToFileURL(resolve(folder, file)).href);
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
        ? 'it does not exist, or imports what does not'
        : String(error);
    throw new UsageError(`--law ${file}: cannot be loaded: ${why.split('\n')[0]}`);
  }
  const given = module.laws ?? module.default;
  const laws = typeof given === 'function' ? { [given.name || file]: given } : given;
  const entries = typeof laws === 'object' && laws !== null ? Object.entries(laws) : [];
  if (entries.length === 0 || !entries.every(([, law]) => typeof law === 'function'))
    throw new UsageError(
      `--law ${file}: expected laws or a default export of functions, which throw where they are broken`,
    );
  return Object.fromEntries(entries) as Record<string, Law>;
}
