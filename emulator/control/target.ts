import type { Seed } from '../contract/seed.js';
import type { PublicJwk } from '../contract/signing.js';
import type { Target } from '../contract/target.js';

/** The part of a target that the seed decides: who is the caller, its peer, the foreigner and the outsider. */
export function seededTarget(
  seed: Seed,
): Omit<
  Target,
  'base_url' | 'control_url' | 'daemon_origin' | 'ca_file' | 'profile' | 'default_workspace' | 'clock' | 'public_keys'
> {
  const insiders = seed.members.filter((member) => member.programme);
  const caller = insiders[0] ?? seed.members[0];
  if (!caller) throw new RangeError('a seed needs a member');
  const peer = insiders.find((member) => member !== caller && member.workspace_id === caller.workspace_id);
  const foreign = insiders.find((member) => member.workspace_id !== caller.workspace_id);
  const outsider = seed.members.find((member) => !member.programme);
  const foreignWorkspace = seed.workspaces.find((workspace) => workspace.id !== caller.workspace_id);
  const intern = seed.interns.find((candidate) => candidate.creator === caller.id);
  const mapping = seed.scim_group_mappings[0];
  const group = seed.scim_groups[0];
  const other = seed.other_organizations[0];
  return {
    workspace_id: caller.workspace_id,
    ...(foreignWorkspace && { foreign_workspace_id: foreignWorkspace.id }),
    oauth_subject: caller.oauth_subject,
    ...(peer && { peer_oauth_subject: peer.oauth_subject }),
    ...(mapping && { scim_mapping_id: mapping.id }),
    ...(group && { scim_group_id: group.id }),
    ...(other?.workspaces[0] && { foreign_organization_workspace_id: other.workspaces[0].id }),
    ...(other?.scim_groups[0] && { foreign_scim_group_id: other.scim_groups[0].id }),
    ...(other?.scim_group_mappings[0] && { foreign_scim_mapping_id: other.scim_group_mappings[0].id }),
    credentials: {
      api_key: caller.api_key,
      ...(peer && { peer_api_key: peer.api_key }),
      ...(foreign && { foreign_api_key: foreign.api_key }),
      ...(outsider && { outsider_api_key: outsider.api_key }),
      management_key: seed.management_key,
      ...(other && { foreign_management_key: other.management_key }),
      oauth_token: caller.oauth_token,
      oauth_interns_only_token: caller.oauth_interns_only_token,
      ...(peer && { peer_oauth_token: peer.oauth_token }),
      ...(intern && { intern: { id: intern.id, api_key: intern.api_key } }),
    },
  };
}

/**
 * A target whose addresses are read each time, because they are known only once it listens. So are its keys, which take
 * time to make.
 */
export function createTarget(
  addresses: () => Pick<Target, 'base_url' | 'control_url' | 'daemon_origin' | 'ca_file'>,
  publicKeys: () => PublicJwk[],
  fixed: Pick<Target, 'profile' | 'default_workspace' | 'clock'>,
  seed: Seed,
): Target {
  return {
    get base_url() {
      return addresses().base_url;
    },
    get control_url() {
      return addresses().control_url;
    },
    get daemon_origin() {
      return addresses().daemon_origin;
    },
    get ca_file() {
      return addresses().ca_file;
    },
    ...fixed,
    get public_keys() {
      return publicKeys();
    },
    ...seededTarget(seed),
  };
}
