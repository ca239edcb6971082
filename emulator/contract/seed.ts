import { description, instructions, model, nameSchema, STATUSES } from './intern.js';
import { matchesSchema } from './match.js';
import { scimGroupSchema, scimMappingSchema, uuidSchema } from './scim.js';
import { hostSchema, secretNameSchema } from './vault.js';
import { type Infer, withZod } from './with-zod.js';

/** It goes into a header: a space or a letter beyond ASCII could never be sent. */
const credential = withZod((z) =>
  z.string().regex(/^[\x21-\x7e]{8,}$/, 'expected at least 8 visible ASCII characters'),
);

/** A person of a workspace. All credentials of the person are one caller (AUTH-2). */
export const memberSchema = withZod((z) =>
  z.strictObject({
    id: z.string().min(1),
    name: z.string(),
    workspace_id: uuidSchema(),
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
    workspaces: z.array(z.strictObject({ id: uuidSchema(), name: z.string() })),
    management_key: credential(),
    scim_groups: z.array(seedGroupSchema()).default([]),
    scim_group_mappings: z.array(scimMappingSchema()).default([]),
  }),
);

/** A secret that is there from the start, in the vault of a workspace or of an intern. */
const seedSecretSchema = withZod((z) =>
  z
    .strictObject({
      workspace_id: uuidSchema().optional(),
      intern_id: uuidSchema().optional(),
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

export const seedInternSchema = withZod((z) =>
  z.strictObject({
    id: uuidSchema(),
    name: nameSchema(),
    /** Id of the member it belongs to; it lives in that member's workspace. */
    creator: z.string(),
    status: z.enum(STATUSES).default('running'),
    /** Why it failed, if it is `failed` or `destroy_failed`. */
    last_failure_message: z.string().nullable().default(null),
    description: description().nullable().default(null),
    instructions: instructions().nullable().default(null),
    model: model().nullable().default(null),
    vault_id: uuidSchema(),
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
      workspaces: z.array(z.strictObject({ id: uuidSchema(), name: z.string() })).min(1),
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
      const issue = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message });
      const idsOf = (rows: readonly { id: string }[]) => new Set(rows.map(({ id }) => id));
      const [workspaces, members, interns] = [idsOf(seed.workspaces), idsOf(seed.members), idsOf(seed.interns)];
      const organizations = [
        { ...seed, id: seed.organization.id, path: [], idPath: ['organization', 'id'] },
        ...seed.other_organizations.map((one, index) => {
          const path = ['other_organizations', index];
          return { ...one, path, idPath: [...path, 'id'] };
        }),
      ];
      for (const [index, { workspace_id }] of seed.members.entries())
        if (!workspaces.has(workspace_id)) issue(['members', index, 'workspace_id'], 'no such workspace');
      for (const [index, { creator, status, last_failure_message }] of seed.interns.entries()) {
        if (!members.has(creator)) issue(['interns', index, 'creator'], 'no such member');
        if (last_failure_message !== null && status !== 'failed' && status !== 'destroy_failed')
          issue(
            ['interns', index, 'last_failure_message'],
            `expected none for status ${status}: only failed and destroy_failed have one`,
          );
      }
      for (const [index, { workspace_id, intern_id }] of seed.secrets.entries()) {
        if (workspace_id !== undefined && !workspaces.has(workspace_id))
          issue(['secrets', index, 'workspace_id'], 'no such workspace');
        if (intern_id !== undefined && !interns.has(intern_id))
          issue(['secrets', index, 'intern_id'], 'no such intern');
      }
      for (const { id, scim_group_mappings, path } of organizations)
        for (const [index, { organization_id }] of scim_group_mappings.entries())
          if (organization_id !== id)
            issue(
              [...path, 'scim_group_mappings', index, 'organization_id'],
              `expected ${JSON.stringify(id)}, the organization that it is listed in`,
            );
      /** Takes values of one kind, each once. */
      const taking = (what: string) => {
        const taken = new Set<string>();
        return (value: string, path: PropertyKey[]) => {
          if (taken.has(value)) issue(path, `this ${what} is used twice`);
          taken.add(value);
        };
      };
      for (const rows of ['workspaces', 'members', 'interns', 'scim_group_mappings', 'scim_groups'] as const) {
        const takeId = taking('id');
        for (const [index, { id }] of seed[rows].entries()) takeId(id, [rows, index, 'id']);
      }
      for (const rows of ['workspaces', 'scim_group_mappings', 'scim_groups'] as const) {
        const takeId = taking(`id in ${rows}`);
        for (const one of organizations) for (const { id } of one[rows]) takeId(id, ['other_organizations']);
      }
      const takeId = taking('id');
      const takeCredential = taking('credential');
      for (const { id, management_key, path, idPath } of organizations) {
        takeId(id, idPath);
        takeCredential(management_key, [...path, 'management_key']);
      }
      const takeSecret = taking('name of one vault');
      for (const [index, { workspace_id, intern_id, name }] of seed.secrets.entries())
        takeSecret(`${workspace_id ?? intern_id} ${name}`, ['secrets', index, 'name']);
      const takeSubject = taking('subject');
      for (const [index, member] of seed.members.entries()) {
        takeSubject(member.oauth_subject, ['members', index, 'oauth_subject']);
        for (const key of ['api_key', 'oauth_token', 'oauth_interns_only_token'] as const)
          takeCredential(member[key], ['members', index, key]);
      }
      const [takeName, takeVault] = [taking('name of one creator'), taking('vault')];
      for (const [index, { creator, name, vault_id, api_key }] of seed.interns.entries()) {
        takeName(`${creator} ${name}`, ['interns', index, 'name']);
        takeVault(vault_id, ['interns', index, 'vault_id']);
        takeCredential(api_key, ['interns', index, 'api_key']);
      }
    }),
);
export type Seed = Infer<typeof seedSchema>;
