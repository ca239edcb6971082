import { publicJwkSchema } from './signing.js';
import { type Infer, withZod } from './with-zod.js';

export const targetSchema = withZod((z) => {
  const text = z.string();
  const some = text.exactOptional();
  return z.strictObject({
    base_url: text,
    control_url: text,
    daemon_origin: text,
    /** With TLS: the PEM file of the authority that clients must trust. */
    ca_file: text.optional(),
    profile: text,
    /** Whether a create may leave out its workspace (CREATE-1). */
    default_workspace: z.boolean(),
    workspace_id: text,
    foreign_workspace_id: some,
    oauth_subject: text,
    peer_oauth_subject: some,
    clock: z.enum(['real', 'virtual']),
    public_keys: z.array(publicJwkSchema()),
    scim_mapping_id: some,
    scim_group_id: some,
    /** Of another organization: its workspace, group and mapping do not exist for `management_key`. */
    foreign_organization_workspace_id: some,
    foreign_scim_group_id: some,
    foreign_scim_mapping_id: some,
    credentials: z.strictObject({
      api_key: text,
      peer_api_key: some,
      foreign_api_key: some,
      outsider_api_key: some,
      management_key: text,
      foreign_management_key: some,
      oauth_token: text,
      oauth_interns_only_token: text,
      peer_oauth_token: some,
      intern: z.strictObject({ id: text, api_key: text }).exactOptional(),
    }),
  });
});
/**
 * Addresses, credentials and ids for a client or a conformance kit: `GET /_emulator/target`, `--json`, and
 * `emulator.target`. People a seed does not have are left out.
 */
export interface Target extends Infer<typeof targetSchema> {}
