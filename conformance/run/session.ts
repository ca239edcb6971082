import { createKnown } from '../../emulator/credentials/known.js';
import { spelledIn } from '../../emulator/credentials/spellings.js';
import { LOOPBACK } from '../drivers/network.js';
import * as expect from '../framework/expect.js';
import { Finding } from '../framework/finding.js';
import { IDEMPOTENCY_HEADER, idempotencyHeaderOf } from '../framework/profile.js';
import { lacking } from '../framework/skip.js';
import { Stopped, type Unusable } from '../framework/stop.js';
import { type Addressed, PROMPTS, READS, type Standing, TURNS } from '../habits/dealings.js';
import { HEEDED } from '../habits/index.js';
import { type Knowledge, NOTICED_WITHIN, nothingLearnt } from '../habits/visit.js';
import { createModel } from '../model/model.js';
import { placeOf } from '../model/operations.js';
import { createOwnership, type Leaving, secretPrefixOf } from '../model/ownership.js';
import { type Answer, type Client, createClient } from '../probe/client.js';
import { isRecord } from '../probe/json.js';
import { createRedactor } from '../probe/redact.js';
import { type CredentialName, HELD_CREDENTIALS, internPath, type Send } from '../probe/request.js';
import { LOOKS } from './cleanup.js';
import { leavingBy, pathOf } from './exchange-of.js';
import { createGuard, onlyOwn } from './guard.js';
import { prefixOf } from './ledger.js';
import { callersOf, createMonitors } from './monitors.js';
import type { Obstacles } from './obstacles.js';
import type { RunBase } from './options.js';
import type { Lane, Pool } from './pool.js';
import { createRate, createTurns } from './rate.js';

/** Whether an answer is over the limit of turns: others may limit requests of any kind, with 429 too. */
const isTurn = (rest: string, body: unknown): boolean =>
  TURNS.test(rest) && /"reason":"rate_limited"/.test(JSON.stringify(body));
/** The fields of a create whose intern can serve other checks too. */
const PLAIN = new Set(['name', 'workspace_id', 'description', 'provision']);
/** Where values of secrets are sent to. */
const VAULT = /\/vault\//;
/** Shorter ones may stand in an answer by chance; longer ones take long to look for. */
const UNLIKELY = 10;
const LONGEST = 1_000;
const isUnlikely = ({ length }: string): boolean => length >= UNLIKELY && length <= LONGEST;

/** The client of a run, and what watches over what it sends. */
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
    moved: () => driver.clock?.moved?.() ?? 0,
    mapping: driver.target.scimMappingId,
    caller: (name) => callers.get(name),
    madeUp: (id) => session.own.isMadeUp(id),
    ownStatuses: () => session.learnt.words.own(),
    secretIn: (text) => session.secretIn(text),
  });
  const monitors = createMonitors(model, driver.target, () => host.now());
  /** Without control a target is not the run's own, and its limits, gateways and neighbours are in force. */
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
    // An emulator under control is the run's own: there a read would be one more than a check has asked for.
    read: live ? async (id, as) => (await session.client.send({ path: internPath(id), as })).status : undefined,
    wait: (ms) => host.sleep(ms, run.signal),
  });

  const about = (send: Send, url: string): Addressed => ({
    send,
    ...placeOf({ path: url.startsWith(collection) ? pathOf(url, baseUrl) : '' }),
  });
  const isCreate = (send: Send, url: string) => send.method === 'POST' && url.split('?')[0] === collection;
  const leaving = (send: Send, url: string): Leaving => leavingBy(send, pathOf(url, baseUrl));

  /** The body of a create that asks only for a name, and whether to boot, in the workspace that was named to the run. */
  const isPlain = (body: unknown): body is Readonly<Record<string, unknown>> =>
    isRecord(body) &&
    body.workspace_id === driver.target.workspaceId &&
    Object.keys(body).every((key) => PLAIN.has(key));
  /** A create of the key of the run under a name of its own. */
  const isUsual = (send: Send, url: string): boolean =>
    live &&
    isCreate(send, url) &&
    send.as === undefined &&
    isPlain(send.json) &&
    String(send.json.name).startsWith(prefix);

  const isPrompt = (send: Send, url: string) => send.method === 'POST' && PROMPTS.test(about(send, url).rest);

  /** How long a read has to wait for what the run wrote before, in ms. */
  const lateness = (send: Send, url: string): number => {
    const { id } = about(send, url);
    const [path = ''] = url.slice(baseUrl.length).split(/[?#]/);
    return Math.max(0, ...habits.map((habit) => habit.before?.({ id, path }, known) ?? 0));
  };

  const before = async (send: Send, url: string, signal: AbortSignal | undefined) => {
    if (cleaning) return leaves(send, url, signal);
    const prompt = isPrompt(send, url);
    const owes = isCreate(send, url) ? (own.creators().length === 0 ? 1 + LOOKS : 1) : send.method === 'PUT' ? 1 : 0;
    const back = run.ending.enter(prompt, owes);
    await leaves(send, url, signal).catch((error: unknown) => {
      back();
      throw error;
    });
  };

  /** Work before a request leaves. */
  const leaves = async (send: Send, url: string, signal: AbortSignal | undefined) => {
    if (!cleaning) {
      if (run.signal.aborted)
        throw run.signal.reason instanceof Stopped ? run.signal.reason : new Stopped({ kind: 'interrupted' });
      if (settings.readOnly && !READS.has(send.method ?? 'GET')) throw lacking({ kind: 'read-only' });
    }
    const { json } = send;
    if (isRecord(json) && typeof json.value === 'string' && VAULT.test(url)) redactor.learn(json.value);
    await guard.before(leaving(send, url));
    const late = cleaning || send.soon === true || (send.method ?? 'GET') !== 'GET' ? 0 : lateness(send, url);
    if (late > 0) await host.sleep(late, signal);
    const from = host.now();
    const held = send.limited !== true && TURNS.test(about(send, url).rest) ? turns(send.as) : undefined;
    if (held?.paused() === true) await held.take(signal);
    await rate.take(signal);
    took += host.now() - from;
  };

  /** An address that answers no list of interns is not the interface. Further requests to it would be lost. */
  const noIntern = (answer: Answer): Stopped => {
    const rule = { kind: 'holds', words: 'an intern with its id' } as const;
    const of = 'the answer to a create';
    const wanted = { kind: 'value', path: of, rule } as const;
    const breaks = { requirement: 'CREATE-1', level: 'S' } as const;
    const finding = new Finding({ wanted, got: expect.seen(answer), of, exchange: answer.exchange, breaks });
    return new Stopped({ kind: 'no-intern', status: answer.status }, finding);
  };

  const note = (send: Send, url: string, answer: Answer) => {
    const stored = answer.status < 300 && VAULT.test(url) && isRecord(send.json) ? send.json.value : undefined;
    if (typeof stored === 'string' && isUnlikely(stored)) secrets.add(stored);
    const { exchange: number, status, json } = answer;
    const request = about(send, url);
    session.limited ||= status >= 400 && isTurn(request.rest, json);
    const given = guard.after({ number, path: pathOf(url, baseUrl), status, json });
    if (given?.kind === 'nothing' && status < 300 && live && isCreate(send, url)) throw noIntern(answer);
    const made = given?.kind === 'own' ? given.id : undefined;
    if (live) learnt.words.sees(request, status, json, made);
  };

  /** A write was never answered: others are given less time for nothing. */
  let hangs = false;

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
    // How long an operation may take is stated for signing alone: some answer when they are done.
    patience: (send, url) =>
      live && !READS.has(send.method ?? 'GET') && url.startsWith(collection) && !/\/sign(\?|$)/.test(url)
        ? hangs
          ? settings.streamTimeout
          : settings.writeTimeout
        : undefined,
    inProcess: !driver.remote,
    // A regional endpoint of a deployment has an address of its own.
    hostInUrl: !driver.remote || (live && !LOOPBACK.test(new URL(baseUrl).hostname)),
    credential(name) {
      const value = driver.credential(name);
      if (value === undefined) throw new Error(`a check uses the credential ${name} without declaring the need for it`);
      return value;
    },
    headerNames: { [IDEMPOTENCY_HEADER]: idempotencyHeaderOf(driver.target.profile) },
    before,
    sent(send, url, numbers, by) {
      own.asks(numbers.number, leaving(send, url), send.headers?.[IDEMPOTENCY_HEADER]);
      monitors.asks(send, by, numbers);
      if (!live) return;
      const request = about(send, url);
      if (request.id !== undefined && !READS.has(send.method ?? 'GET') && !TURNS.test(request.rest))
        learnt.words.sent(request.id);
    },
    lost({ number }, after) {
      if (after >= settings.writeTimeout) hangs = true;
      monitors.lost(number);
    },
    after(send, url, { number, first }, { status, headers, headAfter: answered }) {
      monitors.begins(number, status);
      session.slow ||= answered > settings.timeout;
      took += answered;
      // The caller named the workspace: a deployment that refuses the first create in it is not to blame for it.
      if (
        settings.blocking &&
        own.count() === 0 &&
        [400, 402, 403, 404, 409, 422].includes(status) &&
        isUsual(send, url)
      )
        throw new Stopped({ kind: 'refuses-creates', workspace: driver.target.workspaceId, status });
      if (!cleaning && status >= 300 && isPrompt(send, url)) run.ending.refused();
      if (!live) return undefined;
      const request = about(send, url);
      const { id = '', rest } = request;
      const { method = 'GET' } = send;
      if (status < 400 && method === 'DELETE' && rest === '' && own.makerOf(id) !== undefined)
        own.note({ event: 'deleting', id });
      const head = { ...request, first, status, headers };
      for (const habit of habits) {
        const again = habit.again?.(head, known);
        if (again !== undefined) return again;
      }
      return undefined;
    },
    address: learnt.words.address,
    seen(send, url, answer, record, by) {
      note(send, url, answer);
      monitors.sees(send, answer, record, by);
    },
    left(url) {
      const { id, rest } = about({}, url);
      if (id !== undefined && rest === 'chat/completions') left.set(id, host.now());
    },
  });

  const session = {
    /** The habits that the target was seen to have. */
    learnt,
    /** Some answer took longer than most may. */
    slow: false,
    /** ms that a request took so far on average, from when it was to leave until the head of its answer. */
    pace: () => took / Math.max(1, client.sent),
    client,
    /** The same, until the run is over. */
    running: client.scope(run.signal),
    redactor,
    /** Beginning of every name that the run gives. */
    prefix,
    /** The interns that the run made: it writes to no others. */
    own,
    /** The model of the target: every exchange passes it. */
    model,
    /** Where an intern is that was made as plainly as can be, with the API key, and can serve any check. */
    standing(id: string): Standing | undefined {
      const { made, standing } = interns.get(id) ?? {};
      return made?.by === 'api_key' && isPlain(made.body) ? standing : undefined;
    },
    /** The rules and monitors that look at every answer. */
    monitors,
    /** Checks that found something beside others, and are still to be done alone. */
    suspected: new Set<string>(),
    /** The habits that the target may have. Under control it has none, since scripts decide. */
    habits,
    /** The knowledge of the habits about the target. */
    known,
    /** When turns of a caller leave. */
    turns,
    /** Whether a client of the run left a stream of the intern less than half a minute ago: that may not be noticed yet. */
    lately: (id: string) => session.leftAgo(id) < NOTICED_WITHIN,
    /** Whether the run met the chat turn limit (CHAT-17). */
    limited: false,
    /** ms since a client of the run left a stream of the intern; of one that none left, without end. */
    leftAgo: (id: string): number => host.now() - (left.get(id) ?? Number.NEGATIVE_INFINITY),
    /** The kind of secret that stands in a text. */
    secretIn(text: string): 'credential' | 'value' | undefined {
      const [found] = spelledIn(text, secrets);
      return found && (credentials.includes(found.value) ? 'credential' : 'value');
    },
    /** Why a credential opens nothing here, where it was found not to: the caller's mistake. */
    unusable: (name: string) => unusable.get(name),
    /** Tells that a credential opens nothing, or nothing more. */
    spoilt: (name: CredentialName, why: Unusable) => void unusable.set(name, why),
    /** From here on only the clean-up sends: neither the budget nor the end of the run keep it from that. */
    cleaning() {
      cleaning = true;
      monitors.close();
    },
  };
  return session;
}
export type Session = ReturnType<typeof createSession>;

/** Everything that the parts of a run share, and the lane that looks. Nothing in it is replaced while the run goes on. */
export interface RunContext extends RunBase {
  readonly session: Session;
  readonly pool: Pool;
  readonly obstacles: Obstacles;
  readonly lane: Lane;
}
