import type { RecordedExchange } from '../../emulator/recording/format.js';
import type { Bindings } from '../../emulator/recording/template.js';
import type { Driver } from '../drivers/driver.js';
import type { RecordFields } from '../model/intern.js';
import type { Ownership } from '../model/ownership.js';
import { blocked, lacking } from '../model/skip.js';
import type { Client } from '../probe/client.js';
import { recordOf } from '../probe/json.js';
import { internPath } from '../probe/request.js';
import { listOf, textOf } from './events.js';
import type { Names } from './exchange.js';
import type { Before, Likeness, PriorStatus } from './recorded-before.js';
import { internAliasOf } from './schedule.js';
import { type Relations, scriptOf } from './script.js';

interface PrepareDeps {
  readonly driver: Driver;
  /** Sends with the API key; writes to no intern that the run did not make. */
  readonly client: Pick<Client, 'send'>;
  readonly own: Pick<Ownership, 'madeIn' | 'makerOf'>;
  readonly names: Pick<Names, 'fresh'>;
  readonly before: Before;
  readonly relations: Relations;
  readonly bindings: Bindings;
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

/** Brings the target into the state that a recording begins with. Interns take the place of those that it did not create. */
export function createPreparation(deps: PrepareDeps) {
  const { driver, client, own, names, before, relations, bindings, isReadOnly, until } = deps;
  const { control } = driver;
  /** Interns of others that stand in for recorded ones. */
  const taken = new Set<string>();
  /** Why an intern could not be made. */
  const failed = new Map<string, unknown>();

  const create = async ({ status }: Likeness, as: string) => {
    const json = {
      name: as,
      workspace_id: driver.target.workspaceId,
      ...(status === 'running' && { provision: true }),
    };
    const { status: got, exchange } = await client.send({ method: 'POST', path: '/interns', json });
    return { status: got, id: own.madeIn(exchange) };
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
    if (way === undefined || control === undefined) return;
    await control.useScript(id, way.script);
    await client.send({ method: way.method, path: internPath(id, way.below) });
    await reached(id, status);
    await control.useScript(id, null);
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

  /** An existing intern that looks like it, for reads alone. Where there is none, the run makes one. */
  const found = async (likeness: Likeness): Promise<string> => {
    const isLike = ({ name, status }: RecordFields) =>
      status === likeness.status && (control === undefined || name === likeness.name);
    const { json } = await client.send({ path: '/interns' });
    const ids = listOf(recordOf(json).data)
      .map(recordOf)
      .filter(isLike)
      .map(({ id }) => textOf(id));
    const id = ids.find((one) => one !== '' && !taken.has(one));
    if (id === undefined) return made(likeness);
    taken.add(id);
    return id;
  };

  /** For reads alone, an existing intern will do. On a deployment it may have another name than the recorded one. */
  const standIn = async (alias: string): Promise<string> => {
    const { status, name } = before.likenessOf(alias);
    const settled = control === undefined && status !== 'running' ? 'stopped' : status;
    const likeness = { status: settled, ...(control !== undefined && name !== undefined && { name }) };
    return before.isWrittenTo(alias) && !isReadOnly ? made(likeness) : found(likeness);
  };

  const isOwn = (id: string) => own.makerOf(id) !== undefined;
  const run = async (alias: string, id: string) => {
    if (isOwn(id) && before.likenessOf(alias).status === 'running') await reached(id, 'running');
  };

  /** Made before anything that the recording made itself, oldest first: lists show the newest first. */
  const first = (): string[] => {
    const listed = [...before.listed].reverse();
    const others = [...before.there].filter((alias) => !listed.includes(alias));
    const isMade = (alias: string) =>
      before.isWrittenTo(alias) || (control !== undefined && before.listed.includes(alias));
    return isReadOnly ? [] : [...others, ...listed].filter((alias) => isMade(alias) && !before.isOfOwnKey(alias));
  };

  return {
    /** Makes what the recording needs and did not create. A thing that cannot be made is reported where it is needed. */
    async first(): Promise<void> {
      const ids = new Map<string, string>();
      const attempt = async (alias: string, work: () => Promise<unknown>) => {
        await work().catch((error: unknown) => failed.set(alias, error));
      };
      for (const alias of first()) await attempt(alias, async () => ids.set(alias, await standIn(alias)));
      for (const [alias, id] of ids) {
        await attempt(alias, () => run(alias, id));
        bindings.bind(alias, id);
      }
    },

    /** The intern of a request that the recording did not create, and what it is to do. */
    async request(exchange: RecordedExchange): Promise<void> {
      const alias = internAliasOf(exchange);
      if (alias === undefined) return;
      if (failed.has(alias)) throw failed.get(alias);
      if (bindings.get(alias) === undefined && before.there.has(alias)) {
        const id = before.isOfOwnKey(alias) ? driver.target.ownInternId : await standIn(alias);
        if (id === undefined) throw lacking({ kind: 'lacks', need: 'own_key', how: 'intern-id' });
        await run(alias, id);
        bindings.bind(alias, id);
      }
      const intern = bindings.get(alias);
      const script = scriptOf(exchange, relations);
      if (control === undefined || isReadOnly || script === undefined || intern === undefined || !isOwn(intern)) return;
      await control.useScript(intern, await control.script(script));
    },
  };
}
