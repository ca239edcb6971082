import { removeIntern } from '../safety/cleanup.js';
import type { Made } from '../safety/ledger.js';
import type { Attempt } from './attempt.js';
import { forget, kept } from './pool.js';
import type { RunContext } from './run-context.js';

/** What a service may answer to a create for which it has no room. */
const REFUSED = new Set([402, 403, 409, 422, 429]);
/** Looks at an intern that is torn down, and ms in between: longer teardowns are not waited for. */
const LOOKS = 30;
const APART = 1_000;

/** Takes these interns away, and waits until they are gone. */
async function takeAway({ host, ledger, session, signal }: RunContext, made: readonly Made[]): Promise<void> {
  for (const one of made.filter(({ deleting }) => deleting !== true)) {
    const failed = await removeIntern((send) => session.running.send(send), one);
    if (failed === undefined) ledger.write({ event: 'deleting', id: one.id });
  }
  for (const { id, as } of made) {
    for (let look = 0; look < LOOKS; look++) {
      const { status } = await session.running.send({ path: `/interns/${encodeURIComponent(id)}`, as });
      if (status === 404) ledger.write({ event: 'gone', id });
      if (status === 404) break;
      await host.sleep(APART, signal);
    }
  }
}

/** Where a deployment takes no more than a few interns: what no check needs any more is taken away before the next. */
export async function makeRoom(run: RunContext, more: { readonly shared: boolean }): Promise<void> {
  const { lane, ledger, pool, session } = run;
  forget(pool, more.shared ? undefined : lane);
  const keep = kept(pool);
  const gone = ledger.open().filter(({ id }) => !keep.has(id));
  await takeAway(run, gone);
  for (const { id } of gone) session.made.delete(id);
  lane.made.clear();
  pool.idle.clear();
}

/** Whether a create was refused in a way that a deployment may choose which has no room for another. */
export function mayLackRoom({ driver }: RunContext, { transcript }: Attempt): boolean {
  const collection = `${driver.target.baseUrl}/interns`;
  return transcript.some(
    ({ request, response }) =>
      request.method === 'POST' && request.url === collection && response !== undefined && REFUSED.has(response.status),
  );
}

/**
 * Whether a create was refused because the deployment takes no further intern, which no sentence forbids: then so is one that
 * asks for nothing but a name, as others did that were taken. Makes room, as far as it is the run that fills it.
 */
export async function noRoom(run: RunContext, tried: Attempt): Promise<string | undefined> {
  const { driver, obstacles, pool, session } = run;
  if (!mayLackRoom(run, tried) || session.created() === 0) return undefined;
  const name = `${session.prefix}${(++pool.count).toString(36)}`;
  const json = { name, workspace_id: driver.target.workspaceId };
  const answer = await session.running.send({ method: 'POST', path: '/interns', json });
  if (answer.status < 400 || answer.status >= 500) return undefined;
  const told = `${answer.status} ${answer.text.slice(0, 200)}`;
  session.full = told;
  obstacles.gone('create');
  await makeRoom(run, { shared: true });
  return `the target takes no further intern while the run has so many (${told})`;
}
