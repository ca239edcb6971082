import type { Intern } from '../../emulator/contract/intern.js';
import type { Driver } from '../drivers/driver.js';
import { Finding, Unmet } from '../framework/assert.js';
import type { Api, Interns, SendOptions } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import type { Host } from '../framework/time.js';

/** What outlives a check: names given so far, and interns that can be handed out again. */
export interface Pool {
  count: number;
  unknown: number;
  shared: Intern | undefined;
  /** One that was made ahead and boots while others are looked at. */
  spare: Intern | undefined;
  /** Those that a check only read, or was refused to change. */
  unused: { stopped: Intern[]; running: Intern[] };
  /** How often each was handed out. */
  readonly uses: Map<string, number>;
  /** Those that the current check was handed, by what they were. */
  handed: { intern: Intern; as: 'stopped' | 'running' }[];
  /** Why interns do not get to run on this target, once that is known. */
  neverRuns: string | undefined;
}

export const createPool = (): Pool => ({
  count: 0,
  unknown: 0,
  shared: undefined,
  spare: undefined,
  unused: { stopped: [], running: [] },
  uses: new Map(),
  handed: [],
  neverRuns: undefined,
});

/** Ids of interns that the pool keeps for later checks. */
export const kept = (pool: Pool): Set<string> =>
  new Set(
    [pool.shared, pool.spare, ...pool.unused.stopped, ...pool.unused.running].flatMap((intern) => intern?.id ?? []),
  );

/** How often one intern is handed out: questions that nobody answered stay open on it. */
const MOST_USES = 12;

/** Takes back what a check was handed and left as it was. `left` says that nothing it began is still going on. */
export function takeBack(pool: Pool, touched: ReadonlySet<string>, left: boolean): void {
  for (const { intern, as } of pool.handed) {
    const uses = (pool.uses.get(intern.id) ?? 0) + 1;
    pool.uses.set(intern.id, uses);
    if (left && uses < MOST_USES && !touched.has(intern.id)) pool.unused[as].push(intern);
  }
  pool.handed = [];
}

export interface InternsOptions {
  readonly driver: Driver;
  readonly api: Api;
  readonly host: Host;
  readonly pool: Pool;
  readonly prefix: string;
  /** Ids made by the current check. */
  readonly made: Set<string>;
  /** ms of real time within which an intern has to come up, where no clock can be moved. */
  readonly bootTimeout: number;
  readonly signal: AbortSignal;
  /**
   * Whether interns that other checks left as they were may be handed out again, and one be made ahead. Saves requests
   * and waiting where both cost; an emulator gives each check its own.
   */
  readonly recycle: boolean;
  random(): number;
}

/** Makes interns and waits for them. See {@link Interns} for what each does. */
export function createInterns(options: InternsOptions): Interns {
  const { driver, api, host, pool } = options;

  /** Lets a moment pass; false when there have been enough. */
  const moments = () => {
    const started = host.now();
    let round = 0;
    return async () => {
      round++;
      if (driver.clock !== undefined) {
        if (round > 150) return false;
        await driver.clock.advance(1_000);
        return true;
      }
      if (host.now() - started > options.bootTimeout) return false;
      // A real boot takes seconds, and every look at it a request of the few there are.
      await host.sleep(Math.min(1_000 * round, 3_000), options.signal);
      return true;
    };
  };
  const waited = () => (driver.clock === undefined ? `${options.bootTimeout / 1000} s` : '150 s of its clock');

  const name = () => `${options.prefix}${(++pool.count).toString(36)}`;
  const body = (overrides: Record<string, unknown> = {}) => ({
    name: name(),
    workspace_id: driver.target.workspaceId,
    ...overrides,
  });

  const create = async (overrides: Record<string, unknown>, send?: SendOptions) =>
    expect.intern(await api.create(body(overrides), send), 201, 'a valid create');
  const plain = (overrides?: Record<string, unknown>, send?: SendOptions) =>
    options.recycle && overrides === undefined && send === undefined;
  const hand = (intern: Intern, as: 'stopped' | 'running') => {
    pool.handed.push({ intern, as });
    options.made.add(intern.id);
    return intern;
  };

  const stopped = async (overrides?: Record<string, unknown>, send?: SendOptions) => {
    if (!plain(overrides, send)) return create(overrides ?? {}, send);
    return hand(pool.unused.stopped.pop() ?? (await create({})), 'stopped');
  };

  const until = async (id: string, statuses: readonly string[], send?: SendOptions) => {
    const pass = moments();
    for (;;) {
      const intern = expect.intern(
        await api.get(id, send),
        200,
        `the read of an intern that should get to ${statuses.join(' or ')}`,
      );
      if (statuses.includes(intern.status)) return intern;
      if (!(await pass())) {
        throw new Finding({
          what: 'status of the intern',
          expected: `${statuses.join(' or ')} within ${waited()}`,
          actual: intern.status,
        });
      }
    }
  };

  /** Waits for one that was created with `provision: true`. */
  const booted = async (created: Intern, send?: SendOptions) => {
    if (driver.clock !== undefined) await driver.clock.advance(1_000);
    try {
      return await until(created.id, ['running'], send);
    } catch (error) {
      // Every further wait would be as long and as vain: the others say so without waiting.
      if (error instanceof Finding && driver.clock === undefined) {
        pool.neverRuns = `an intern did not run within ${waited()} of its create with provision: true`;
      }
      throw error;
    }
  };
  /** One that boots while the next check is at work. */
  const ahead = async () => {
    const spare = await create({ provision: true });
    options.made.delete(spare.id);
    return spare;
  };

  const running = async (overrides?: Record<string, unknown>, send?: SendOptions) => {
    if (pool.neverRuns !== undefined) throw new Unmet('running', pool.neverRuns);
    if (!plain(overrides, send)) return booted(await create({ provision: true, ...overrides }, send), send);
    const unused = pool.unused.running.pop();
    if (unused !== undefined) return hand(unused, 'running');
    const next = pool.spare ?? (await create({ provision: true }));
    pool.spare = undefined;
    options.made.add(next.id);
    pool.spare = await ahead();
    return hand(await booted(next), 'running');
  };

  return {
    name,
    body,
    stopped,
    running,
    until,
    async shared() {
      if (pool.shared === undefined) {
        const intern = await running();
        options.made.delete(intern.id);
        // It is nobody's: it does not go back to those that are handed out to one check alone.
        pool.handed = pool.handed.filter((one) => one.intern.id !== intern.id);
        pool.shared = intern;
      }
      return pool.shared;
    },
    async untilGone(id, send) {
      const pass = moments();
      for (;;) {
        const answer = await api.get(id, send);
        if (answer.status === 404) return;
        expect.status(answer, [200, 404], 'the read of an intern that is torn down');
        if (!(await pass())) {
          throw new Finding({
            what: 'the deleted intern',
            expected: `404 within ${waited()}`,
            actual: expect.shown(answer),
          });
        }
      }
    },
    async own({ running: runs = false } = {}) {
      const { control } = driver;
      if (control === undefined) {
        const { ownInternId } = driver.target;
        if (ownInternId === undefined)
          throw new Unmet('own_key', 'the intern that the own key belongs to is not known');
        return { id: ownInternId, key: 'own_key', ours: false };
      }
      const intern = runs ? await running() : await stopped();
      return { id: intern.id, key: { bearer: (await control.intern(intern.id)).api_key }, ours: true };
    },
    unknownId() {
      const tail = (++pool.unknown).toString(16).padStart(4, '0');
      const hex = (length: number) =>
        Array.from({ length }, () => Math.floor(options.random() * 16).toString(16)).join('');
      return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(8)}${tail}`;
    },
  };
}
