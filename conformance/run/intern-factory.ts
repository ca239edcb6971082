import type { Intern } from '../../emulator/contract/intern.js';
import { findingOf, isProven, isUnreached } from '../model/finding.js';
import { lacking, Skipped } from '../model/skip.js';
import { type AttemptParts, declaredBy } from './check.js';
import { createApi, type InternFactory, type SendOptions } from './context.js';
import * as expect from './expect.js';
import type { RunContext } from './session.js';
import { bootsFail, createWaiting } from './waiting.js';

/** Most interns that are made where a service boots them unasked and the boots fail. */
const FAILURES = 3;
/** Interns that are booted before a check asks for one. */
const AHEAD = 1;

const byAge = (one: Intern, other: Intern) => Date.parse(other.created_at) - Date.parse(one.created_at);

/** Makes interns and waits for them. See {@link InternFactory} for what each does. */
export function createInternFactory(run: RunContext, attempt: AttemptParts): InternFactory {
  const { driver, host, lane, pool, session, obstacles } = run;
  const { client, random, signal } = attempt;
  const { fresh, id: check } = attempt.check;
  const api = createApi(client.send);
  /**
   * Whether unchanged interns of other checks may be handed out again, and one be made ahead. Saves requests and waiting where
   * both cost. An emulator gives each check its own.
   */
  const recycles = driver.control === undefined && fresh !== true;
  const { settled, until, untilSuspended, suspended, untilGone } = createWaiting(run, attempt, api);

  const name = session.newName;
  const body = (overrides: Record<string, unknown> = {}) => ({
    name: name(),
    workspace_id: driver.target.workspaceId,
    ...overrides,
  });

  const create = async (overrides: Record<string, unknown>, send?: SendOptions) => {
    obstacles.pass('create', check);
    let status: number | undefined;
    const renew = 'name' in overrides ? {} : { renew: () => body(overrides) };
    try {
      const answer = await api.create(body(overrides), { ...send, ...renew });
      status = answer.status;
      // Checks of create judge its status. Other checks only need the intern.
      const intern = expect.intern(answer, driver.control === undefined ? [200, 201, 202] : 201, 'a valid create');
      obstacles.gone('create');
      return intern;
    } catch (error) {
      // Creates of the API key may succeed although another caller is refused.
      const others = driver.control === undefined && send?.as !== undefined;
      const finding = findingOf(error);
      if (finding !== undefined && !others && !isUnreached(finding.found))
        obstacles.met(
          'create',
          check,
          isProven(finding.found)
            ? { kind: 'not-own' }
            : { kind: 'create', ...(status === undefined ? {} : { status }) },
        );
      throw error;
    }
  };
  /** Whether any unused intern will do. */
  const isPlain = (overrides?: Record<string, unknown>, send?: SendOptions) =>
    recycles && overrides === undefined && send === undefined;
  /** Notes that the check has an intern. */
  const hand = (intern: Intern) => {
    lane.made.add(intern.id);
    session.model.dealings.handed(intern.id);
    return intern;
  };

  /** Reads a kept intern. Undefined if others have deleted it. */
  const readOf = async (id: string): Promise<Intern | undefined> => {
    const answer = await api.get(id);
    return answer.status === 404 ? undefined : expect.intern(answer, 200, 'the read of an idle intern');
  };

  /**
   * Waits until a kept intern is stopped: it may still be suspending, or have booted unasked. Undefined if it is gone or does not
   * stop. That is no finding.
   */
  const rested = async (idle: Intern): Promise<Intern | undefined> => {
    if (driver.control !== undefined) return idle;
    if (idle.status === 'running') return suspended(idle.id);
    const { waiting, words } = session.learnt;
    const now = waiting === 'boots' ? await readOf(idle.id) : idle;
    // If its status has changed to another unknown word, it may be booting.
    if (now === undefined || (waiting === 'boots' && now.status === 'stopped' && !words.moved(now.id))) return now;
    try {
      return await settled(now, undefined, { isNew: false });
    } catch (error) {
      if (error instanceof Skipped) return undefined;
      throw error;
    }
  };
  /** A stopped intern that nobody uses. */
  const unused = async (): Promise<Intern | undefined> => {
    for (let idle = pool.take('stopped'); idle !== undefined; idle = pool.take('stopped')) {
      const found = await rested(hand(idle));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  /** A new stopped intern. A service may boot it unasked; if that boot fails, another intern is made. */
  const newStopped = async (overrides: Record<string, unknown>, send?: SendOptions) => {
    for (let made = 1; ; made++) {
      try {
        return await settled(hand(await create(overrides, send)), send);
      } catch (error) {
        const failed = error instanceof Skipped && error.skip.because.kind === 'boot';
        if (!failed || 'name' in overrides || made >= FAILURES) throw error;
      }
    }
  };
  const stopped = async (overrides?: Record<string, unknown>, send?: SendOptions) =>
    isPlain(overrides, send) ? ((await unused()) ?? newStopped({})) : newStopped(overrides ?? {}, send);

  const booted = async (booting: Intern, send?: SendOptions, began?: number) => {
    await driver.control?.advance(1_000);
    return until(booting.id, ['running'], send, began);
  };
  /** Boots an unused or a new intern. */
  const boot = async (): Promise<Intern> => {
    const idle = pool.of('stopped').length > 2 ? pool.take('stopped') : undefined;
    if (idle === undefined) return create({ provision: true });
    if (hand(idle).status === 'running' && (await suspended(idle.id)) === undefined) return create({ provision: true });
    // An intern that already boots may refuse a provision. Checks of provision judge any other refusal.
    const { status } = await api.provision(idle.id);
    return [...expect.ACCEPTED, 409].includes(status) ? idle : create({ provision: true });
  };
  /** Boots interns ahead, beside the next checks. */
  const ahead = async () => {
    // The service has room for few interns.
    if (session.learnt.mayKeep < Number.POSITIVE_INFINITY) return;
    while (pool.of('booting').length + pool.of('running').length < AHEAD) {
      try {
        const spare = await boot();
        lane.made.delete(spare.id);
        pool.keep('booting', spare);
      } catch (error) {
        if (findingOf(error) === undefined) throw error;
        // The check has its intern. A check that needs another one tries again.
        obstacles.gone('create');
        return;
      }
    }
  };

  /** A running intern. If it may have stopped since the last read, it is read, and provisioned again. */
  const awake = async (intern: Intern): Promise<Intern | undefined> => {
    if (!session.model.dealings.mayHaveStopped(intern.id)) return intern;
    let now = await readOf(intern.id);
    if (now !== undefined && now.status !== 'running') {
      await api.provision(intern.id);
      now = await until(intern.id, ['running']);
    }
    session.model.dealings.handed(intern.id);
    return now;
  };

  const running = async (overrides?: Record<string, unknown>, send?: SendOptions) => {
    obstacles.pass('running', check);
    const special = !isPlain(overrides, send);
    const next = () => (special ? undefined : pool.take('running'));
    for (let idle = next(); idle !== undefined; idle = next()) {
      await ahead();
      const up = await awake(hand(idle));
      if (up !== undefined) return up;
    }
    for (;;) {
      const one = special
        ? await create({ provision: true, ...overrides }, send)
        : hand(pool.take('booting', pool.of('booting')[0]?.id) ?? (await boot()));
      if (!special) await ahead();
      try {
        const up = await booted(one, send, special ? undefined : session.standing(one.id)?.since);
        return special ? up : hand(up);
      } catch (error) {
        // Without a name of its own, any other intern will do.
        const named = overrides !== undefined && 'name' in overrides;
        if (!(error instanceof Skipped) || named || bootsFail(session.learnt)) throw error;
      }
    }
  };

  /** Unused stopped interns, newest first. Their times of creation differ by more than a second. */
  const unusedInOrder = async (most: number): Promise<Intern[]> => {
    const apart: Intern[] = [];
    const ages = driver.control === undefined ? pool.of('stopped').toSorted(byAge) : [];
    for (const one of ages) {
      const newer = apart.at(-1)?.created_at;
      if (apart.length < most && (newer === undefined || Date.parse(newer) - Date.parse(one.created_at) > 1_000))
        apart.push(one);
    }
    for (const { id } of apart) pool.take('stopped', id);
    const there: Intern[] = [];
    for (const one of apart) {
      const found = await rested(hand(one));
      if (found !== undefined) there.push(found);
    }
    return there;
  };

  const { require } = declaredBy(attempt.check);
  const requireWrites = () => require('interns', 'write', 'running');
  const requireBoots = () => require('running interns', 'running');
  return {
    name,
    body,
    async stopped(...args) {
      requireWrites();
      return stopped(...args);
    },
    async running(...args) {
      requireBoots();
      return running(...args);
    },
    until: (id, statuses, send) => until(id, statuses, send),
    async shared() {
      requireBoots();
      const [before] = pool.of('shared', lane);
      const kept = before === undefined ? undefined : await awake(before);
      const intern = kept ?? (await running());
      if (kept === undefined) lane.made.delete(intern.id);
      pool.keep('shared', intern, lane);
      return intern;
    },
    async foreign({ running: runs = false } = {}) {
      requireWrites();
      require('the foreign workspace', 'foreign_workspace');
      require('the credential foreign_api_key', 'foreign_api_key');
      const [where, send] = [{ workspace_id: driver.target.foreignWorkspaceId }, { as: 'foreign_api_key' }] as const;
      const serves = recycles && session.learnt.mayKeep === Number.POSITIVE_INFINITY;
      const [there] = serves ? pool.of('foreign') : [];
      if (there === undefined) {
        const intern = await (runs ? running(where, send) : stopped(where, send));
        if (serves) pool.keep('foreign', intern);
        return intern;
      }
      hand(there);
      if (!runs || there.status === 'running') return there;
      await api.provision(there.id, send);
      const up = await until(there.id, ['running'], send);
      pool.keep('foreign', up);
      return up;
    },
    async inOrder(count) {
      requireWrites();
      const made = await unusedInOrder(count);
      while (made.length < count) {
        const last = made.length === count - 1;
        const alike = made.length > 0 && made[0]?.created_at === made.at(-1)?.created_at;
        // Times of creation may be kept in whole seconds.
        if (last && alike && driver.control === undefined) await host.sleep(1_000, signal);
        made.unshift(await stopped());
      }
      return made;
    },
    settled,
    untilSuspended,
    untilGone,
    async own({ running: runs = false } = {}) {
      require('an own key', 'own_key');
      const { control } = driver;
      if (control === undefined) {
        const { ownInternId } = driver.target;
        if (ownInternId === undefined) throw lacking({ kind: 'lacks', need: 'own_key', how: 'intern-id' });
        return { id: ownInternId, key: 'own_key', ours: false };
      }
      const intern = runs ? await running() : await stopped();
      return { id: intern.id, key: { bearer: (await control.intern(intern.id)).api_key }, ours: true };
    },
    unknownId() {
      const tail = (++pool.unknown).toString(16).padStart(4, '0');
      const hex = (length: number) => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
      return session.own.madeUp(`${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(8)}${tail}`);
    },
  };
}
