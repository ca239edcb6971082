import type * as z from 'zod';
import { durationSchema } from './duration.js';
import { chaosSchema, type Fault } from './fault.js';
import { A_DEVICE_NAME, DEVICE_NAME, FILE_NAME, NOT_A_FILE_NAME } from './file-name.js';
import { type Profile, profileSchema } from './profile.js';
import { type Settings, settingsSchema } from './settings.js';
import { withZod } from './with-zod.js';

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
export interface SpaceRequest {
  name?: string | undefined;
  clock?: 'real' | 'virtual' | 'auto' | undefined;
  /** Source of ids and randomness. */
  seed?: string | undefined;
  profile?: 'svc' | 'openrouter' | Profile | undefined;
  settings?: Partial<Settings> | undefined;
  /** Faults that apply from the start, and again after each reset. */
  chaos?: readonly Fault[] | undefined;
}

export const spaceRequestSchema: () => z.ZodType<SpaceRequest> = withZod((z) =>
  z
    .strictObject({
      name: nameSchema().optional(),
      clock: z.enum(['real', 'virtual', 'auto']).optional(),
      seed: z.string().min(1, 'expected a text that is not empty').max(1_000).optional(),
      profile: z
        .union([z.enum(['svc', 'openrouter']), profileSchema()], { error: 'expected "svc", "openrouter" or a profile' })
        .optional(),
      settings: someSettings().optional(),
      chaos: chaosSchema()
        .transform(({ faults }) => faults)
        .optional(),
    })
    .default({}),
);
