import { type FalsifiedProperty, Finding, findingOf, isProven } from '../model/finding.js';
import { Cancelled, raced, Skipped } from '../model/skip.js';
import type { BehaviourName } from '../model/target.js';
import type { Evidence, ShownExchange } from '../probe/evidence.js';
import { internIn } from '../probe/request.js';
import { createRandom, hash } from '../probe/time.js';
import { within } from '../probe/wait.js';
import type { Check } from './check.js';
import { createContext } from './create-context.js';
import { createProperty, type PropertyRun } from './property.js';
import type { ChatReply } from './reply.js';
import type { ControlStep } from './results.js';
import type { RunContext } from './session.js';

/** ms within which a cancelled check should notice. Its later work has no effect: its client sends nothing more. */
const GRACE = 250;
/** Most requests that a transcript keeps. */
const KEPT = 40;

/** Whether a check gets a longer time limit: rows and walks send many requests. */
const isLong = ({ sweeps, walks }: Check): boolean => sweeps === true || walks === true;

export interface Attempt {
  /** The error that the check threw; absent where it passed. */
  readonly error?: unknown;
  /** Requests and answers, the latest last. */
  readonly transcript: readonly ShownExchange[];
  /** Calls of the control interface during the attempt. */
  readonly control: readonly ControlStep[];
  readonly properties: readonly PropertyRun[];
  /** Interns that answered 409, each with the ms since a client of the run had left a stream of it. */
  readonly leftAgo: ReadonlyMap<string, number>;
  /** Behaviours that the check has prompted for. */
  readonly led: ReadonlySet<BehaviourName>;
}

/** Notes whether the intern followed a prompt for a behaviour. */
function count({ session }: RunContext, behaviour: BehaviourName, did: boolean): void {
  const { led } = session.learnt;
  const before = led.get(behaviour) ?? { did: 0, otherwise: 0 };
  led.set(behaviour, did ? { ...before, did: before.did + 1 } : { ...before, otherwise: before.otherwise + 1 });
}

/** Calls of the control interface that make an emulator fail on purpose: what a check sends after one is staged. */
const STAGING = /^\/(faults|settings|state)(\/|$)/;

/** ms to wait for the end of a run that may have ended already. */
const ON_ITS_WAY = 3_000;

/** Why a finding proves nothing: a run that had to go on has ended by itself. */
async function endedMeanwhile(goingOn: ReadonlySet<ChatReply>): Promise<Skipped | undefined> {
  for (const reply of goingOn) {
    const { transcript } = reply;
    // Without an end the run goes on, as it should.
    await reply.until('the end of the run', (t) => t.finish !== undefined, ON_ITS_WAY).catch(() => {});
    if (transcript.finish === undefined) continue;
    return raced({ kind: 'run-ended', finish: transcript.finish, said: transcript.content });
  }
  return undefined;
}

/**
 * Does a check once. Never rejects. A check that takes too long ends with {@link Cancelled}. At the end of the run it ends with
 * {@link Stopped}. Either way it sends no more requests.
 *
 * @param options `again`: a counterexample, the only value to try for its property; `beside`: whether other checks run, too
 */
export async function attempt(
  run: RunContext,
  check: Check,
  { again, beside = false }: { readonly again?: FalsifiedProperty | undefined; readonly beside?: boolean } = {},
): Promise<Attempt> {
  const { driver, host, lane, session, settings } = run;
  const over = new AbortController();
  const by = { id: check.id, walks: check.walks === true, staged: false, lane };
  const client = session.client.scope(over.signal, by);
  const properties: PropertyRun[] = [];
  const goingOn = new Set<ChatReply>();
  const led = new Set<BehaviourName>();
  let setUp: Evidence[] = [];
  let setUpCalls: ControlStep[] = [];
  let calls: ControlStep[] = [];
  driver.control?.watch((call) => {
    by.staged ||= STAGING.test(call.path);
    calls.push({ after: client.sent, ...call });
  });
  const replay = settings.replays?.[check.id] ?? settings.replay;
  const property = createProperty({
    turn: () => host.turn(),
    seedOf: (name) => hash(`${settings.seed} ${check.id} ${name}`),
    runs: Math.max(1, Math.min(settings.runs, check.maxRuns ?? settings.runs)),
    shrinkBudget: settings.shrinkBudget,
    now: () => host.now(),
    ...(replay === undefined ? {} : { replay }),
    ...(again === undefined ? {} : { again }),
    setUp() {
      setUpCalls = [...setUpCalls, ...calls];
      calls = [];
      setUp = [...setUp, ...client.takeEvidence()].slice(-KEPT / 2);
    },
    async fresh() {
      await client.closeAll();
      client.takeEvidence();
      calls = [];
    },
    done: (one) => properties.push(one),
  });
  const work = async () => {
    try {
      await check.run(
        createContext(run, {
          check,
          by,
          client,
          goingOn,
          led,
          beside,
          signal: over.signal,
          property,
          random: createRandom(hash(`${settings.seed} ${check.id}`)),
        }),
      );
      return undefined;
    } catch (error) {
      return { error: findingOf(error) ?? error };
    }
  };

  const ms = isLong(check) ? settings.checkTimeout * 20 : settings.checkTimeout;
  const late = () => new Cancelled(`the check was cancelled: it was not done within ${settings.checkTimeout / 1000} s`);
  let settled: ReturnType<typeof work> | undefined;
  const begin = () => {
    settled = work();
    return settled;
  };
  let cut: unknown;
  let thrown = await within({ host, ms, inFlight: session.inFlight, abort: over, late }, begin).catch(
    async (error: unknown) => {
      cut = error;
      await client.closeAll();
      await Promise.race([settled, host.sleep(GRACE)]);
      return { error };
    },
  );
  if (thrown?.error instanceof Finding) {
    // Exchanges under way belong to the transcript of a finding.
    await driver.settle().catch(() => {});
    if (driver.control === undefined && !isProven(thrown.error.found))
      thrown = { error: (await endedMeanwhile(goingOn)) ?? thrown.error };
  }
  driver.control?.watch(undefined);
  if (thrown === undefined || (thrown.error instanceof Skipped && thrown.error.skip.kind === 'intern'))
    for (const behaviour of led) count(run, behaviour, thrown === undefined);
  // The transcript is made only where somebody reads it.
  const before = thrown === undefined ? [] : setUp.map((entry) => entry.snapshot());
  const transcript = thrown === undefined ? [] : [...before, ...client.exchanges()].slice(-KEPT);
  // `closeAll` disconnects from streams, so this comes before it.
  const leftAgo = new Map(
    transcript.flatMap(({ request, response }) => {
      const id = response?.status === 409 ? internIn(request.url) : undefined;
      const ago = id === undefined ? Number.POSITIVE_INFINITY : session.leftAgo(id);
      return id === undefined || ago === Number.POSITIVE_INFINITY ? [] : [[id, ago] as const];
    }),
  );
  await client.closeAll();
  over.abort(cut ?? new Cancelled('the check is over'));
  return {
    ...thrown,
    transcript,
    control: [...setUpCalls, ...calls],
    properties,
    leftAgo,
    led,
  };
}
