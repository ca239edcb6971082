import type { Attempt } from './attempt.js';
import type { RunContext } from './run-context.js';

/** ms within which a new intern has to be listed before lists count as late. */
const AT_ONCE = 150;
/** Longest wait for a new intern to be listed, in ms, and how long lists are given then: what leaves one may take longer. */
const LONGEST = 10_000;
const given = (ms: number) => 1.5 * ms + 300;

/**
 * Whether the lists of a deployment lag behind what is written: no sentence says that they show it at once. Looked at once,
 * when a check that read a list has found something; from then on lists are read that much later.
 */
export async function listsLag(run: RunContext, { transcript }: Attempt): Promise<boolean> {
  const { driver, host, pool, session, settings } = run;
  const collection = `${driver.target.baseUrl}/interns`;
  const reads = transcript.some(({ request: { method, url } }) => method === 'GET' && url.split('?')[0] === collection);
  if (!reads || driver.control !== undefined || settings.readOnly || session.listLag !== undefined) return false;
  session.listLag = 0;
  const { running: client } = session;
  const name = `${session.prefix}${(++pool.count).toString(36)}`;
  const json = { name, workspace_id: driver.target.workspaceId };
  const made = await client.send({ method: 'POST', path: '/interns', json });
  if (made.status >= 300) return false;
  const began = host.now();
  const listed = async () => {
    const { json: list } = await client.send({ path: '/interns' });
    const { data } = (list ?? {}) as { data?: { name?: unknown }[] };
    return Array.isArray(data) && data.some((one) => one.name === name);
  };
  while (!(await listed())) {
    if (host.now() - began > LONGEST) return false;
    await host.sleep(100, run.signal);
  }
  const took = host.now() - began;
  if (took > AT_ONCE) session.listLag = given(took);
  return session.listLag > 0;
}
