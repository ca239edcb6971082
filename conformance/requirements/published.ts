/** Words of the published client for requirements that it alone states, and the file of it that has them. */
interface Published {
  readonly quote: string;
  readonly where: string;
}

const of = (file: string, quote: string): Published => ({ quote, where: `@openrouter/sdk 1.3.19, esm/${file}` });

/** Shown with findings of what is published, as the interface's own sentences are with what is stated. */
export const PUBLISHED = {
  'SCIM-3': of('sdk/scim.d.ts', 'List SCIM group-to-workspace mappings for the organization.'),
  'SCIM-4': of(
    'sdk/scim.d.ts',
    'Creating a mapping that already exists with the same role succeeds and re-applies the mapping to the group members. Requesting a different role for an existing mapping returns 409.',
  ),
  'SCIM-5': of(
    'models/operations/deletescimgroupmapping.d.ts',
    'There is deliberately no default — omitting it returns `400` so the destructive path cannot be reached by accident.',
  ),
  'SCIM-6': of('sdk/scim.d.ts', 'List SCIM groups for the organization.'),
  'SCIM-7': of('models/scimsyncjob.d.ts', 'Current status of the sync job: queued, running, succeeded, or failed.'),
  'VAULT-1': of(
    'sdk/vault.d.ts',
    "The scope is selected by the API key: workspace routes act on the key's active workspace and intern routes act on one intern inside that workspace. There is no default workspace and no fallback to another scope. Every vault route, including reads, requires access to the Intern API programme and returns 404 outside it.",
  ),
  'VAULT-2': of(
    'sdk/vault.d.ts',
    'Responses contain names, bound hosts, fingerprints and creation times, never secret values.',
  ),
  'VAULT-3': of(
    'models/vaultsecretwriterequest.d.ts',
    'Each entry is lowercased and a trailing dot is removed, so `API.Example.com.` is stored as `api.example.com`. Schemes, ports, paths, wildcards and empty values are rejected. Duplicates after normalization are collapsed.',
  ),
  'VAULT-5': of('sdk/vault.d.ts', 'Results are ordered by name and paginated with `limit` and `offset`.'),
  'VAULT-6': of(
    'sdk/vault.d.ts',
    'Returns 204 with no body on success and 404 when the secret does not exist in the selected scope.',
  ),
  'VAULT-7': of(
    'sdk/vault.d.ts',
    'Every name must exist in the workspace scope or the request fails with 404 and nothing is copied.',
  ),
  'VAULT-8': of('sdk/vault.d.ts', 'Writes return 503 while vault writes are disabled for the caller.'),
} as const satisfies Readonly<Record<string, Published>>;

/** The published words of a requirement; undefined where nothing is quoted. */
export const publishedOf = (id: string): Published | undefined =>
  (PUBLISHED as Readonly<Record<string, Published>>)[id];
