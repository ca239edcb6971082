import { type Infer, withZod } from './with-zod.js';

/** Lifecycle statuses (published). `awaiting_slack_install` is a filter only: nothing here produces it. */
export const STATUSES = [
  'queued',
  'provisioning',
  'running',
  'failed',
  'stopped',
  'destroying',
  'destroy_failed',
  'awaiting_slack_install',
] as const;
export type Status = (typeof STATUSES)[number];

/** A time as records carry it: ISO 8601 UTC with milliseconds, and a time that exists. */
export const timestampSchema = withZod((z) =>
  z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    .refine((text) => Number.isFinite(Date.parse(text)), 'expected a time that exists'),
);

/** The intern record as it goes over the wire. Nullable fields are always present. */
export const internSchema = withZod((z) =>
  z.strictObject({
    id: z.uuid(),
    name: nameSchema(),
    description: description().nullable(),
    instructions: instructions().nullable(),
    model: model().nullable(),
    status: z.enum(STATUSES),
    last_failure_message: z.string().nullable(),
    progress: z
      .strictObject({ step_label: z.string(), step_number: z.int().min(1), total_steps: z.int().min(1) })
      .nullable(),
    hostname: z.string().nullable(),
    workspace_id: z.uuid(),
    vault_id: z.uuid().nullable(),
    attached_vault_id: z.uuid().nullable(),
    created_at: timestampSchema(),
    updated_at: timestampSchema(),
  }),
);
export type Intern = Infer<typeof internSchema>;

/** Length in Unicode code points, the unit of every text limit of the interface. */
export const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

const text = (max: number, min = 0) =>
  withZod((z) =>
    z
      .string()
      .refine((value) => {
        // A code point takes at most two code units, so most texts are validated without counting.
        if (value.length < min) return false;
        if (value.length <= max) return min <= 1 || codePoints(value) >= min;
        return value.length <= 2 * max && codePoints(value) <= max;
      }, `expected ${min} to ${max} code points`)
      // JSON Schema counts code points too.
      .meta({ ...(min > 0 ? { minLength: min } : {}), maxLength: max }),
  );

export const promptText = text(32_000, 1);
export const nameSchema = withZod((z) =>
  z
    .string()
    .min(2, 'expected 2 to 17 characters')
    .max(17, 'expected 2 to 17 characters')
    .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'expected lower-case words joined by single hyphens'),
);
export const description = text(2_000);
export const instructions = text(100_000);
export const model = withZod((z) =>
  z
    .string()
    .max(256, 'expected at most 256 characters')
    .regex(/^[A-Za-z0-9._~-]+\/[A-Za-z0-9._~-]+(:[A-Za-z0-9._~-]+)?$/, 'expected author/slug[:variant]'),
);

const workspaceId = withZod((z) => z.string().min(1));
const createFields = withZod((z) =>
  z.strictObject({
    name: nameSchema(),
    workspace_id: workspaceId().optional(),
    description: description().nullable().optional(),
    instructions: instructions().nullable().optional(),
    provision: z.boolean().optional(),
    vault_id: z.string().min(1).optional(),
  }),
);
export type CreateBody = Infer<typeof createFields>;

const explicitWorkspace = withZod(() => createFields().extend({ workspace_id: workspaceId() }));

/**
 * Body of create under a profile (CREATE-1, CREATE-5): the workspace may be left out where the profile has it default to
 * that of the key. Another row decides which workspace is refused.
 */
export const createBodySchema = ({ default_workspace }: { readonly default_workspace?: boolean | undefined }) =>
  default_workspace === true ? createFields : explicitWorkspace;

/** Body of update (UPDATE-1). */
export const updateBodySchema = withZod((z) =>
  z.strictObject({
    name: nameSchema().optional(),
    description: description().nullable().optional(),
    instructions: instructions().nullable().optional(),
    model: model().nullable().optional(),
  }),
);
export type UpdateBody = Infer<typeof updateBodySchema>;

/** Body of delete, if there is one (DELETE-2). */
export const deleteBodySchema = withZod((z) => z.strictObject({ acknowledge_workspace_loss: z.boolean().optional() }));
export type DeleteBody = Infer<typeof deleteBodySchema>;

/** Query of list (LIST-2, LIST-3), after the status list was split and its length validated. */
export const MAX_STATUSES_IN_FILTER = 8;
export const MAX_PAGE = 500;
