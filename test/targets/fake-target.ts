import { createLiveDriver, type LiveDriverOptions } from '../../conformance/drivers/driver.js';
import type { Fetch } from '../../conformance/probe/client.js';
import type { Host } from '../../conformance/probe/time.js';
import type { Check } from '../../conformance/run/check.js';
import type { RunnerOptions } from '../../conformance/run/runner.js';
import { run } from '../../conformance/run.js';
import { PROFILES } from '../../emulator/contract/profile.js';

/** A host whose time only passes when somebody sleeps. */
export function fakeHost(): Host & { readonly slept: number[] } {
  let now = 0;
  let tags = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    async sleep(ms) {
      slept.push(ms);
      now += ms;
      await Promise.resolve();
    },
    later: () => () => {},
    turn: async () => {},
    tag: (length) => `t${(tags++).toString(36).padStart(length - 1, '0')}`,
  };
}

export interface FakeTarget {
  readonly fetch: Fetch;
  readonly interns: Map<string, { id: string; name: string; status: string; workspace_id: string }>;
  /** Method and path of every request, in order. */
  readonly log: string[];
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

/** As little of a service as the engine needs: create, list, get, delete. `first` may answer instead. */
export function fakeTarget(
  first: (request: Request) => Response | Promise<Response | undefined> | undefined = () => undefined,
): FakeTarget {
  const interns: FakeTarget['interns'] = new Map();
  const log: string[] = [];
  let count = 0;
  return {
    interns,
    log,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      log.push(`${request.method} ${pathname}`);
      const given = await first(request);
      if (given !== undefined) return given;
      const id = pathname.split('/')[4];
      if (id === undefined && request.method === 'POST') {
        const body = (await request.json()) as { name: string; workspace_id: string; provision?: boolean };
        const intern = { ...body, id: `id-${++count}`, status: body.provision === true ? 'running' : 'stopped' };
        interns.set(intern.id, intern);
        return json(201, intern);
      }
      if (id === undefined) return json(200, { data: [...interns.values()].reverse(), has_more: false });
      const intern = interns.get(id);
      if (intern === undefined) return json(404, { error: { code: 404, message: 'Intern not found' } });
      if (request.method === 'DELETE') {
        interns.delete(id);
        return json(202, { deleting: true });
      }
      return json(200, intern);
    },
  };
}

/** A live driver over a fetch, with a key that a search would find. */
export const SECRET = 'sk-secret-of-the-test-0123456789';
export function fakeDriver(fetch: Fetch, host: Host, more: Partial<LiveDriverOptions> = {}) {
  return createLiveDriver({
    baseUrl: 'https://service.test/api/v1',
    fetch,
    host,
    profile: PROFILES.svc,
    workspaceId: 'workspace',
    credentials: { api_key: SECRET },
    ...more,
  });
}

/** How checks are run at a fake target; `driver` tells more of its driver. */
interface RunAt extends Omit<Partial<RunnerOptions>, 'driver'> {
  readonly driver?: Partial<LiveDriverOptions>;
}

/** Runs checks at a target, whose time only passes when somebody sleeps. */
export const runAt = (
  { fetch }: Pick<FakeTarget, 'fetch'>,
  checks: readonly Check[],
  { host = fakeHost(), driver, ...more }: RunAt = {},
) => run({ driver: fakeDriver(fetch, host, driver), host, checks, seed: 'seed', ...more });

/** A check around a function, for tests of the engine. */
export const check = (id: string, run: Check['run'], more: Partial<Check> = {}): Check => ({
  id,
  requirement: 'GET-1',
  level: 'S',
  title: `title of ${id}`,
  needs: ['write'],
  run,
  ...more,
});
