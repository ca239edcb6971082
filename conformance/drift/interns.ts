import type { Driver } from '../drivers/driver.js';
import type { Host } from '../framework/time.js';
import type { Likeness, PriorStatus } from './before.js';

/** Interns of the target that stand for those which a recording did not create. */
export interface Interns {
  /** The target's own, one that runs, or one that is made. */
  running(): Promise<string>;
  /** Ids of interns like those that a recording shows, newest first: there already, else made. */
  like(likenesses: readonly Likeness[]): Promise<string[]>;
}

interface InternDeps {
  readonly driver: Driver;
  readonly host: Host;
  /** ms. */
  readonly bootTimeout: number;
  readonly signal: AbortSignal;
}

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

/** How an emulator's intern that was just created comes to a status. */
const WAYS: Partial<Record<PriorStatus, { readonly script: string; readonly method: string; readonly path: string }>> =
  {
    failed: { script: 'boot-fails', method: 'POST', path: '/provision' },
    destroy_failed: { script: 'teardown-fails', method: 'DELETE', path: '' },
  };

/** @param made takes the ids of what was made */
export function createInternFinder({ driver, host, bootTimeout, signal }: InternDeps, made: Set<string>): Interns {
  const { baseUrl, ownInternId, workspaceId } = driver.target;
  const key = driver.credential('api_key') ?? '';
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const init = { method, headers, signal, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await driver.fetch(new Request(`${baseUrl}${path}`, init));
    return {
      status: answer.status,
      body: (await answer.json().catch(() => undefined)) as Record<string, unknown> | undefined,
    };
  };
  const listed = async (query: string) => ((await call('GET', `/interns?${query}`)).body?.data ?? []) as Shown[];

  const make = async ({ name, status: wanted }: Likeness): Promise<string> => {
    const create = (as: string) =>
      call('POST', '/interns', {
        name: as,
        workspace_id: workspaceId,
        ...(wanted === 'running' && { provision: true }),
      });
    let { status, body } = await create(name ?? `drift-${host.tag(8)}`);
    if (status === 409 && name !== undefined) ({ status, body } = await create(`drift-${host.tag(8)}`));
    if (status !== 201 || typeof body?.id !== 'string') throw new Error(`an intern could not be made: ${status}`);
    made.add(body.id);
    return body.id;
  };

  const reached = async (id: string, status: PriorStatus) => {
    for (let waited = 0; waited < bootTimeout; waited += 500) {
      if ((await call('GET', `/interns/${id}`)).body?.status === status) return;
      if (driver.clock) await driver.clock.advance(500);
      else await host.sleep(500, signal);
    }
    throw new Error(`an intern that was made is not ${status} after ${bootTimeout} ms`);
  };

  /** Has an intern that was made come to a status that only a script leads to. What it does afterwards is its own again. */
  const lead = async (id: string, status: PriorStatus) => {
    const way = WAYS[status];
    if (way === undefined || driver.control === undefined) return;
    await driver.control.useScript(id, way.script);
    await call(way.method, `/interns/${id}${way.path}`);
    await reached(id, status);
    await driver.control.useScript(id, null);
  };

  let taken = false;
  return {
    async running() {
      if (!taken) {
        taken = true;
        if (ownInternId !== undefined) return ownInternId;
        const [first] = await listed('status=running');
        if (first) return first.id;
      }
      const id = await make({ status: 'running' });
      await reached(id, 'running');
      return id;
    },
    async like(likenesses) {
      const there = await listed('limit=500');
      const ids: string[] = [];
      const boots: string[] = [];
      // Lists are newest first.
      for (const likeness of [...likenesses].reverse()) {
        const { name, status } = likeness;
        const same = there.find((one) => one.name === name && one.status === status);
        const id = same?.id ?? (await make(likeness));
        if (!same && status === 'running') boots.push(id);
        if (!same) await lead(id, status);
        ids.unshift(id);
      }
      for (const id of boots) await reached(id, 'running');
      return ids;
    },
  };
}
