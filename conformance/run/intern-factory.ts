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

/** ms after which a new intern that was not to boot is taken as it is, stopped or not. */
const SETTLES = 15_000;
/** How many boot, or run, before anybody asks for one. */
const AHEAD = 2;
/** How many boots may fail, before any was seen to end, until no more are tried. */
const FAILED_BOOTS = 3;

/** ms after which to look first the next time: one look too early costs a request, one too late time. */
const learned = (usual: number | undefined, took: number, looks: number) =>
  looks > 1 ? took : Math.min(usual ?? 2_000, took);

/** Makes interns and waits for them. See {@link InternFactory} for what each does. */
export function createInternFactory(run: RunContext, options: FactoryOptions): InternFactory {
  const { driver, host, pool, session, obstacles } = run;
  const { api, check } = options;
  const { bootTimeout } = run.settings;

  /** Lets a moment pass; false when there have been enough. `usual` is how long it took before, `began` when it began. */
  const moments = (usual = 1_000, began = host.now()) => {
    let round = 0;
    return async () => {
      round++;
      if (driver.clock !== undefined) {
        if (round > 150) return false;
        await driver.clock.advance(1_000);
        return true;
      }
      if (host.now() - began > bootTimeout) return false;
      // A real boot takes seconds, and every look at it a request of the few there are.
      const first = Math.max(0, began + Math.min(usual, 10_000) - host.now());
      await host.sleep(round === 1 ? first : Math.min(500 * round, 3_000), options.signal);
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
  const hand = (intern: Intern) => {
    session.made.add(intern.id);
    return intern;
  };

  /** One that was not to boot, once it is stopped: what it is to begin with may pass by itself. */
  const settled = async (made: Intern, send?: SendOptions, wait = 1_000): Promise<Intern> => {
    const began = host.now();
    let now = made;
    for (let ms = wait; driver.control === undefined && now.status !== 'stopped' && !pool.neverStopped; ms = 1_000) {
      await host.sleep(ms, options.signal);
      now = expect.intern(await api.get(made.id, send), 200, 'the read of a new intern');
      pool.neverStopped = now.status !== 'stopped' && host.now() - began > SETTLES;
    }
    return now;
  };
  const stopped = async (overrides?: Record<string, unknown>, send?: SendOptions) => {
    if (!plain(overrides, send)) return settled(await create(overrides ?? {}, send), send);
    const idle = pool.unused.stopped.pop();
    return idle === undefined ? settled(hand(await create({}))) : settled(hand(idle), undefined, 0);
  };

  const lookUntil = async (id: string, statuses: readonly string[], send?: SendOptions, began = host.now()) => {
    const live = driver.control === undefined;
    const boots = live && statuses.includes('running');
    const pass = moments(pool.took.boot, began);
    for (let looks = 1; ; looks++) {
      if (live && looks === 1) await pass();
      const intern = expect.intern(
        await api.get(id, send),
        200,
        `the read of an intern that should get to ${statuses.join(' or ')}`,
      );
      if (statuses.includes(intern.status)) {
        if (boots) pool.took.boot = learned(pool.took.boot, host.now() - began, looks);
        return intern;
      }
      if (boots && intern.status === 'failed') throw bootFailed(intern);
      if (await pass()) continue;
      const slow = boots && ['queued', 'provisioning'].includes(intern.status);
      if (slow) throw tooSlow(`an intern still boots after ${waited()}; allow more with --boot-timeout`);
      throw new Finding({
        what: 'status of the intern',
        expected: `${statuses.join(' or ')} within ${waited()}`,
        actual: intern.status,
      });
    }
  };
  const until = (id: string, statuses: readonly string[], send?: SendOptions) => lookUntil(id, statuses, send);

  /** A boot may fail: the service says so, and has kept its word. */
  const bootFailed = ({ last_failure_message: why }: Intern) => {
    const failed = `the boot of an intern failed${typeof why === 'string' ? ` (${why})` : ''}`;
    if (pool.took.boot === undefined && ++pool.failedBoots >= FAILED_BOOTS) obstacles.met('running', check, failed);
    return new Unmet('an intern that boots', failed);
  };
  /** How long a boot may take is not stated. The others do not wait as long for nothing. */
  const tooSlow = (why: string) => {
    obstacles.met('running', check, why);
    return new Unmet('an intern that boots', why);
  };

  /** Waits for one that was created with `provision: true`, or was provisioned. */
  const booted = async (booting: Intern, send?: SendOptions, began?: number) => {
    if (driver.clock !== undefined) await driver.clock.advance(1_000);
    try {
      return await lookUntil(booting.id, ['running'], send, began);
    } catch (error) {
      // Every further wait would be as long and as vain: the others say so without waiting.
      if (error instanceof Finding && driver.clock === undefined) {
        obstacles.met('running', check, `an intern did not run within ${waited()} of its create with provision: true`);
      }
      throw error;
    }
  };
  /** Has one boot: one that nobody uses, or a new one. */
  const boot = async (): Promise<Intern> => {
    const idle = pool.unused.stopped.length > 2 ? pool.unused.stopped.pop() : undefined;
    if (idle === undefined) return create({ provision: true });
    await settled(hand(idle), undefined, 0);
    expect.status(await api.provision(idle.id), [200, 202, 204], 'the provision of a stopped intern');
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

  const running = async (overrides?: Record<string, unknown>, send?: SendOptions) => {
    obstacles.pass('running', check);
    if (!plain(overrides, send)) return booted(await create({ provision: true, ...overrides }, send), send);
    const unused = pool.unused.running.pop();
    if (unused !== undefined) {
      await ahead();
      return hand(unused);
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
    until,
    async shared() {
      if (pool.shared === undefined) {
        const intern = await running();
        session.made.delete(intern.id);
        pool.shared = intern;
      }
      return pool.shared;
    },
    async untilSuspended(id) {
      const pass = moments();
      for (;;) {
        const intern = expect.intern(await api.get(id), 200, 'the read of a suspended intern');
        if (intern.status !== 'running') return intern;
        if (driver.control !== undefined || !(await pass())) {
          throw new Finding({
            what: 'status of a suspended intern',
            expected: 'anything but running',
            actual: intern.status,
          });
        }
      }
    },
    async untilGone(id, send) {
      const began = host.now();
      const live = driver.control === undefined;
      const pass = moments(pool.took.gone, began);
      for (let looks = 1; ; looks++) {
        if (live && looks === 1) await pass();
        const answer = await api.get(id, send);
        if (answer.status === 404) {
          pool.took.gone = learned(pool.took.gone, host.now() - began, looks);
          return;
        }
        expect.status(answer, [200, 404], 'the read of an intern that is torn down');
        const { status } = answer.json as { status?: unknown };
        // A teardown may fail, and how long it may take is not stated.
        if (live && status === 'destroy_failed')
          throw new Unmet('a teardown that ends', `the teardown of an intern failed: ${expect.shown(answer)}`);
        if (await pass()) continue;
        if (live && status === 'destroying')
          throw new Unmet('a teardown that ends', `an intern is still torn down after ${waited()}`);
        throw new Finding({
          what: 'the deleted intern',
          expected: `404 within ${waited()}`,
          actual: expect.shown(answer),
        });
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
