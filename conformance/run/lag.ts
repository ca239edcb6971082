import type { Attempt } from './attempt.js';
import type { RunContext } from './run-context.js';

/** Longest wait for what was written to be read, in ms, and how long reads are given then: some replicas are slower. */
const LONGEST = 10_000;
const given = (ms: number) => 1.5 * ms + 300;
/** Looks in a row at which something has to show: one replica may have it before another that answers next. */
const SURE = 6;

/**
 * Whether the reads of a deployment lag behind what is written, of one intern or of all: no sentence says that they show it
 * at once. Looked at once, when a check that read has found something; from then on a read waits that long after a write.
 */
export async function readsLag(run: RunContext, { transcript }: Attempt): Promise<boolean> {
  const { driver, host, lane, pool, session, settings } = run;
  const collection = `${driver.target.baseUrl}/interns`;
  const reads = transcript.some(
    ({ request: { method, url } }) =>
      method === 'GET' && /^(\/[^/]+)?$/.test((url.split('?')[0] ?? '').replace(collection, '')),
  );
  if (!reads || driver.control !== undefined || settings.readOnly || session.lag !== undefined) return false;
  session.lag = { list: 0, read: 0 };
  const { running: client } = session;
  const name = `${session.prefix}${(++pool.count).toString(36)}`;
  const json = { name, workspace_id: driver.target.workspaceId };
  const made = await client.send({ method: 'POST', path: '/interns', json });
  const { id } = (made.json ?? {}) as { id?: string };
  if (made.status >= 300 || id === undefined) return false;
  lane.made.add(id);

  /** ms until something shows and goes on to; 0 where it does from the first look on, undefined where it never does. */
  const until = async (shows: () => Promise<boolean>): Promise<number | undefined> => {
    const began = host.now();
    let since = 0;
    for (let row = 0; ; ) {
      row = (await shows()) ? row + 1 : 0;
      if (row === SURE) return since;
      if (row === 0 && since > LONGEST) return undefined;
      await host.sleep(100, run.signal);
      if (row === 0) since = host.now() - began;
    }
  };
  const listed = await until(async () => {
    const { data } = ((await client.send({ path: '/interns' })).json ?? {}) as { data?: { name?: unknown }[] };
    return Array.isArray(data) && data.some((one) => one.name === name);
  });
  const read = async () => ((await client.send({ path: `/interns/${id}` })).json ?? {}) as { description?: unknown };
  const path = `/interns/${id}`;
  const marks = ['one', 'two'];
  let late: number | undefined = 0;
  for (const description of marks) {
    const changed = await client.send({ method: 'PATCH', path, json: { description } });
    if (changed.status >= 300) continue;
    const took = await until(async () => (await read()).description === description);
    if (took === undefined) {
      late = undefined;
      break;
    }
    late = Math.max(late, took);
  }
  // What never shows is no lag.
  const lag = { list: listed ? given(listed) : 0, read: late ? given(late) : 0 };
  session.lag = lag;
  return lag.list > 0 || lag.read > 0;
}
