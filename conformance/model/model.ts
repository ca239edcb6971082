import { proofHeadersOf } from '../framework/profile.js';
import { isRecord } from '../probe/json.js';
import { createCreates, createNames } from './creates.js';
import { createDaemons } from './daemons.js';
import { createDealings } from './dealings.js';
import { type Answered, type Asked, bodyOf, type Exchange, idAsShown } from './exchange.js';
import {
  type Act,
  createWho,
  FIXED,
  GOES,
  GONE,
  type InternFacts,
  internFacts,
  isStuck,
  PHASES,
  type Phase,
  phasesAfter,
  type RecordFields,
  SETTINGS,
  SHOWS_NOTHING,
  UNDONE_BY,
  WIDENED,
} from './intern.js';
import { createLateness, createLists } from './lists.js';
import { isDaemon, isPrompt, type Operation, operationOf } from './operations.js';
import { MOST, type ModelOptions, Recent, type ShownValue } from './options.js';
import { createSessions } from './sessions.js';

/** An answer that says nothing of the effect of its request: the service, or a gateway before it, failed. */
const saysNothing = (status: number): boolean => status >= 500 || status === 408;

/** Statuses of an intern whose boot has begun. */
const BOOTED: ReadonlySet<string> = new Set(['queued', 'provisioning', 'running', 'failed']);
/** ms after which an intern that was made without a boot would have begun one, and how many have to rest for so long. */
const RESTS = 2_000;
const ENOUGH = 5;
/** ms in which a boot may be that of a call that was refused. */
const AFTER_A_REFUSAL = 10_000;

/** Operations on the vault of an intern that find it as reads do, and those that find an intern while it goes. */
const VAULTS: ReadonlySet<string> = new Set(['intern secrets', 'store intern secret']);
const THERE: ReadonlySet<string> = new Set(['get', 'delete']);

/** Interns that are remembered: traffic may go on for days. */
const INTERNS = 10_000;
/** Lifecycle calls that are remembered: what an intern came to is held against the latest. */
const ACTS = 200;

/** The knowledge about a target, from the exchanges that it has seen. It sends nothing and reads no clock. */
export function createModel(options: ModelOptions) {
  const proof = proofHeadersOf(options.profile);
  const who = createWho(options);
  const { isBy, isVisible, personOf } = who;
  const creates = createCreates(options, who);
  const sessions = createSessions(who, options);
  /** Requests of which not even the head of an answer came. */
  const flying = new Set<number>();
  let hasForgotten = options.inUse === true;
  const interns = new Recent<string, InternFacts>(INTERNS, (facts) => {
    hasForgotten = true;
    present.delete(facts);
    names.forgets(facts);
    facts.made = undefined;
  });
  const isBad = (name: string) => options.caller(name)?.kind === 'invalid';
  const dealings = createDealings(interns, isBad, options.ours === true, proof.signatureV2);
  /** Interns of this traffic that may still be there. */
  const present = new Set<InternFacts>();
  const names = createNames();
  const lateness = createLateness(options, who);
  const lists = createLists(who, lateness, present);
  const daemons = createDaemons(proof);
  const mappings = new Recent<string, ShownValue>(MOST);
  /** Lifecycle calls that were accepted, by their numbers. */
  const acts = new Recent<number, Act>(ACTS);
  /** Statuses that were shown. */
  const statuses = new Set<string>();
  /** Fields that were shown with blanks around their text. */
  const untidied = new Set<string>();
  /** Interns that rest some time after they were made without a boot, up to ENOUGH; and whether any has booted by itself. */
  const rested = new Set<string>();
  let bootsItself = false;
  /** Interns by their vaults. */
  const vaults = new Recent<string, ShownValue<string>>(MOST);

  const internOf = (id: string): InternFacts => {
    const known = interns.get(id) ?? internFacts(id);
    interns.set(id, known);
    return known;
  };

  const shows = (row: RecordFields, { asked, answered }: Exchange) => {
    if (typeof row.id !== 'string' || answered === undefined) return;
    const facts = internOf(row.id);
    const { number } = asked;
    for (const key of FIXED) {
      const value = row[key];
      if (typeof value === 'string' && !facts.fixed.has(key)) facts.fixed.set(key, { value, number });
    }
    creates.shows(row);
    if (typeof row.workspace_id === 'string') facts.workspace ??= row.workspace_id;
    if (typeof row.vault_id === 'string' && !vaults.has(row.vault_id))
      vaults.set(row.vault_id, { value: row.id, number });
    const sure = operationOf(asked)?.operation.name === 'get' && lateness.of('get') === 0;
    facts.shown = { status: String(row.status), number, at: asked.at, sure };
    facts.since ??= answered.at;
    const { awaited } = facts;
    if (awaited !== undefined && awaited.at < asked.at) {
      if (SHOWS_NOTHING[awaited.name].includes(String(row.status))) awaited.reads += 1;
      else facts.awaited = undefined;
    }
    const { lost } = facts;
    // One wrong exchange is reported once, whatever it left out.
    if (lost !== undefined && lost.at <= asked.at)
      for (const other of [facts, ...present]) if (other.lost?.number === lost.number) other.lost = undefined;
    statuses.add(String(row.status));
    who.sees(asked, facts);
    // Others may change their interns at any time.
    if (facts.made === undefined || options.partial === true) return;
    if (facts.phase.since(asked.at)?.has('new') === true && facts.moving === 0) {
      const { made, refused } = facts;
      const isRefused = refused !== undefined && asked.at - refused.at < AFTER_A_REFUSAL;
      if (BOOTED.has(String(row.status))) bootsItself ||= !isRefused;
      else if (row.status === 'stopped' && asked.at - made.at > RESTS && rested.size < ENOUGH) rested.add(row.id);
    }
    const phases = (options.ours === true ? PHASES : WIDENED)[String(row.status)];
    if (phases !== undefined) facts.phase.narrow(phases, number, answered.at, asked.at);
    // One whose teardown failed stays until it is deleted again.
    if (isStuck(row)) present.add(facts);
    for (const key of ['description', 'instructions'] as const) {
      const text = row[key];
      if (typeof text === 'string' && text !== text.trim()) untidied.add(key);
    }
    for (const key of SETTINGS)
      if (key in row) facts.settings[key].narrow([JSON.stringify(row[key])], number, answered.at, asked.at);
  };

  const created = (row: RecordFields, { asked, answered }: Exchange, before: number) => {
    if (typeof row.id !== 'string' || answered === undefined) return;
    const { at, number, caller } = asked;
    const body = bodyOf(asked) ?? {};
    const person = personOf(asked);
    creates.took(asked, row.id, answered.at);
    const facts = internOf(row.id);
    // A read may show it before its create is answered.
    if (facts.made !== undefined || (facts.since ?? at) < at) return;
    // It may be a forgotten one that is answered again: then it is older than the record that was shown before.
    const isOlder = Date.parse(String(row.created_at)) < before;
    if (hasForgotten && (answered.status !== 201 || isOlder)) return;
    facts.made = { by: caller, person, at, number, body };
    if (answered.status === 201) creates.made(answered, row);
    if (options.partial !== true) present.add(facts);
    names.calls(facts, body.name);
    if (typeof body.workspace_id === 'string') facts.workspace = idAsShown(body.workspace_id, row.workspace_id);
    who.creates(asked);
    if (options.partial === true) return;
    dealings.created(facts, row, body.provision === true, answered.at);
    // A service may boot an intern at once that was to wait.
    facts.phase.narrow(
      [
        'booting',
        'up',
        'failed',
        ...(body.provision === true ? [] : ['new' as const]),
        ...(options.ours === true ? [] : ['off' as const]),
      ],
      number,
      answered.at,
      at,
    );
    if (asked.body.kind === 'unknown') return;
    for (const setting of SETTINGS)
      facts.settings[setting].narrow([JSON.stringify(body[setting] ?? null)], number, answered.at, at);
  };

  /** Whether a request names only an intern that its caller sees, that was read before and that nobody deletes. */
  const mustBeFound = (facts: InternFacts, asked: Asked, { name, area }: Operation): boolean => {
    const { made, read } = facts;
    if (options.partial === true || made === undefined || read === undefined || asked.regional) return false;
    if (asked.body.kind === 'unknown' || (area !== 'interns' && !VAULTS.has(name))) return false;
    // A read may be late, unless none was.
    const late = lateness.of('get');
    if (name === 'get' && late > 0) return false;
    if (isVisible(asked, facts) !== true) return false;
    // A session that is named may be the one that is not found, but for one that an invoke gave to its caller.
    const session = bodyOf(asked)?.session_id;
    const given = name === 'invoke' ? sessions.session(facts.id, String(session))?.value : undefined;
    const isOwn = given?.origin === 'invoke' && isBy(asked, given.person) === true;
    if ((session !== undefined && !isOwn) || asked.at < made.at + late) return false;
    const phases = facts.phase.since(asked.at);
    // A deleted intern is there for as long as reads show it.
    return phases !== undefined && (!GOES.some((phase) => phases.has(phase)) || (THERE.has(name) && late === 0));
  };

  /** A secret may be gone: its delete leaves, or has come back. */
  const deletes = (id: string, secret: string) => {
    const facts = interns.get(id);
    facts?.stored.delete(secret);
    facts?.storing.delete(secret);
  };

  /** A request that may change an intern is answered, or never will be. `took`: whether it did; undefined: nobody knows. */
  const moves = (asked: Asked, took: boolean | undefined, at: number, status?: number) => {
    const { id, operation } = operationOf(asked) ?? {};
    const facts = id === undefined ? undefined : interns.get(id);
    if (facts === undefined || operation === undefined) return;
    const { name } = operation;
    if (phasesAfter(name, options.ours === true) !== undefined) {
      facts.moving = Math.max(0, facts.moving - 1);
      if (took !== false) facts.moved = at;
      if (took !== false && (name === 'suspend' || name === 'delete')) facts.halted = at;
      // 404 says to a caller who sees it that it is gone: others have taken it away by then.
      else if (status === 404 && isVisible(asked, facts) !== false) facts.refused = undefined;
      else if (name === 'suspend' || name === 'provision' || name === 'delete')
        facts.refused = { name, number: asked.number, at: asked.at };
    }
    for (const value of [facts.phase, ...Object.values(facts.settings)]) value.answered(asked.number, took, at);
  };
  /** The head of an answer came, or none will. */
  const landed = (asked: Asked, answered: Pick<Answered, 'status' | 'at'> | undefined) => {
    if (!flying.delete(asked.number)) return;
    if (answered === undefined) dealings.lost(asked);
    else dealings.begins(asked, answered.status, answered.at);
  };
  return {
    options,
    /** The acts on each intern. */
    dealings,
    interns: interns as ReadonlyMap<string, InternFacts>,
    present: present as ReadonlySet<InternFacts>,
    /** Interns that a list lacked, and that were not shown since: others may have taken them away. */
    get missed(): readonly string[] {
      return [...present].filter(({ lost }) => lost?.by.startsWith('list')).map(({ id }) => id);
    },
    /** Whether nothing was asked before, beside, or too long ago. */
    get hasSeenAll(): boolean {
      return options.partial !== true && !hasForgotten;
    },
    /** Interns of this traffic that may have a name, or had it. */
    called: names.called,
    pages: lists.pages,
    nonces: daemons.nonces,
    signers: daemons.signers,
    routes: daemons.routes,
    accessBy: daemons.accessBy,
    signedBefore: daemons.signedBefore,
    /** The timestamp of the first proof, in seconds, and when it was made. */
    get stamped() {
      return options.partial === true ? undefined : daemons.stamped();
    },
    vaults: vaults as ReadonlyMap<string, ShownValue<string>>,
    questions: sessions.questions,
    session: sessions.session,
    acts: acts as ReadonlyMap<number, Act>,
    /** ms that a read may lack what was made. */
    lateOf: lateness.of,
    usageAlone: sessions.usageAlone,
    statuses: statuses as ReadonlySet<string>,
    callerOf: who.callerOf,
    isBy,
    hasCreated: who.hasCreated,
    isVisible,
    createBy: creates.createBy,
    get hasOwnClock(): boolean {
      return creates.hasOwnClock;
    },
    /**
     * Whether a create made the intern that it answers: nobody asked for it before, and it began after all that was seen, by
     * the clock of the target. False: not known.
     */
    isFirst({ asked, answered }: { readonly asked: Asked; readonly answered: Answered }, row: RecordFields): boolean {
      if (options.partial === true || typeof row.id !== 'string' || interns.has(row.id)) return false;
      return creates.isFirst(asked, answered, row);
    },
    /** Whether a create may be the retry of an earlier one. */
    mayRetry: (asked: Asked): boolean => options.partial === true || hasForgotten || creates.mayRetry(asked),
    /** Whether a field keeps its texts as they are: one was shown with blanks around it. */
    keepsBlanks: (field: string): boolean => untidied.has(field),
    /** The create that was refused a name which nothing else has asked for. */
    refusedName: (name: unknown): number | undefined =>
      options.partial === true || hasForgotten ? undefined : names.refused(name),
    /** Whether a create was refused a name that some list may show all the same. */
    get hasRefused(): boolean {
      return names.hasRefused && options.partial !== true && !hasForgotten;
    },
    /** Whether interns that were made without a boot stay at rest, as far as was seen. */
    get restsUntilAsked(): boolean {
      return rested.size >= ENOUGH && !bootsItself;
    },
    /** The facts of an intern now. */
    known: (id: string) => ({
      phases: interns.get(id)?.phase.since(Number.POSITIVE_INFINITY) ?? new Set<Phase>(),
      get sessions() {
        return sessions.of(id);
      },
      get questions() {
        return sessions.calls(id);
      },
    }),
    mapping: (id: string): ShownValue | undefined => mappings.get(id.toLowerCase()),

    /** A request leaves: from now on its effects are possible. */
    asks(asked: Asked): void {
      const { operation, id, secret } = operationOf(asked) ?? {};
      const name = operation?.name;
      if (name === 'create') creates.asks(asked);
      if (options.partial === true) return;
      flying.add(asked.number);
      const after = name === undefined ? undefined : phasesAfter(name, options.ours === true);
      // Its create may be under way.
      const facts = id !== undefined && (after !== undefined || name === 'update') ? internOf(id) : undefined;
      dealings.asks(asked);
      if (name !== undefined) names.asks(asked, name);
      if (name === 'delete intern secret') deletes(String(id), String(secret));
      if (name === 'store intern secret') interns.get(String(id))?.storing.set(String(secret), asked.number);
      if (id !== undefined) sessions.asks(asked, id);
      if (name === undefined || facts === undefined) return;
      if (facts.awaited !== undefined && UNDONE_BY[facts.awaited.name].includes(name)) facts.awaited = undefined;
      if (after !== undefined) {
        facts.attached = undefined;
        facts.phase.asks(asked.number, after);
        facts.moving += 1;
      }
      if (name !== 'update') return;
      const body = bodyOf(asked) ?? {};
      names.calls(facts, body.name);
      for (const key of SETTINGS) {
        if (asked.body.kind === 'unknown') {
          facts.settings[key].forget(asked.at);
          facts.settings[key].asks(asked.number, () => []);
        } else if (key in body) facts.settings[key].asks(asked.number, () => [JSON.stringify(body[key])]);
      }
    },

    /** An answer begins: its head came. */
    begins: (asked: Asked, status: number, at: number): void => landed(asked, { status, at }),

    /** A stream was left before its end: of all that it said only its question counts. */
    glimpses(exchange: Exchange): void {
      const { asked, answered } = exchange;
      const id = operationOf(asked)?.id;
      if (answered === undefined) return;
      dealings.sees(asked, answered);
      if (id === undefined) return;
      moves(asked, true, answered.at);
      sessions.ends(asked, id);
      sessions.heard(exchange, id);
    },

    /** The target was made to do wrong: nothing is known of it any more. */
    restart(): void {
      for (const known of [interns, present, mappings, acts, statuses, untidied, vaults, rested]) known.clear();
      for (const part of [who, names, creates, sessions, daemons, lists]) part.restart();
      hasForgotten = options.inUse === true;
      bootsItself = false;
    },

    /** An answer came, or none will: after the rules have judged it. */
    sees(exchange: Exchange): void {
      const { asked, answered } = exchange;
      const named = operationOf(asked);
      landed(asked, answered);
      if (answered !== undefined && options.partial !== true)
        dealings.sees(asked, answered, named?.operation.name === 'create');
      if (named === undefined) return;
      const { operation, id } = named;
      const { name } = operation;
      const before = creates.over(asked);
      const status = answered?.status;
      const took =
        status === undefined || saysNothing(status) || (status === 409 && isPrompt(operation))
          ? undefined
          : status < 300;
      names.sees(asked, name, took, status);
      if (id !== undefined) sessions.ends(asked, id);
      const facts = id === undefined ? undefined : interns.get(id);
      const at = answered?.at ?? asked.at;
      moves(asked, took, at, status);
      if (name === 'update' && asked.body.kind === 'unknown')
        for (const value of Object.values(facts?.settings ?? {})) value.forget(at);
      if (answered === undefined) return;
      if (name === 'get' && facts?.made !== undefined && isBy(asked, facts.made.person) === true && !asked.regional)
        if (status === 200 || status === 404) lateness.comes('get', facts, asked, status === 200);
      if (
        options.partial !== true &&
        status === 404 &&
        name === 'get' &&
        facts?.made !== undefined &&
        isBy(asked, facts.made.person) === true &&
        // A read of a new intern may be late.
        asked.at >= facts.made.at + lateness.of('get')
      ) {
        facts.phase.narrow(['gone'], asked.number, at, asked.at);
        const phases = facts.phase.since(at);
        if (phases?.size === 1 && phases.has('gone')) present.delete(facts);
        facts.shown = { status: GONE, number: asked.number, at: asked.at, sure: lateness.of('get') === 0 };
      }
      if (facts !== undefined && status === 404 && mustBeFound(facts, asked, operation))
        facts.lost ??= { number: asked.number, at, by: name };
      creates.sees(answered);
      if (name === 'delete intern secret') deletes(String(id), String(named.secret));
      if (took !== true) return;
      if (name === 'store intern secret' && facts?.storing.get(String(named.secret)) === asked.number)
        facts.stored.set(String(named.secret), { number: asked.number, at });
      if (name === 'delete' && facts !== undefined) {
        present.delete(facts);
        facts.acknowledged =
          bodyOf(asked)?.acknowledge_workspace_loss === true ? { number: asked.number, at: answered.at } : undefined;
      }
      if (
        id !== undefined &&
        options.partial !== true &&
        (name === 'provision' || name === 'suspend' || name === 'delete')
      ) {
        acts.set(asked.number, { name, id, number: asked.number, at: answered.at });
        if (facts?.made !== undefined) facts.awaited = { name, number: asked.number, at: answered.at, reads: 0 };
      }
      const { json, stream } = answered;
      if (stream !== undefined && id !== undefined) {
        sessions.spoke(exchange, id, 'chat', stream.sessionId);
        sessions.heard(exchange, id);
      }
      if (!isRecord(json)) return;
      // A retried create gives its first answer.
      const replayed = name === 'create' && typeof json.id === 'string' && interns.get(json.id)?.made !== undefined;
      if (name === 'create') created(json, exchange, before);
      if ((name === 'create' && !replayed) || name === 'get' || name === 'update') shows(json, exchange);
      if (name === 'get' && facts !== undefined) facts.read = asked.at;
      if (name === 'list' && Array.isArray(json.data)) {
        const rows = json.data.filter(isRecord);
        for (const row of rows) shows(row, exchange);
        lists.sees(exchange, json, rows);
      }
      if (name === 'invoke' && id !== undefined) sessions.spoke(exchange, id, 'invoke', json.session_id);
      // A call that passed unseen may have asked for another state.
      if (options.partial !== true && isDaemon(operation) && facts?.moving === 0)
        facts.attached = { at: answered.at, number: asked.number };
      daemons.sees(exchange, named, json);
      if (name === 'scim' && id !== undefined && !mappings.has(id.toLowerCase()))
        mappings.set(id.toLowerCase(), { value: json.data, number: asked.number });
    },
  };
}
export type Model = ReturnType<typeof createModel>;
