import type { Intern } from '../../emulator/contract/intern.js';
import { Finding, Unmet } from '../framework/assert.js';
import type { InternFactory, SendOptions } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import type { RunContext } from './run-context.js';
import { createWaiting, DONE, FAILED_BOOTS, type FactoryOptions } from './waiting.js';

/** How many boot, or run, before anybody asks for one. */
const AHEAD = 2;
/** Makes interns and waits for them. See {@link InternFactory} for what each does. */
export function createInternFactory(run: RunContext, options: FactoryOptions): InternFactory {
  const { driver, pool, session, obstacles } = run;
  const { api, check } = options;
  const { settled, until, untilSuspended, untilGone } = createWaiting(run, options);

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
  const hand = (intern: Intern) => {
    session.made.add(intern.id);
    return intern;
  };

  /** One that is handed out again: it may have been suspended and not read since, or boot all the same. */
  const rested = async (idle: Intern): Promise<Intern> => {
    if (driver.control !== undefined) return idle;
    if (idle.status === 'running') return untilSuspended(idle.id);
    if (pool.waiting !== 'boots') return settled(idle);
    const now = expect.intern(await api.get(idle.id), 200, 'the read of an idle intern');
    return now.status === 'stopped' ? now : settled(now);
  };
  const stopped = async (overrides?: Record<string, unknown>, send?: SendOptions) => {
    if (!plain(overrides, send)) return settled(await create(overrides ?? {}, send), send);
    const idle = pool.unused.stopped.pop();
    return idle === undefined ? settled(hand(await create({}))) : rested(hand(idle));
  };

  /** Waits for one that was created with `provision: true`, or was provisioned. */
  const booted = async (booting: Intern, send?: SendOptions, began?: number) => {
    if (driver.clock !== undefined) await driver.clock.advance(1_000);
    return until(booting.id, ['running'], send, began);
  };
  /** Has one boot: one that nobody uses, or a new one. */
  const boot = async (): Promise<Intern> => {
    const idle = pool.unused.stopped.length > 2 ? pool.unused.stopped.pop() : undefined;
    if (idle === undefined) return create({ provision: true });
    if (hand(idle).status === 'running') await untilSuspended(idle.id);
    // One that boots already may refuse it.
    expect.status(await api.provision(idle.id), [...DONE, 409], 'the provision of a stopped intern');
    return idle;
  };
  /** Some that boot while the next checks are at work. */
  const ahead = async () => {
    const { booting, running: idle } = pool.unused;
    while (booting.length + idle.length < AHEAD) {
      const spare = await boot();
      session.made.delete(spare.id);
      booting.push(spare);
    }
  };

  /** One that ran when it was last read, and still does: where interns stop by themselves it is looked at, and resumed. */
  const awake = async (intern: Intern): Promise<Intern> => {
    if (!session.conditions.stopsThem()) return intern;
    const now = expect.intern(await api.get(intern.id), 200, 'the read of a running intern');
    if (now.status === 'running') return now;
    await api.provision(intern.id);
    return until(intern.id, ['running']);
  };

  const running = async (overrides?: Record<string, unknown>, send?: SendOptions) => {
    obstacles.pass('running', check);
    if (!plain(overrides, send)) return booted(await create({ provision: true, ...overrides }, send), send);
    const unused = pool.unused.running.pop();
    if (unused !== undefined) {
      await ahead();
      return awake(hand(unused));
    }
    for (;;) {
      const next = hand(pool.unused.booting.shift() ?? (await boot()));
      await ahead();
      try {
        return await booted(next, undefined, session.conditions.of(next.id)?.since);
      } catch (error) {
        // Another may come up.
        if (!(error instanceof Unmet) || pool.took.boot === undefined || pool.failedBoots >= FAILED_BOOTS) throw error;
        pool.failedBoots++;
      }
    }
  };

  return {
    name,
    body,
    stopped,
    running,
    until: (id, statuses, send) => until(id, statuses, send),
    async shared() {
      if (pool.shared === undefined) {
        const intern = await running();
        session.made.delete(intern.id);
        pool.shared = intern;
      } else pool.shared = await awake(pool.shared);
      return pool.shared;
    },
    settled,
    untilSuspended,
    untilGone,
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
