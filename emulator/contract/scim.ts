import { timestampSchema } from './intern.js';
import { type Infer, withZod } from './with-zod.js';

/** Bounds of the lists of SCIM (SCIM-3, SCIM-6). */
export const MAX_SCIM_PAGE = 100;
export const DEFAULT_SCIM_PAGE = 50;

/** A UUID; upper case, which some tools print, becomes the lower case of everything else here. */
export const uuidSchema = withZod((z) => z.uuid().toLowerCase());
const role = withZod((z) => z.enum(['admin', 'member']));

/** A SCIM group mapping as it goes over the wire (SCIM-1), and as it is kept. */
export const scimMappingSchema = withZod((z) =>
  z.strictObject({
    id: uuidSchema(),
    scim_group_id: uuidSchema(),
    workspace_id: uuidSchema(),
    organization_id: z.string(),
    role: role(),
    created_at: timestampSchema(),
    updated_at: timestampSchema(),
  }),
);
export type ScimMapping = Infer<typeof scimMappingSchema>;

/** A SCIM group as it goes over the wire (SCIM-6). */
export const scimGroupSchema = withZod((z) =>
  z.strictObject({
    id: uuidSchema(),
    organization_id: z.string(),
    external_id: z.string().nullable(),
    display_name: z.string(),
    created_at: timestampSchema(),
    updated_at: timestampSchema(),
  }),
);
export type ScimGroup = Infer<typeof scimGroupSchema>;

/** Body of the create of a mapping (SCIM-4). */
export const createMappingSchema = withZod((z) =>
  z.strictObject({ scim_group_id: uuidSchema(), workspace_id: uuidSchema(), role: role() }),
);
export type CreateMappingBody = Infer<typeof createMappingSchema>;

/** Body of the update of a mapping (SCIM-5). */
export const updateMappingSchema = withZod((z) => z.strictObject({ role: role() }));
export type UpdateMappingBody = Infer<typeof updateMappingSchema>;

/** A directory sync as it goes over the wire (SCIM-7). Counts and message are null until its end. */
export const scimJobSchema = withZod((z) =>
  z.strictObject({
    id: uuidSchema(),
    status: z.enum(['queued', 'running', 'succeeded', 'failed']),
    created_at: timestampSchema(),
    started_at: timestampSchema().nullable(),
    finished_at: timestampSchema().nullable(),
    synced_groups: z.int().min(0).nullable(),
    deleted_groups: z.int().min(0).nullable(),
    error_message: z.string().nullable(),
  }),
);
export type ScimJob = Infer<typeof scimJobSchema>;

export const scimJobRowSchema = withZod((z) =>
  z.strictObject({
    id: uuidSchema(),
    organization_id: z.string(),
    /** Decided when it was started. */
    fails: z.boolean(),
    job: scimJobSchema(),
  }),
);
export type ScimJobRow = Infer<typeof scimJobRowSchema>;
