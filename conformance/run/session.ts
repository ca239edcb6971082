import { createKnown } from '../../emulator/credentials/known.js';
import { spelledIn } from '../../emulator/credentials/spellings.js';
import { LOOPBACK } from '../drivers/network.js';
import { PROMPTS, READS, type Standing, TURNS } from '../habits/dealings.js';
import { HEEDED } from '../habits/index.js';
import { type Knowledge, NOTICED_WITHIN, nothingLearnt } from '../habits/visit.js';
import { Finding } from '../model/finding.js';
import { createModel } from '../model/model.js';
import { placeOf } from '../model/operations.js';
import { createOwnership, secretPrefixOf } from '../model/ownership.js';
import { lacking, Stopped, type Unusable } from '../model/skip.js';
import { IDEMPOTENCY_HEADER, idempotencyHeaderOf } from '../model/target.js';
import { type Answer, type Client, createClient, type Lane, type RequestHooks, type Sender } from '../probe/client.js';
import { isRecord } from '../probe/json.js';
import { createRedactor } from '../probe/redact.js';
import { type CredentialName, HELD_CREDENTIALS, internPath, type Send } from '../probe/request.js';
import { createInFlight } from '../probe/wait.js';
import { LOOKS } from './cleanup.js';
import { askedBy } from './exchange-of.js';
import * as expect from './expect.js';
import { createGuard, onlyOwn } from './guard.js';
import { prefixOf } from './ledger.js';
import { createRate, createTurns } from './limits.js';
import { callersOf, createMonitors } from './monitors.js';
import type { RunBase } from './options.js';
import type { Obstacles, Pool } from './pool.js';

/** Fields of a create whose intern can serve other checks, too. */
const PLAIN = new Set(['name', 'workspace_id', 'description', 'provision']);
/** Statuses that blame a refused create on the settings of the run. */
const REFUSES: ReadonlySet<number> = new Set([400, 402, 403, 404, 409, 422]);
/** Paths of requests that may carry values of secrets. */
const VAULT = /\/vault\//;
/** Least characters of a value that is searched for in answers. Shorter ones appear by chance. */
const UNLIKELY = 10;
const LONGEST = 1_000;
const isUnlikely = ({ length }: string): boolean => length >= UNLIKELY && length <= LONGEST;

/** The client of a run, with its guard, model and monitors. */
export function createSession(run: RunBase) {
  const { driver, host, settings } = run;
  const { baseUrl, daemonOrigin } = driver.target;
  const prefix = prefixOf(run.tag);
  const credentials = HELD_CREDENTIALS.flatMap((name) => driver.credential(name) ?? []);
  const redactor = createRedactor(credentials);
  const secrets = createKnown(credentials.filter(isUnlikely));
  const rate = createRate(settings.rate, host);
  const collection = `${baseUrl}/interns`;
  const callers = callersOf(driver.target);
  const model = createModel({
    ...driver.target,
    ours: driver.control !== undefined,
    moved: () => driver.control?.moved() ?? 0,
    mapping: driver.target.scimMappingId,
    caller: (name) => callers.get(name),
    madeUp: (id) => session.own.isMadeUp(id),
    ownStatuses: () => session.learnt.words.own(),
    secretIn: (text) => session.secretIn(text),
  });
  const monitors = createMonitors(model, () => host.now());
  /** Whether the target is a deployment: with limits, gateways and other users. */
  const live = driver.control === undefined;
  const habits = live ? HEEDED : [];
  const learnt = nothingLearnt();
  const turns = createTurns(host);
  const { dealings, interns } = model;
  const known: Knowledge = { learnt, dealings, rate, turns, now: () => host.now() };
  const unusable = new Map<string, Unusable>();
  /** When a client of the run last left a stream of an intern. */
  const left = new Map<string, number>();
  let cleaning = false;
  let names = 0;
  let took = 0;

  const own = createOwnership({
    ledger: run.ledger,
    prefix,
    now: () => host.now(),
    lent: driver.target.ownInternId,
    group: driver.target.scimGroupId,
    syncs: driver.target.scimSync === 'yes',
    alone: driver.lacks('disposable') === undefined,
  });
  const { scimGroupId: group, scimMappingId: mapping } = driver.target;
  const shown = { prefix: secretPrefixOf(prefix), group, mapping };
  const guard = createGuard({
    own,
    // On an emulator under control nobody else makes interns: no read is needed.
    read: live ? async (id, as) => (await session.client.send({ path: internPath(id), as })).status : undefined,
    wait: (ms) => host.sleep(ms, run.signal),
  });

  /** Whether a create has only plain fields, in the workspace of the run. */
  const isPlain = (body: unknown): body is Readonly<Record<string, unknown>> =>
    isRecord(body) &&
    body.workspace_id === driver.target.workspaceId &&
    Object.keys(body).every((key) => PLAIN.has(key));
  /** The stop of a run whose create answered no intern: the address is not the interface. */
  const noIntern = (answer: Answer): Stopped => {
    const rule = { kind: 'holds', words: 'an intern with its id' } as const;
    const of = 'the answer to a create';
    const wanted = { kind: 'value', path: of, rule } as const;
    const breaks = { requirement: 'CREATE-1', level: 'S' } as const;
    const finding = new Finding({ wanted, got: expect.seen(answer), of, exchange: answer.exchange, breaks });
    return new Stopped({ kind: 'no-intern', status: answer.status }, finding);
  };

  /** Whether a write was never answered: later ones get less time. */
  let hangs = false;

  const passes = (send: Send, url: string, by: Sender | undefined): RequestHooks => {
    const { json } = send;
    // With the kit's own words: words of the deployment appear only in the address.
    const asked = askedBy(send, driver.target);
    const { method, path } = asked;
    const inside = url.startsWith(collection);
    const request = { send, ...placeOf({ path: inside ? path : '' }) };
    const { id, rest } = request;
    const reads = READS.has(method);
    const creates = inside && method === 'POST' && path === '/interns';
    const isTurn = TURNS.test(rest);
    const prompt = method === 'POST' && PROMPTS.test(rest);
    const secret = isRecord(json) && typeof json.value === 'string' && VAULT.test(url) ? json.value : undefined;
    let numbers = { number: 0, first: 0 };
    const enters = async (signal: AbortSignal | undefined) => {
      if (!cleaning && run.signal.aborted)
        throw run.signal.reason instanceof Stopped ? run.signal.reason : new Stopped({ kind: 'interrupted' });
      if (!cleaning && settings.readOnly && !reads) throw lacking({ kind: 'read-only' });
      if (secret !== undefined) redactor.learn(secret);
      await guard.before(asked);
      const waits = !cleaning && send.soon !== true && method === 'GET';
      const late = waits ? Math.max(0, ...habits.map((habit) => habit.before?.({ id, path }, known) ?? 0)) : 0;
      if (late > 0) await host.sleep(late, signal);
      const from = host.now();
      const held = send.limited !== true && isTurn ? turns(send.as) : undefined;
      if (held?.paused() === true) await held.take(signal);
      await rate.take(signal);
      took += host.now() - from;
    };
    return {
      // The interface states a time only for signing. Some services answer when the operation is done.
      patience:
        live && !reads && inside && !/\/sign$/.test(path)
          ? hangs
            ? settings.streamTimeout
            : settings.writeTimeout
          : undefined,
      async enter(signal) {
        const owes = creates ? (own.creators().length === 0 ? 1 + LOOKS : 1) : method === 'PUT' ? 1 : 0;
        const back = cleaning ? () => {} : run.ending.enter(prompt, owes);
        await enters(signal).catch((error: unknown) => {
          back();
          throw error;
        });
      },
      leaves(given) {
        numbers = given;
        if (by?.lane !== undefined) by.lane.sent++;
        own.asks(numbers.number, asked, send.headers?.[IDEMPOTENCY_HEADER]);
        if (url.startsWith(`${baseUrl}/`)) monitors.asks({ ...asked, ...numbers }, by);
        if (live && id !== undefined && !reads && !isTurn) learnt.words.sent(id);
      },
      lost(after) {
        if (after >= settings.writeTimeout) hangs = true;
        monitors.lost(numbers.number);
      },
      begins({ status, headers, headAfter }) {
        monitors.begins(numbers.number, status);
        session.slow ||= headAfter > settings.timeout;
        took += headAfter;
        // The refusal of the first create blames the run's workspace, a setting. It is no finding.
        const isFirst = live && creates && settings.blocking && own.count() === 0 && send.as === undefined;
        if (isFirst && REFUSES.has(status) && isPlain(json) && String(json.name).startsWith(prefix))
          throw new Stopped({ kind: 'refuses-creates', workspace: driver.target.workspaceId, status });
        if (!cleaning && status >= 300 && prompt) run.ending.refused();
        if (!live) return undefined;
        if (id !== undefined && status < 400 && method === 'DELETE' && rest === '' && own.makerOf(id) !== undefined)
          own.note({ event: 'deleting', id });
        const head = { ...request, first: numbers.first, status, headers, headAfter };
        for (const habit of habits) {
          const again = habit.again?.(head, known);
          if (again !== undefined) return again;
        }
        return undefined;
      },
      ends(answer, record) {
        const { exchange: number, status, json: body } = answer;
        if (secret !== undefined && status < 300 && isUnlikely(secret)) secrets.add(secret);
        // A gateway may answer 429 to requests of any kind.
        session.limited ||= status >= 400 && isTurn && /"reason":"rate_limited"/.test(JSON.stringify(body));
        const given = guard.after({ number, path, status, json: body });
        if (given?.kind === 'nothing' && status < 300 && live && creates) throw noIntern(answer);
        const made = given?.kind === 'own' ? given.id : undefined;
        if (made !== undefined) by?.lane?.made.add(made);
        if (live) learnt.words.sees(request, status, body, made);
        monitors.sees(send, answer, record, by);
      },
      left() {
        if (id !== undefined && rest === 'chat/completions') left.set(id, host.now());
      },
    };
  };

  const client: Client = createClient({
    fetch: async (request) => {
      if (daemonOrigin !== undefined && request.url.startsWith(`${daemonOrigin}/`)) return driver.daemonFetch(request);
      const answer = await driver.fetch(request);
      return live ? onlyOwn(request, answer, shown) : answer;
    },
    plainFetch: driver.plainFetch,
    baseUrl,
    host,
    redactor,
    timeout: settings.timeout,
    inProcess: !driver.remote,
    // A regional endpoint of a deployment has an address of its own.
    hostInUrl: !driver.remote || (live && !LOOPBACK.test(new URL(baseUrl).hostname)),
    credential(name) {
      const value = driver.credential(name);
      if (value === undefined) throw new Error(`a check uses the credential ${name} without declaring the need for it`);
      return value;
    },
    headerNames: { [IDEMPOTENCY_HEADER]: idempotencyHeaderOf(driver.target.profile) },
    address: learnt.words.address,
    passes,
  });

  const session = {
    /** Learned facts about the habits of the target. */
    learnt,
    /** Whether some answer took longer than usual. */
    slow: false,
    /** Average ms of a request so far, from its call until its answer began. */
    pace: () => took / Math.max(1, client.sent),
    client,
    /** The client until the run is over. */
    running: client.scope(run.signal),
    inFlight: createInFlight(run.signal),
    redactor,
    /** The prefix of every name that the run gives. */
    prefix,
    newName: (): string => `${prefix}${(++names).toString(36)}`,
    /** The interns that the run made: it writes to no others. */
    own,
    /** The model of the target, which learns from every exchange. */
    model,
    /** The state of a plain intern of the API key, which can serve any check. */
    standing(id: string): Standing | undefined {
      const { made, standing } = interns.get(id) ?? {};
      return made?.by === 'api_key' && isPlain(made.body) ? standing : undefined;
    },
    /** The monitors that judge every exchange. */
    monitors,
    /** Checks that found something beside others, and wait to run alone. */
    suspected: new Set<string>(),
    /** The habits that the target may have. An emulator under control has none. */
    habits,
    /** The knowledge of the habits about the target. */
    known,
    /** The rates of the callers' turns. */
    turns,
    /** Whether a client left a stream of the intern a short time ago, which the service may not have noticed. */
    lately: (id: string) => session.leftAgo(id) < NOTICED_WITHIN,
    /** Whether the run met the chat turn limit (CHAT-17). */
    limited: false,
    /** ms since a client of the run left a stream of the intern; Infinity if none did. */
    leftAgo: (id: string): number => host.now() - (left.get(id) ?? Number.NEGATIVE_INFINITY),
    /** The kind of secret in a text. */
    secretIn(text: string): 'credential' | 'value' | undefined {
      const [found] = spelledIn(text, secrets);
      return found && (credentials.includes(found.value) ? 'credential' : 'value');
    },
    /** Why a credential cannot be used, which is the caller's mistake; undefined if it can. */
    unusable: (name: string) => unusable.get(name),
    /** Notes that a credential cannot be used, or no longer. */
    spoilt: (name: CredentialName, why: Unusable) => void unusable.set(name, why),
    /** The client of the clean-up, which neither the budget nor the end of the run stops. */
    cleaning() {
      cleaning = true;
      monitors.close();
    },
  };
  return session;
}
export type Session = ReturnType<typeof createSession>;

/** Everything that the parts of a run share, and the lane of the current check. Its members are never replaced during a run. */
export interface RunContext extends RunBase {
  readonly session: Session;
  readonly pool: Pool;
  readonly obstacles: Obstacles;
  readonly lane: Lane;
}
