import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../../../conformance/cli/arguments.js';
import { readJson } from '../../../conformance/cli/files.js';
import { CLASSES, type Law, type ScheduleFile } from '../../../conformance/explore/types.js';
import { withZod } from '../../contract/with-zod.js';

/** A schedule as `--save` writes it. The emulators that serve its faults validate them. */
const scheduleSchema = withZod((z) => {
  const time = z.union([z.string(), z.number()]);
  const explore = z.strictObject({
    class: z.enum(CLASSES),
    law: z.string().optional(),
    seed: z.string(),
    require: z.literal('transient').optional(),
    failOn: z.literal('unnoticed').optional(),
    patience: time.optional(),
    runTimeout: time.optional(),
    laws: z.array(z.string()).optional(),
    emulator: z.record(z.string(), z.unknown()).optional(),
    test: z.string().optional(),
  });
  return z.looseObject({
    faults: z
      .array(z.record(z.string(), z.unknown()), { error: 'expected faults, as in a schedule that --save has written' })
      .min(1, 'expected faults, found none'),
    format: z.literal(2).optional(),
    name: z.string().optional(),
    explore: explore.optional(),
  });
});

export function readSchedule(file: string): ScheduleFile {
  const { format, name = file, faults, explore } = readJson(file, '--schedule', scheduleSchema);
  return { ...(format && { format }), name, faults, ...(explore && { explore }) } as unknown as ScheduleFile;
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
