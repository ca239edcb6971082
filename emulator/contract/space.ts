import type * as z from 'zod';
import { durationSchema } from './duration.js';
import { chaosSchema } from './fault.js';
import { A_DEVICE_NAME, DEVICE_NAME, FILE_NAME, NOT_A_FILE_NAME } from './file-name.js';
import { profileSchema } from './profile.js';
import { type Settings, settingsSchema } from './settings.js';
import { type Infer, withZod } from './with-zod.js';

/** The name of a space, or a snapshot: it goes into paths and into names of files. */
export const nameSchema = withZod((z) =>
  z
    .string()
    .regex(FILE_NAME, NOT_A_FILE_NAME)
    .refine((name) => !DEVICE_NAME.test(name), A_DEVICE_NAME),
);

const NO_TIMES = new Set(['turns_per_minute', 'max_waiting_runs', 'vault_writes', 'scim_sync']);

/** Each setting by itself: a missing one stays as it is. Times also as `"5m"`. */
const someSettings = withZod(
  (z) =>
    z.strictObject(
      Object.fromEntries(
        Object.entries(settingsSchema().shape).map(([name, schema]) => {
          const own = schema.unwrap();
          return [
            name,
            (NO_TIMES.has(name) ? own : durationSchema().pipe(own as z.ZodType<number, number>)).optional(),
          ];
        }),
      ),
    ) as unknown as z.ZodType<Partial<Settings>>,
);

/** Body of `POST /_emulator/spaces` (SPACE-1). Missing values are those of the surrounding emulator. */
export const spaceRequestSchema = withZod((z) =>
  z
    .strictObject({
      name: nameSchema().optional(),
      clock: z.enum(['real', 'virtual', 'auto']).optional(),
      /** Source of ids and randomness. */
      seed: z.string().min(1, 'expected a text that is not empty').max(1_000).optional(),
      profile: z
        .union([z.enum(['svc', 'openrouter']), profileSchema()], { error: 'expected "svc", "openrouter" or a profile' })
        .optional(),
      settings: someSettings().optional(),
      /** Faults that apply from the start, and again after each reset. */
      chaos: chaosSchema()
        .transform(({ faults }) => faults)
        .optional(),
    })
    .default({}),
);
export type SpaceRequest = Infer<typeof spaceRequestSchema>;
