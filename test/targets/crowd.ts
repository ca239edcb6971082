import type { Host } from '../../conformance/probe/time.js';
import type { Emulator } from '../../emulator/index.js';

/** The acts of others meanwhile, with interns of theirs. */
const ACTS = ['create', 'create', 'provision', 'suspend', 'update', 'delete', 'list'] as const;

/** Other people at work in the same workspace, until the signal aborts. */
export async function crowd(emulator: Emulator, host: Host, random: () => number, signal: AbortSignal): Promise<void> {
  const { base_url, workspace_id, credentials } = emulator.target as unknown as {
    base_url: string;
    workspace_id: string;
    credentials: Record<'api_key' | 'peer_api_key', string>;
  };
  const theirs: string[] = [];
  let count = 0;
  const send = async (method: string, path: string, body?: unknown) => {
    const key = random() < 0.5 ? credentials.api_key : credentials.peer_api_key;
    const response = await emulator.fetch(
      new Request(`${base_url}/interns${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    return (await response.json()) as { id?: string };
  };
  while (!signal.aborted) {
    await host.sleep(60, signal).catch(() => {});
    const act = ACTS[Math.floor(random() * ACTS.length)];
    const id = theirs[Math.floor(random() * theirs.length)];
    if (act === 'create' && theirs.length < 12) {
      const made = await send('POST', '', { name: `crowd-${++count}`, workspace_id, provision: random() < 0.5 });
      if (made.id !== undefined) theirs.push(made.id);
    } else if (act === 'list') await send('GET', '');
    else if (id !== undefined && act === 'update') await send('PATCH', `/${id}`, { description: `changed ${++count}` });
    else if (id !== undefined && act === 'delete') {
      await send('DELETE', `/${id}`);
      theirs.splice(theirs.indexOf(id), 1);
    } else if (id !== undefined && act !== 'create') await send('POST', `/${id}/${act}`);
  }
}
