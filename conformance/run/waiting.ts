import type { Intern } from '../../emulator/contract/intern.js';
import type { Learnt } from '../habits/visit.js';
import { fail, oneOf } from '../model/assert.js';
import { findingOf } from '../model/finding.js';
import { type BootFailure, lacking, type Skipped, type Waited } from '../model/skip.js';
import type { Answer } from '../probe/client.js';
import { internPath } from '../probe/request.js';
import type { AttemptParts } from './check.js';
import type { Api, InternFactory, SendOptions } from './context.js';
import * as expect from './expect.js';
import type { RunContext } from './session.js';

/** ms for which an intern may run on after its suspend: at first, and after one wait in vain. */
const RUNS_ON = { first: 45_000, later: 20_000 };

/** ms after which a new intern without a boot is used, stopped or not. */
const SETTLES = 15_000;
/** Statuses that cannot mean that a new intern waits. */
const COMING_OR_GOING: ReadonlySet<string> = new Set(['stopped', 'provisioning', 'destroying', 'destroy_failed']);
/** Failed boots in a row after which no more are tried: at first, and once the service has booted an intern. */
const FAILED_BOOTS = { first: 3, later: 6 };
export const bootsFail = ({ failedBoots, took }: Learnt): boolean =>
  failedBoots >= (took.boot === undefined ? FAILED_BOOTS.first : FAILED_BOOTS.later);

/** ms after a delete after which a deployment shows the intern only in teardown. */
const BACK = 60_000;

/** Most provisions of an intern that stopped by itself, or whose boot failed, while the run waits for it. */
const REVIVALS = 3;

/** ms before the first look the next time. An early look costs a request, and a late one costs time. */
const learned = (usual: number | undefined, took: number, looks: number) =>
  looks > 1 ? took : Math.min(usual ?? 2_000, took);

/**
 * The time of a boot by the service's own clock, from the creation of the record to its latest change at most.
 * Undefined if that is unknown, or not below the time that the run saw.
 */
function ownTime({ created_at, updated_at }: Intern, seen: number): number | undefined {
  const took = Date.parse(updated_at) - Date.parse(created_at);
  return took > 0 && took + ARRIVES < seen ? took + ARRIVES : undefined;
}
/** ms after which a read may first show a change. */
const ARRIVES = 100;

const failed = ({ last_failure_message: message }: Intern): BootFailure => ({
  kind: 'boot-failed',
  ...(typeof message === 'string' ? { message } : {}),
});

/** Waits for the interns of a check to reach a status. {@link InternFactory} describes each wait. */
export function createWaiting(run: RunContext, { check: { id: check }, client, signal }: AttemptParts, api: Api) {
  const { driver, host, session, obstacles } = run;
  const { learnt } = session;
  const { bootTimeout } = run.settings;

  /** Waits before the next look; false when the time is over. `usual`: the duration before; `began`: when it began. */
  const moments = (usual = 1_000, began = host.now(), most = bootTimeout) => {
    let round = 0;
    return async () => {
      round++;
      if (driver.control !== undefined) {
        if (round > 150) return false;
        await driver.control.advance(1_000);
        return true;
      }
      if (host.now() - began > most) return false;
      // A real boot takes seconds, and every look costs one of few requests.
      const first = Math.max(0, began + Math.min(usual, 10_000) - host.now());
      await host.sleep(round === 1 ? first : Math.min(500 * round, 3_000), signal);
      return true;
    };
  };
  const waited = (): Waited =>
    driver.control === undefined ? { ms: bootTimeout, clock: 'real' } : { ms: 150_000, clock: 'virtual' };

  /** Reads an intern while a run waits for it. A deployment may lose a connection: such a read is sent again once. */
  const look = (id: string, send?: SendOptions) =>
    api.get(id, send).catch((error: unknown) => {
      if (driver.control !== undefined || findingOf(error) === undefined) throw error;
      return api.get(id, send);
    });

  const lookAfter = async (ms: number, id: string, send?: SendOptions): Promise<Intern> => {
    await host.sleep(ms, signal);
    return expect.intern(await look(id, send), 200, 'the read of a new intern');
  };

  /**
   * An intern that was created without a boot, once it is stopped. Its first status may pass by itself. A service may boot it at once
   * (interface.md, create_intern): then it is suspended.
   */
  const settled = async (made: Intern, send?: SendOptions, { isNew = true } = {}): Promise<Intern> => {
    if (driver.control !== undefined) return made;
    const began = host.now();
    for (let now = made; ; ) {
      const seen = learnt.waiting === 'boots' ? host.now() - began > SETTLES : !isNew || learnt.waiting !== 'unknown';
      if (seen && (now.status === 'stopped' || learnt.waiting === 'otherwise')) return now;
      now = await lookAfter(1_000, made.id, send);
      // A change to another unknown word may mean a boot. Later a prompt shows whether it runs.
      const mayBoot = isNew && learnt.waiting === 'unknown' && learnt.words.moved(made.id);
      if (mayBoot) now = await lookAfter(SETTLES, made.id, send);
      if (now.status === 'running' || (mayBoot && (await takesPrompts(made.id, send)))) {
        learnt.waiting = 'boots';
        expect.status(
          await api.suspend(made.id, send),
          expect.ACCEPTED,
          'the suspend of an intern that booted by itself',
        );
        return untilSuspended(made.id, send);
      }
      if (now.status === 'failed') {
        // One failed boot does not predict the next.
        learnt.waiting = 'boots';
        throw lacking({ kind: 'boot', failure: failed(now), isNew: true });
      }
      if (isNew && learnt.waiting === 'unknown' && now.status === 'stopped') learnt.waiting = 'stopped';
      const late = host.now() - began;
      if (late > SETTLES && learnt.waiting === 'unknown' && !COMING_OR_GOING.has(now.status))
        learnt.waiting = 'otherwise';
      if (late > bootTimeout) throw lacking({ kind: 'never-waits', status: now.status, waited: waited() });
    }
  };
  const untilSuspended = async (id: string, send?: SendOptions): Promise<Intern> => {
    const pass = moments(undefined, undefined, learnt.runsOn ? RUNS_ON.later : RUNS_ON.first);
    for (;;) {
      const intern = expect.intern(await look(id, send), 200, 'the read of a suspended intern');
      if (intern.status !== 'running') {
        learnt.runsOn = false;
        return intern;
      }
      if (driver.control === undefined && (await pass())) continue;
      learnt.runsOn = true;
      fail('status of a suspended intern', 'anything but running', intern.status);
    }
  };
  /** Waits for the suspend of a kept intern. Undefined if it is gone or keeps running. */
  const suspended = async (id: string): Promise<Intern | undefined> => {
    try {
      return await untilSuspended(id);
    } catch (error) {
      if (findingOf(error) !== undefined) return undefined;
      throw error;
    }
  };

  /** Whether an intern with an unknown word for its status takes prompts: the word then means running. */
  const takesPrompts = async (id: string, send?: SendOptions): Promise<boolean> => {
    if (!learnt.words.unsure(id)) return false;
    const json = { messages: [{ role: 'user', content: 'Hello.' }], stream: true };
    const path = internPath(id, '/chat/completions');
    const { streamTimeout: timeout } = run.settings;
    const reply = await client.open({ ...send, method: 'POST', path, json, timeout });
    const takes = reply.status < 300;
    await reply.whole().catch(() => {});
    // An earlier record with the word may have been of its boot.
    if (takes) await api.get(id, send);
    if (takes) learnt.words.runs(id);
    return takes;
  };

  const bootTook = (intern: Intern, seen: number, looks: number) => {
    const { took } = learnt;
    // A time by the service's clock that was too short once is not used again.
    if (looks > 1 && took.exactly) took.exactly = false;
    const exact = took.exactly === false ? undefined : ownTime(intern, seen);
    if (exact !== undefined) took.exactly = true;
    took.boot = exact === undefined ? learned(took.boot, seen, looks) : Math.min(took.boot ?? exact, exact);
  };

  const isMaker = (id: string, { as = 'api_key' }: SendOptions = {}): boolean => session.own.makerOf(id) === as;

  /** Waits for one of the statuses. `began` is the beginning of the boot. */
  const until = async (id: string, statuses: readonly string[], send?: SendOptions, began = host.now()) => {
    const live = driver.control === undefined;
    const boots = live && statuses.includes('running');
    const pass = moments(learnt.took.boot, began);
    let revivals = 0;
    for (let looks = 1; ; looks++) {
      if (live && looks === 1) await pass();
      const inTime = (answer: Answer) =>
        expect.intern(answer, 200, `the read of an intern that should get to ${statuses.join(' or ')}`);
      const answer = await look(id, send);
      // Another member may see a new intern later than its maker.
      if (live && answer.status === 404 && !isMaker(id, send) && (await pass())) continue;
      let intern = inTime(answer);
      if (boots && !statuses.includes(intern.status) && (await takesPrompts(id, send)))
        intern = inTime(await look(id, send));
      if (statuses.includes(intern.status)) {
        if (boots) obstacles.gone('running');
        if (boots) learnt.failedBoots = 0;
        if (boots && revivals === 0) bootTook(intern, host.now() - began, looks);
        return intern;
      }
      if (boots && ['stopped', 'failed'].includes(intern.status) && revivals < REVIVALS) {
        // A deployment may suspend an idle intern. The next look shows whether the provision helped.
        revivals++;
        await api.provision(id, send);
      } else if (boots && intern.status === 'failed') throw bootFailed(intern);
      if (await pass()) continue;
      if (boots) throw neverRan(intern);
      oneOf(intern.status, statuses, 'status of the intern when its time is up');
    }
  };
  /** The skip of a check whose intern did not boot. It is an obstacle, because others would wait in vain, too. */
  const notBooted = (failure: BootFailure, boots = 1): Skipped => {
    learnt.failedBoots += boots;
    if (bootsFail(learnt)) obstacles.met('running', check, failure);
    return lacking({ kind: 'boot', failure });
  };
  /** The skip for a failed boot, which the interface allows. */
  const bootFailed = (intern: Intern) => notBooted(failed(intern));
  /**
   * The skip for a boot without an end. The interface states no time. If no boot has ended yet, one such boot is enough.
   * An unknown word for the status may mean a failure: then one more boot is tried.
   */
  const neverRan = ({ id, status }: Intern) => {
    const all = learnt.words.unsure(id) ? FAILED_BOOTS.first - 1 : FAILED_BOOTS.first;
    learnt.words.hangs(id);
    return notBooted({ kind: 'never-ran', status, waited: waited() }, learnt.took.boot === undefined ? all : 2);
  };

  const untilGone = async (id: string, send?: SendOptions) => {
    obstacles.pass('gone', check);
    const began = host.now();
    const live = driver.control === undefined;
    const pass = moments(learnt.took.teardown, began);
    for (let looks = 1; ; looks++) {
      if (live && looks === 1) await pass();
      const answer = await look(id, send);
      if (answer.status === 404) {
        learnt.took.teardown = learned(learnt.took.teardown, host.now() - began, looks);
        obstacles.gone('gone');
        return;
      }
      expect.status(answer, [200, 404], 'the read of an intern that is torn down');
      const { status } = answer.json as { status?: unknown };
      // A teardown may fail, and the interface states no time for it.
      if (live && status === 'destroy_failed') throw lacking({ kind: 'teardown', got: expect.seen(answer) });
      const back = live && status !== 'destroying' && host.now() - began > BACK;
      if (!back && (await pass())) continue;
      if (live && status === 'destroying') throw lacking({ kind: 'teardown', waited: waited() });
      obstacles.met('gone', check, { kind: 'stays', waited: back ? { ms: BACK, clock: 'real' } : waited() });
      expect.answered(answer, [404], 'the read of a deleted intern when its time is up', {
        breaks: { requirement: 'DELETE-1', level: 'S' },
      });
    }
  };

  return { settled, until, untilSuspended, suspended, untilGone };
}
