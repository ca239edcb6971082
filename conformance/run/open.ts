import { messageOf } from '../../emulator/contract/system-error.js';
import { Finding } from '../model/finding.js';
import { type Incomplete, type Preflight, type Stop, Stopped } from '../model/skip.js';
import type { Need } from '../model/target.js';
import type { Answer, Client } from '../probe/client.js';
import { CREDENTIAL_NAMES, type CredentialName } from '../probe/request.js';
import { systemHost } from '../probe/time.js';
import { whyNoAnswer } from '../probe/wait.js';
import { LONGEST, takeAway } from './cleaning.js';
import { type CleanupResult, requestsOfCleanUp } from './cleanup.js';
import { recorded } from './finding.js';
import { createLedger } from './ledger.js';
import { createEnding, type Owed } from './limits.js';
import { type RunBase, type RunnerOptions, settingsOf } from './options.js';
import { createObstacles, createPool } from './pool.js';
import { createSession, type RunContext } from './session.js';
import type { RunTarget } from './units.js';

const typeOf = ({ headers }: Answer) => {
  const type = headers.get('content-type');
  return type === null ? {} : { type };
};

/** Statuses by which a target puts a request off. They prove nothing about the address. */
const FOR_NOW: ReadonlySet<number> = new Set([429, 503]);

/** Why an answer to `GET /interns` is no list of interns (LIST-1); undefined where it is one. */
function noList(answer: Answer): Preflight | undefined {
  if (answer.status !== 200) return { kind: 'refuses', status: answer.status, text: answer.text.slice(0, 120) };
  if (answer.json === undefined) return { kind: 'broken-json', ...typeOf(answer) };
  const { data } = answer.json as { data?: unknown };
  if (!Array.isArray(data)) return { kind: 'no-list' };
  const whole = data.every((entry) => typeof (entry as { id?: unknown } | null)?.id === 'string');
  return whole ? undefined : { kind: 'no-ids' };
}

/** Most pages of the list that are read before the first create. */
const PAGES = 10;

/** Reads further pages of the list. An intern that exists before the first create is not the run's. */
async function readOn(client: Pick<Client, 'send'>, first: Answer, limited: boolean): Promise<void> {
  let next = (first.json as { next_cursor?: unknown }).next_cursor;
  for (let pages = 1; pages < PAGES && typeof next === 'string'; pages++) {
    const query = { ...(limited ? { limit: 500 } : {}), starting_after: next };
    next = ((await client.send({ path: '/interns', query })).json as { next_cursor?: unknown } | undefined)
      ?.next_cursor;
  }
}

async function look(client: Pick<Client, 'send'>, isEmulator: boolean): Promise<Preflight | undefined> {
  const list = await client.send({ path: '/interns', query: { limit: isEmulator ? 1 : 500 } });
  const { status } = list;
  if (status >= 300 && status < 400) {
    const to = list.headers.get('location');
    return { kind: 'redirects', status, ...(to === null ? {} : { to }) };
  }
  if (!isEmulator && FOR_NOW.has(status)) {
    const after = list.headers.get('retry-after');
    return { kind: 'away', status, ...(after === null ? {} : { after }) };
  }
  if (list.json === undefined && !/json/i.test(list.headers.get('content-type') ?? ''))
    return { kind: 'no-json', status, ...typeOf(list) };
  if (status === 401) {
    const one = await client.send({ path: '/interns/00000000-0000-4000-8000-000000000000' });
    if (one.status === 401) return { kind: 'key-refused' };
  }
  if (isEmulator) return undefined;
  // The interface does not state paging: a target that does not know `limit` may refuse it.
  const plain = status === 400 ? await client.send({ path: '/interns' }) : list;
  const why = noList(plain);
  if (why === undefined) await readOn(client, plain, plain === list);
  return why;
}

/**
 * Looks whether the target can be evaluated. Undefined where it can; else the reason: nobody answers, a
 * redirect, no interface there, an invalid key. Sends only reads. An emulator is known by its control
 * interface: checks judge its answers here.
 */
export async function preflight(client: Pick<Client, 'send'>, isEmulator: boolean): Promise<Stop | undefined> {
  try {
    const saw = await look(client, isEmulator);
    return saw === undefined ? undefined : { kind: 'preflight', saw };
  } catch (error) {
    if (error instanceof Stopped) return error.stop;
    const got = whyNoAnswer(error);
    if (got !== undefined) return { kind: 'preflight', saw: { kind: 'unreachable', got } };
    if (error instanceof Finding) return { kind: 'preflight', saw: { kind: 'found', found: error.found } };
    throw error;
  }
}

/** An open run at a deployment or an emulator: its session, its ledger and its clean-up. */
export interface OpenRun extends Omit<RunContext, 'lane'>, RunTarget {
  /** Notes that the settings of the target could not be restored. */
  putBackFailed(error: unknown): void;
  close(): Promise<CleanupResult>;
}

/** Opens a run. Nothing is sent before it begins. `puts`: it may change the clock, limits and faults of an emulator. */
export function openRun(options: Omit<RunnerOptions, 'checks'>, { puts = true } = {}): OpenRun {
  const { driver, host = systemHost } = options;
  const settings = settingsOf(options);
  const ending = createEnding(host, { limits: settings.limits, signal: options.signal });
  const { signal } = ending;
  const base: RunBase = {
    driver,
    host,
    tag: options.tag ?? host.tag(4),
    settings,
    ledger: createLedger(options.ledgerPath),
    ending,
    signal,
  };
  const session = createSession(base);
  const obstacles = createObstacles(settings.blocking);
  const { tag } = base;
  const { monitors, own } = session;
  const owed = (): Owed => {
    const unshown = own.open().filter(({ id }) => own.isUnshown(id)).length;
    const pace = Math.max(settings.rate > 0 ? 1_000 / settings.rate : 0, session.pace() / settings.concurrency);
    return {
      requests: requestsOfCleanUp(own, session.model.dealings.lostWrite !== undefined) + monitors.owed,
      wait: unshown * pace + Math.min(session.learnt.took.teardown ?? 0, LONGEST),
      found: monitors.broken() + session.suspected.size,
      pace,
    };
  };
  const { kind, address, baseUrl, profile } = driver.target;
  const { began = host.now() } = options;
  const putBackFailed = (error: unknown) => ending.stop({ kind: 'not-put-back', detail: messageOf(error) });

  return {
    ...base,
    session,
    pool: createPool(session),
    obstacles,
    about: {
      kind,
      url: address ?? baseUrl,
      ...(driver.remote ? {} : { inProcess: true as const }),
      profile: profile.name,
      published: profile.published,
    },
    concurrency: settings.concurrency,
    get scarce() {
      return session.learnt.scarce;
    },
    get sent() {
      return session.client.sent;
    },
    lacks(need) {
      const how = session.unusable(need);
      const spoilt = how && ({ kind: 'unusable', credential: need as CredentialName, how } as const);
      return driver.lacks(need as Need) ?? spoilt;
    },
    clean: (data) => recorded(data, session.redactor),
    putBackFailed,
    async begin(look) {
      const at = new Date(began).toISOString();
      own.note({ event: 'run', run: tag, url: baseUrl, prefix: session.prefix, at });
      ending.begin(owed, began);
      const why = look && !signal.aborted ? await preflight(session.running, driver.control !== undefined) : undefined;
      if (why !== undefined) ending.stop(why);
      if (puts && ending.stopped === undefined) await driver.begin?.();
      return ending.stopped;
    },
    async close() {
      ending.close();
      session.cleaning();
      await session.client.closeAll();
      await session.client.idle();
      const cleanup = await takeAway({ ...base, session, obstacles }, { until: began + settings.limits.time.most });
      if (puts) await driver.end?.().catch(putBackFailed);
      return cleanup;
    },
    summary: () => ({
      asked: session.learnt.asked,
      exchanges: session.monitors.exchanges,
      options: {
        seed: settings.seed,
        runs: settings.runs,
        readOnly: settings.readOnly,
        slow: driver.slow,
        ...(options.budget === undefined ? {} : { budget: options.budget }),
      },
      others: [
        ...(session.monitors.fault === undefined ? [] : [session.monitors.fault]),
        ...CREDENTIAL_NAMES.flatMap((credential): Incomplete[] => {
          const how = session.unusable(credential);
          return how === undefined ? [] : [{ kind: 'unusable', credential, how }];
        }),
      ],
    }),
  };
}
