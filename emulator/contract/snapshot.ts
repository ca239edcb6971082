import { faultSchema } from './fault.js';
import { importedStateSchema } from './migrations.js';
import { settingsSchema } from './settings.js';
import { nameSchema } from './space.js';
import { type Infer, withZod } from './with-zod.js';

const count = withZod((z) => z.int().min(0));

const randomStateSchema = withZod((z) =>
  z.strictObject({
    seed: z.string(),
    stream: z.string(),
    drawn: count(),
    block: count(),
    at: count(),
  }),
);

/**
 * Everything that decides what an emulator answers next, except for what is in progress (SPACE-2). A secret, as a store
 * is.
 */
export const keptSchema = withZod((z) =>
  z.strictObject({
    /** When the snapshot was taken, on the emulator's clock. */
    clock: z.strictObject({ now: z.number(), frozen: z.boolean() }),
    state: importedStateSchema(),
    settings: settingsSchema(),
    /** Times of the turns that count, by caller. */
    turns: z.record(z.string(), z.array(z.number())),
    faults: z.array(faultSchema()),
    random: z.record(z.string(), randomStateSchema()),
    requests: z.strictObject({ stem: z.string(), count: count() }),
  }),
);
export type Kept = Infer<typeof keptSchema>;

export const SNAPSHOT_VERSION = 1;

/** A snapshot as a file, beside the file of the store. */
export const snapshotFileSchema = withZod((z) =>
  z.strictObject({
    format: z.literal('intern-emulator-snapshot'),
    version: z.literal(SNAPSHOT_VERSION),
    name: nameSchema(),
    kept: keptSchema(),
  }),
);
