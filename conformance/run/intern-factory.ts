import type { Intern } from '../../emulator/contract/intern.js';
import { Finding, Unmet } from '../framework/assert.js';
import type { Api, InternFactory, SendOptions } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import type { RunContext } from './run-context.js';

/** Where the interns of one check come from. */
export interface FactoryOptions {
  readonly check: string;
  readonly api: Api;
  readonly signal: AbortSignal;
  /**
   * Whether interns that other checks left as they were may be handed out again, and one be made ahead. Saves requests
   * and waiting where both cost; an emulator gives each check its own.
   */
  readonly recycle: boolean;
  random(): number;
}

/** Makes interns and waits for them. See {@link InternFactory} for what each does. */
export function createInternFactory(run: RunContext, options: FactoryOptions): InternFactory {
  const { driver, host, pool, session, obstacles } = run;
  const { api, check } = options;
  const { bootTimeout } = run.settings;

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
      if (host.now() - started > bootTimeout) return false;
      // A real boot takes seconds, and every look at it a request of the few there are.
      await host.sleep(Math.min(1_000 * round, 3_000), options.signal);
      return true;
    };
  };
  const waited = () => (driver.clock === undefined ? `${bootTimeout / 1000} s` : '150 s of its clock');

  const name = () => `${session.prefix}${(++pool.count).toString(36)}`;
  const body = (overrides: Record<string, unknown> = {}) => ({
    name: name(),
    workspace_id: driver.target.workspaceId,
    ...overrides,
  });

  const create = async (overrides: Record<string, unknown>, send?: SendOptions) => {
    obstacles.pass('create', check);
    let got = 'gave no answer';
    try {
      const answer = await api.create(body(overrides), send);
      got = `answered ${answer.status}`;
      // Which success it is, is for the checks of create to say: what others need is the intern.
      const intern = expect.intern(answer, driver.control === undefined ? [200, 201, 202] : 201, 'a valid create');
      obstacles.gone('create');
      return intern;
    } catch (error) {
      if (error instanceof Finding) obstacles.met('create', check, `a valid create ${got}`);
      throw error;
    }
  };
  const plain = (overrides?: Record<string, unknown>, send?: SendOptions) =>
    options.recycle && overrides === undefined && send === undefined;
  const hand = (intern: Intern, as: 'stopped' | 'running') => {
    pool.handed.push({ intern, as });
    session.made.add(intern.id);
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
        obstacles.met('running', check, `an intern did not run within ${waited()} of its create with provision: true`);
      }
      throw error;
    }
  };
  /** One that boots while the next check is at work. */
  const ahead = async () => {
    const spare = await create({ provision: true });
    session.made.delete(spare.id);
    return spare;
  };

  const running = async (overrides?: Record<string, unknown>, send?: SendOptions) => {
    obstacles.pass('running', check);
    if (!plain(overrides, send)) return booted(await create({ provision: true, ...overrides }, send), send);
    const unused = pool.unused.running.pop();
    if (unused !== undefined) return hand(unused, 'running');
    const next = pool.spare ?? (await create({ provision: true }));
    pool.spare = undefined;
    session.made.add(next.id);
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
        session.made.delete(intern.id);
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
