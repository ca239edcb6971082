import { description, instructions, model, nameSchema, STATUSES } from './intern.js';
import { matchesSchema } from './match.js';
import { scimGroupSchema, scimMappingSchema } from './scim.js';
import { hostSchema, secretNameSchema } from './vault.js';
import { type Infer, withZod } from './with-zod.js';

/** It goes into a header: a space or a letter beyond ASCII could never be sent. */
const credential = withZod((z) =>
  z.string().regex(/^[\x21-\x7e]{8,}$/, 'expected at least 8 visible ASCII characters'),
);
/** A UUID; upper case, which some tools print, becomes lower case as everywhere here. */
const uuid = withZod((z) => z.uuid().toLowerCase());

/** A person of a workspace. All credentials of the person are one caller (AUTH-2). */
export const memberSchema = withZod((z) =>
  z.strictObject({
    id: z.string().min(1),
    name: z.string(),
    workspace_id: uuid(),
    /** Outside the interns programme every path under `/interns` is 404 (AUTH-5). */
    programme: z.boolean().default(true),
    /** It goes into a header of every proof: visible ASCII without a comma, which joins repeated headers. */
    oauth_subject: z
      .string()
      .regex(/^[\x21-\x2b\x2d-\x7e]{1,255}$/, 'expected 1 to 255 visible ASCII characters, no comma'),
    api_key: credential(),
    /** Grant with `vault:read`. */
    oauth_token: credential(),
    oauth_interns_only_token: credential(),
  }),
);
export type Member = Infer<typeof memberSchema>;

/** A SCIM group; the organization is the one that it is listed in. */
const seedGroupSchema = withZod(() => scimGroupSchema().omit({ organization_id: true }));

/** An organization with nobody in it: its own directory, which the first one's key does not see. */
const seedOrganizationSchema = withZod((z) =>
  z.strictObject({
    id: z.string().min(1),
    name: z.string(),
    workspaces: z.array(z.strictObject({ id: uuid(), name: z.string() })),
    management_key: credential(),
    scim_groups: z.array(seedGroupSchema()).default([]),
    scim_group_mappings: z.array(scimMappingSchema()).default([]),
  }),
);

/** A secret that is there from the start, in the vault of a workspace or of an intern. */
const seedSecretSchema = withZod((z) =>
  z
    .strictObject({
      workspace_id: uuid().optional(),
      intern_id: uuid().optional(),
      name: secretNameSchema(),
      value: z.string().min(1).max(65_536).optional(),
      hosts: z.array(hostSchema()).min(1).max(100).nullable(),
    })
    .refine((secret) => (secret.workspace_id === undefined) !== (secret.intern_id === undefined), {
      message: 'expected workspace_id or intern_id, one of the two',
    })
    .refine((secret) => (secret.value === undefined) === (secret.hosts === null), {
      path: ['value'],
      message: 'expected a value exactly where there are hosts: without any it can be released to nobody',
    }),
);

/** An intern that exists from the start. */
export const seedInternSchema = withZod((z) =>
  z.strictObject({
    id: uuid(),
    name: nameSchema(),
    /** Id of the member it belongs to; it lives in that member's workspace. */
    creator: z.string(),
    status: z.enum(STATUSES).default('running'),
    /** Why it failed, if it is `failed` or `destroy_failed`. */
    last_failure_message: z.string().nullable().default(null),
    description: description().nullable().default(null),
    instructions: instructions().nullable().default(null),
    model: model().nullable().default(null),
    vault_id: uuid(),
    api_key: credential(),
  }),
);

/**
 * The world an emulator starts from. The target descriptor takes the first member as the caller, the next one of the
 * same workspace as its peer, the first of another workspace as the foreigner, the first outside the programme as the
 * outsider, and the first intern and mapping.
 */
export const seedSchema = withZod((z) =>
  z
    .strictObject({
      $schema: z.string().optional(),
      organization: z.strictObject({ id: z.string().min(1), name: z.string() }),
      workspaces: z.array(z.strictObject({ id: uuid(), name: z.string() })).min(1),
      members: z.array(memberSchema()).min(1),
      management_key: credential(),
      scim_groups: z.array(seedGroupSchema()).default([]),
      scim_group_mappings: z.array(scimMappingSchema()),
      interns: z.array(seedInternSchema()),
      secrets: z.array(seedSecretSchema()).default([]),
      /** Scripts that are chosen by what a prompt says; a start and a reset begin with them. */
      matches: matchesSchema().default([]),
      other_organizations: z.array(seedOrganizationSchema()).default([]),
    })
    .superRefine((seed, context) => {
      const workspaces = new Set(seed.workspaces.map((workspace) => workspace.id));
      const members = new Set(seed.members.map((member) => member.id));
      for (const [index, member] of seed.members.entries())
        if (!workspaces.has(member.workspace_id))
          context.addIssue({ code: 'custom', path: ['members', index, 'workspace_id'], message: 'no such workspace' });
      for (const [index, intern] of seed.interns.entries())
        if (!members.has(intern.creator))
          context.addIssue({ code: 'custom', path: ['interns', index, 'creator'], message: 'no such member' });
      for (const [index, { status, last_failure_message }] of seed.interns.entries())
        if (last_failure_message !== null && status !== 'failed' && status !== 'destroy_failed')
          context.addIssue({
            code: 'custom',
            path: ['interns', index, 'last_failure_message'],
            message: `expected none for status ${status}: only failed and destroy_failed have one`,
          });
      const interns = new Set(seed.interns.map((intern) => intern.id));
      for (const [index, { workspace_id, intern_id }] of seed.secrets.entries()) {
        const at = (key: string) => ['secrets', index, key];
        if (workspace_id !== undefined && !workspaces.has(workspace_id))
          context.addIssue({ code: 'custom', path: at('workspace_id'), message: 'no such workspace' });
        if (intern_id !== undefined && !interns.has(intern_id))
          context.addIssue({ code: 'custom', path: at('intern_id'), message: 'no such intern' });
      }
      const mappingsOf = (organization: string, mappings: typeof seed.scim_group_mappings, path: PropertyKey[]) => {
        for (const [index, { organization_id }] of mappings.entries())
          if (organization_id !== organization)
            context.addIssue({
              code: 'custom',
              path: [...path, 'scim_group_mappings', index, 'organization_id'],
              message: `expected ${JSON.stringify(organization)}, the organization that it is listed in`,
            });
      };
      mappingsOf(seed.organization.id, seed.scim_group_mappings, []);
      for (const [index, { id, scim_group_mappings }] of seed.other_organizations.entries())
        mappingsOf(id, scim_group_mappings, ['other_organizations', index]);
      const unique = (values: readonly string[], path: (index: number) => (string | number)[], what: string) => {
        const known = new Set<string>();
        for (const [index, value] of values.entries()) {
          if (known.has(value))
            context.addIssue({ code: 'custom', path: path(index), message: `this ${what} is used twice` });
          known.add(value);
        }
      };
      for (const rows of ['workspaces', 'members', 'interns', 'scim_group_mappings', 'scim_groups'] as const)
        unique(
          seed[rows].map(({ id }) => id),
          (index) => [rows, index, 'id'],
          'id',
        );
      for (const rows of ['workspaces', 'scim_group_mappings', 'scim_groups'] as const)
        unique(
          [seed, ...seed.other_organizations].flatMap((one) => one[rows].map(({ id }) => id)),
          () => ['other_organizations'],
          `id in ${rows}`,
        );
      unique(
        [seed.organization, ...seed.other_organizations].map(({ id }) => id),
        (index) => (index === 0 ? ['organization', 'id'] : ['other_organizations', index - 1, 'id']),
        'id',
      );
      unique(
        seed.secrets.map(({ workspace_id, intern_id, name }) => `${workspace_id ?? intern_id} ${name}`),
        (index) => ['secrets', index, 'name'],
        'name of one vault',
      );
      unique(
        seed.interns.map(({ creator, name }) => `${creator} ${name}`),
        (index) => ['interns', index, 'name'],
        'name of one creator',
      );
      unique(
        seed.interns.map((intern) => intern.vault_id),
        (index) => ['interns', index, 'vault_id'],
        'vault',
      );
      unique(
        seed.members.map((member) => member.oauth_subject),
        (index) => ['members', index, 'oauth_subject'],
        'subject',
      );
      const seen = new Set<string>();
      const once = (value: string, path: (string | number)[]) => {
        if (seen.has(value)) context.addIssue({ code: 'custom', path, message: 'this credential is used twice' });
        seen.add(value);
      };
      once(seed.management_key, ['management_key']);
      for (const [index, { management_key }] of seed.other_organizations.entries())
        once(management_key, ['other_organizations', index, 'management_key']);
      for (const [index, member] of seed.members.entries())
        for (const key of ['api_key', 'oauth_token', 'oauth_interns_only_token'] as const)
          once(member[key], ['members', index, key]);
      for (const [index, intern] of seed.interns.entries()) once(intern.api_key, ['interns', index, 'api_key']);
    }),
);
export type Seed = Infer<typeof seedSchema>;
