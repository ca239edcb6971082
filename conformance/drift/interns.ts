import type { Driver } from '../drivers/driver.js';
import { blocked, lacking } from '../framework/skip.js';
import type { RecordFields } from '../model/intern.js';
import type { Client } from '../probe/client.js';
import { recordOf } from '../probe/json.js';
import { internPath } from '../probe/request.js';
import { listOf, textOf } from './events.js';
import type { Names } from './exchange.js';
import type { Likeness, PriorStatus } from './recorded-before.js';

interface InternDeps {
  readonly driver: Driver;
  /** Sends with the API key; writes to no intern that the run did not make. */
  readonly client: Pick<Client, 'send'>;
  /** Id of the intern that the answer to a create of that number gave the run. */
  madeIn(number: number): string | undefined;
  readonly names: Pick<Names, 'fresh'>;
  readonly isReadOnly: boolean;
  /** Looks again and again, until it answers true or the time for a boot is up. */
  until(look: () => Promise<boolean>): Promise<boolean>;
}

/** How an emulator's intern that was just created comes to a status that only a script leads to. */
const WAYS: Partial<Record<PriorStatus, { readonly script: string; readonly method: string; readonly below: string }>> =
  {
    failed: { script: 'boot-fails', method: 'POST', below: '/provision' },
    destroy_failed: { script: 'teardown-fails', method: 'DELETE', below: '' },
  };

const PREPARATION = 'the preparation of a recording';

/** Interns of the target that take the place of those which a recording did not create. */
export function createInternFinder(deps: InternDeps) {
  const { driver, client, madeIn, names, isReadOnly, until } = deps;
  const taken = new Set<string>();

  const create = async ({ status }: Likeness, as: string) => {
    const json = {
      name: as,
      workspace_id: driver.target.workspaceId,
      ...(status === 'running' && { provision: true }),
    };
    const { status: got, exchange } = await client.send({ method: 'POST', path: '/interns', json });
    return { status: got, id: madeIn(exchange) };
  };

  /** Waits until an intern that the run made is in a status. */
  const reached = async (id: string, status: PriorStatus): Promise<void> => {
    const isThere = async () => recordOf((await client.send({ path: internPath(id) })).json).status === status;
    if (await until(isThere)) return;
    throw blocked({ kind: 'blocked', by: PREPARATION, obstacle: 'running', seen: { kind: 'never-was', status } });
  };

  /** Has an intern that was made come to a status that only a script leads to. Afterwards the intern acts by itself again. */
  const lead = async (id: string, status: PriorStatus) => {
    const way = WAYS[status];
    if (way === undefined || driver.control === undefined) return;
    await driver.control.useScript(id, way.script);
    await client.send({ method: way.method, path: internPath(id, way.below) });
    await reached(id, status);
    await driver.control.useScript(id, null);
  };

  /** Makes an intern. Only an intern that the run made may be written to. */
  const made = async (likeness: Likeness): Promise<string> => {
    if (isReadOnly) throw lacking({ kind: 'read-only' });
    let answer = await create(likeness, likeness.name ?? names.fresh());
    // Somebody else's intern may have the name.
    if (answer.id === undefined && likeness.name !== undefined) answer = await create(likeness, names.fresh());
    if (answer.id === undefined) {
      const seen = { kind: 'create', status: answer.status } as const;
      throw blocked({ kind: 'blocked', by: PREPARATION, obstacle: 'create', seen });
    }
    await lead(answer.id, likeness.status);
    return answer.id;
  };

  return {
    made,
    reached,
    /** An existing intern that looks like it, for reads alone. Where there is none, the run makes one. */
    async found(likeness: Likeness): Promise<string> {
      const isLike = ({ name: given, status }: RecordFields) =>
        status === likeness.status && (driver.control === undefined || given === likeness.name);
      const { json } = await client.send({ path: '/interns' });
      const ids = listOf(recordOf(json).data)
        .map(recordOf)
        .filter(isLike)
        .map(({ id }) => textOf(id));
      const id = ids.find((one) => one !== '' && !taken.has(one));
      if (id === undefined) return made(likeness);
      taken.add(id);
      return id;
    },
  };
}
export type Interns = ReturnType<typeof createInternFinder>;
