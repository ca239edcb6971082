import type { Clock } from '../clock/clock.js';
import type { Random } from '../clock/random.js';
import type { Scope } from '../clock/scope.js';
import { Refusal } from '../contract/errors.js';
import type { CreateMappingBody, ScimGroup, ScimJob, ScimJobRow, ScimMapping } from '../contract/scim.js';
import type { Seed } from '../contract/seed.js';
import type { Settings } from '../contract/settings.js';
import type { Store } from '../store/store.js';

export interface DirectoryDeps {
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly seed: Pick<Seed, 'organization' | 'workspaces' | 'scim_groups' | 'other_organizations'>;
  readonly store: Pick<Store, 'collection' | 'commit'>;
  readonly settings: () => Pick<Settings, 'scim_sync'>;
  /** Called when a job that must fail starts: the next one must not fail. */
  readonly failureUsed: () => void;
  /** The scope of the present state: jobs end with it. */
  scope(): Scope;
}

/** How long a job is queued, and then runs, in ms. */
const STAGE = 1_000;
export const SYNC_FAILED = 'The directory could not be read';

const byAge = (a: { created_at: string }, b: { created_at: string }) =>
  a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0;
const underWay = ({ job }: ScimJobRow) => job.status === 'queued' || job.status === 'running';

export function createDirectory(deps: DirectoryDeps) {
  const { clock, random, seed, store, settings } = deps;
  const mappings = store.collection('scim_mappings');
  const jobs = store.collection('scim_jobs');
  const organizations = new Map(
    [
      { ...seed.organization, workspaces: seed.workspaces, scim_groups: seed.scim_groups },
      ...seed.other_organizations,
    ].map(({ id, workspaces, scim_groups }) => {
      const groups: ScimGroup[] = scim_groups.map((group) => ({ ...group, organization_id: id })).sort(byAge);
      return [id, { groups, workspaces: new Set(workspaces.map((workspace) => workspace.id)) }];
    }),
  );

  const iso = () => new Date(clock.now()).toISOString();
  const touch = (mapping: ScimMapping, change: Partial<ScimMapping> = {}): ScimMapping => {
    const at = Math.max(clock.now(), Date.parse(mapping.updated_at) + 1);
    const touched = { ...mapping, ...change, updated_at: new Date(at).toISOString() };
    mappings.put(touched);
    return touched;
  };
  const groupsOf = (organization: string) => organizations.get(organization)?.groups ?? [];
  const ofOrganization = (organization: string) =>
    [...mappings.values()].filter((mapping) => mapping.organization_id === organization);

  const put = (row: ScimJobRow, change: Partial<ScimJob>) => {
    const next = { ...row, job: { ...row.job, ...change } };
    jobs.put(next);
    return next;
  };
  /** Advances a job at its due times until it ends. */
  const follow = (id: string) => {
    const scope = deps.scope().child();
    const timer = clock.timer(
      STAGE,
      () => {
        void scope.dispose();
        const row = jobs.get(id);
        if (!row || !underWay(row)) return;
        if (row.job.status === 'queued') {
          put(row, { status: 'running', started_at: iso() });
          follow(id);
        } else if (row.fails) put(row, { status: 'failed', finished_at: iso(), error_message: SYNC_FAILED });
        else {
          const synced = groupsOf(row.organization_id).length;
          put(row, { status: 'succeeded', finished_at: iso(), synced_groups: synced, deleted_groups: 0 });
        }
        // The store reports a failure; the next commit brings the change along.
        store.commit({ keep: true }).catch(() => {});
      },
      'work',
    );
    scope.defer(timer.cancel);
  };

  return {
    // Rows are in the order of their creation. A stable sort keeps that order among equal times.
    /** Oldest first. */
    mappings: (organization: string): ScimMapping[] => ofOrganization(organization).sort(byAge),
    mapping(organization: string, id: string): ScimMapping {
      const mapping = mappings.get(id.toLowerCase());
      if (mapping?.organization_id !== organization) throw new Refusal('scim_not_found');
      return mapping;
    },
    /** Throws the 404 of a group or workspace that is not the organization's. */
    authorizeMapping(organization: string, { scim_group_id, workspace_id }: CreateMappingBody): void {
      const unknown = (field: string, message: string) =>
        new Refusal('scim_not_found', { wrong: message, fields: [{ path: [field], message }] });
      if (!groupsOf(organization).some(({ id }) => id === scim_group_id))
        throw unknown('scim_group_id', `the organization has no group ${scim_group_id}`);
      if (!organizations.get(organization)?.workspaces.has(workspace_id))
        throw unknown('workspace_id', `the organization has no workspace ${workspace_id}`);
    },
    /** Throws 409 if the mapping exists with another role; with the same role it returns that mapping. */
    createMapping(organization: string, body: CreateMappingBody): ScimMapping {
      const known = ofOrganization(organization).find(
        (one) => one.scim_group_id === body.scim_group_id && one.workspace_id === body.workspace_id,
      );
      if (known && known.role !== body.role)
        throw new Refusal('scim_mapping_conflict', { detail: `mapping ${known.id} has the role ${known.role}` });
      if (known) return touch(known);
      const at = iso();
      const mapping = { id: random.uuid(), ...body, organization_id: organization, created_at: at, updated_at: at };
      mappings.put(mapping);
      return mapping;
    },
    updateMapping: (mapping: ScimMapping, role: ScimMapping['role']): ScimMapping => touch(mapping, { role }),
    deleteMapping: ({ id }: ScimMapping): void => void mappings.delete(id),
    /** Oldest first. */
    groups: groupsOf,
    /** Starts a job, or returns the one that is in progress. */
    startJob(organization: string): ScimJob {
      const going = [...jobs.values()].find((row) => row.organization_id === organization && underWay(row));
      if (going) return going.job;
      const fails = settings().scim_sync === 'fails';
      const id = random.uuid();
      const job: ScimJob = {
        id,
        status: 'queued',
        created_at: iso(),
        started_at: null,
        finished_at: null,
        synced_groups: null,
        deleted_groups: null,
        error_message: null,
      };
      jobs.put({ id, organization_id: organization, fails, job });
      if (fails) deps.failureUsed();
      follow(id);
      return job;
    },
    job(organization: string, id: string): ScimJob {
      const row = jobs.get(id.toLowerCase());
      if (row?.organization_id !== organization) throw new Refusal('scim_not_found');
      return row.job;
    },
    /** Resumes the jobs that a stopped process or an imported state left in progress. */
    resume(): void {
      for (const row of [...jobs.values()]) if (underWay(row)) follow(row.id);
    },
  };
}

/**
 * The directory of each organization: groups, their mappings, and the jobs that synchronize it (SCIM-1 to SCIM-7). What
 * belongs to another organization is 404. Nobody is in a group here, so mappings grant nothing.
 */
export type Directory = ReturnType<typeof createDirectory>;
