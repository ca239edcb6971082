import { TURNING } from '../habits/dealings.js';
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
import { isDaemon, isPrompt, type Named, type Operation, type OperationName, operationOf } from './operations.js';
import { MOST, type ModelOptions, Recent, type ShownValue } from './options.js';
import { createSessions } from './sessions.js';
import { proofHeadersOf } from './target.js';

/** Whether the service or a gateway failed: its answer does not tell whether the request took effect. */
const saysNothing = (status: number): boolean => status >= 500 || status === 408;

/** Statuses of an intern whose boot has begun. */
const BOOTED: ReadonlySet<string> = new Set(['queued', 'provisioning', 'running', 'failed']);
/** ms within which a service that boots every new intern has begun to. */
const RESTS = 2_000;
/** ms after its create for which a new intern may be about to boot. */
const WAITS = 20_000;
/** This many interns that rest longer show that the service boots none by itself. */
const ENOUGH = 5;
/** ms after its create for which another member may not see an intern. */
const SEEN_BY_ALL = 5_000;
/** A refused call may boot its intern nevertheless: ms after it in which a boot proves nothing. */
const AFTER_A_REFUSAL = 10_000;

/** Vault operations that find an intern whenever a read does. */
const VAULTS: ReadonlySet<string> = new Set(['intern secrets', 'store intern secret']);
/** Operations that find an intern during its teardown. */
const THERE: ReadonlySet<string> = new Set(['get', 'delete']);

/** ms for which a turn of chat may go on after its client has left (CHAT-10). */
const GOES_ON = 60_000;

/** Updates of an intern that a finding can show. */
const SHOWN_UPDATES = 4;
/** Most interns, and most lifecycle calls, that are remembered: traffic may go on for days. */
const INTERNS = 10_000;
const ACTS = 200;

/** The knowledge about a target, learned from exchanges. The model sends nothing and reads no clock. */
export function createModel(options: ModelOptions) {
  const partial = options.partial === true;
  const ours = options.ours === true;
  const proof = proofHeadersOf(options.profile);
  const who = createWho(options);
  const { isBy, isVisible, personOf } = who;
  const creates = createCreates(options, who);
  const sessions = createSessions(who, options);
  /** Requests whose answer has not begun. */
  const pending = new Set<number>();
  let hasForgotten = options.inUse === true;
  const interns = new Recent<string, InternFacts>(INTERNS, (facts) => {
    hasForgotten = true;
    present.delete(facts);
    names.forgets(facts);
    facts.made = undefined;
  });
  const isBad = (name: string) => options.caller(name)?.kind === 'invalid';
  const dealings = createDealings(interns, isBad, ours, proof.signatureV2);
  /** Interns of this traffic that may still be there. */
  const present = new Set<InternFacts>();
  const names = createNames();
  const lateness = createLateness(options, who);
  const lists = createLists(who, lateness, present);
  const daemons = createDaemons(proof);
  const mappings = new Recent<string, ShownValue>(MOST);
  /** Lifecycle calls that were accepted, by their numbers. */
  const acts = new Recent<number, Act>(ACTS);
  /** Operations that were done on an intern for a member who did not make it. */
  const others = new Set<OperationName>();
  /** Statuses that were shown. */
  const statuses = new Set<string>();
  /** Fields that were shown with blanks around their text. */
  const untidied = new Set<string>();
  /** Interns that were made without a boot and rested, up to ENOUGH. */
  const rested = new Set<string>();
  /** Whether any intern has booted by itself, and whether soon after its create. */
  let bootsItself = false;
  let bootsSoon = false;
  /** Interns by their vaults. */
  const vaults = new Recent<string, ShownValue<string>>(MOST);
  /** Secrets that this traffic stored in the vault of a workspace, and the latest request to do so. */
  const ofWorkspaces = new Recent<string, number>(MOST);

  const internOf = (id: string): InternFacts => {
    const known = interns.get(id) ?? internFacts(id);
    interns.set(id, known);
    return known;
  };

  /** Learns from a record. */
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
    // An exchange that left out several interns is one finding: all of them are cleared together.
    if (lost !== undefined && lost.at <= asked.at)
      for (const other of [facts, ...present]) if (other.lost?.number === lost.number) other.lost = undefined;
    statuses.add(String(row.status));
    who.sees(asked, facts);
    // Others may change their interns at any time.
    if (facts.made === undefined || partial) return;
    if (facts.phase.since(asked.at)?.has('new') === true && facts.moving === 0) {
      const { made, refused } = facts;
      const isRefused = refused !== undefined && asked.at - refused.at < AFTER_A_REFUSAL;
      if (BOOTED.has(String(row.status))) {
        bootsItself ||= !isRefused;
        bootsSoon ||= !isRefused && asked.at - made.at <= WAITS;
      } else if (row.status === 'stopped' && asked.at - made.at > RESTS && rested.size < ENOUGH) rested.add(row.id);
      if (row.status === 'stopped' && asked.at - made.at > WAITS) facts.waits ??= { number, at: asked.at };
    }
    const phases = (ours ? PHASES : WIDENED)[String(row.status)];
    if (phases !== undefined) facts.phase.narrow(phases, number, answered.at, asked.at);
    // An intern whose teardown failed stays until another delete.
    if (isStuck(row)) present.add(facts);
    for (const key of ['description', 'instructions'] as const) {
      const text = row[key];
      if (typeof text === 'string' && text !== text.trim()) untidied.add(key);
    }
    for (const key of SETTINGS)
      if (key in row) facts.settings[key].narrow([JSON.stringify(row[key])], number, answered.at, asked.at);
  };

  /** Learns that a create made an intern. `before` is the latest time of a record that was shown before the create. */
  const created = (row: RecordFields, { asked, answered }: Exchange, before: number) => {
    if (typeof row.id !== 'string' || answered === undefined) return;
    const { at, number, caller } = asked;
    const body = bodyOf(asked) ?? {};
    const person = personOf(asked);
    creates.took(asked, row.id, answered.at);
    const facts = internOf(row.id);
    // An intern that was shown before its create was sent is an older one, answered to a retry.
    if (facts.made !== undefined || (facts.since ?? at) < at) return;
    // A forgotten intern that a retry returns is older than a record that was shown before.
    const isOlder = Date.parse(String(row.created_at)) < before;
    if (hasForgotten && (answered.status !== 201 || isOlder)) return;
    facts.made = { by: caller, person, at, number, body };
    if (answered.status === 201) creates.made(answered, row);
    if (!partial) present.add(facts);
    names.calls(facts, body.name);
    if (typeof body.workspace_id === 'string') facts.workspace = idAsShown(body.workspace_id, row.workspace_id);
    who.creates(asked);
    if (partial) return;
    dealings.created(facts, row, body.provision === true, answered.at);
    // A service may boot an intern at once although the create did not ask for it.
    facts.phase.narrow(
      [
        'booting',
        'up',
        'failed',
        ...(body.provision === true ? [] : ['new' as const]),
        ...(ours ? [] : ['off' as const]),
      ],
      number,
      answered.at,
      at,
    );
    if (asked.body.kind === 'unknown') return;
    for (const setting of SETTINGS)
      facts.settings[setting].narrow([JSON.stringify(body[setting] ?? null)], number, answered.at, at);
  };

  let servesVaults = ours || options.profile.published;
  /** Whether 404 would be wrong: the caller sees the intern, has read it before, and nobody deletes it. */
  const mustBeFound = (facts: InternFacts, asked: Asked, { name, area }: Operation): boolean => {
    const { made, read } = facts;
    if (partial || made === undefined || read === undefined || asked.regional) return false;
    // A service may have taken a deprecated alias away.
    if (name === 'daemon alias' || name === 'sign alias') return false;
    // A service need not serve vaults, which are published alone.
    if (asked.body.kind === 'unknown' || (area !== 'interns' && !(VAULTS.has(name) && servesVaults))) return false;
    const late = lateness.of('get');
    if (name === 'get' && late > 0) return false;
    if (isVisible(asked, facts) !== true) return false;
    // A 404 may be about the session, unless an invoke gave that session to this caller. A suspend keeps disk and configuration.
    const session = bodyOf(asked)?.session_id;
    const given = name === 'invoke' ? sessions.session(facts.id, String(session))?.value : undefined;
    const kept = given !== undefined && (facts.halted ?? Number.NEGATIVE_INFINITY) < given.last;
    const isOwn = kept && given.origin === 'invoke' && isBy(asked, given.person) === true;
    // Another member may see a new intern later than its maker.
    const settles = ours || isBy(asked, made.person) === true ? late : Math.max(late, SEEN_BY_ALL);
    if ((session !== undefined && !isOwn) || asked.at < made.at + settles) return false;
    const phases = facts.phase.since(asked.at);
    // Only the published API says how the access to an intern is refused that does not run.
    const { halted = Number.NEGATIVE_INFINITY, shown } = facts;
    const runs = phases?.has('up') === true && shown?.status === 'running' && halted < shown.at;
    if (name === 'daemon' && !options.profile.published && !runs) return false;
    // A deleted intern exists for as long as reads show it.
    return phases !== undefined && (!GOES.some((phase) => phases.has(phase)) || (THERE.has(name) && late === 0));
  };

  /** Forgets a secret of an intern: a delete of it is under way or answered. */
  const forgetSecret = (id: string, secret: string) => {
    const facts = interns.get(id);
    facts?.stored.delete(secret);
    facts?.storing.delete(secret);
  };

  /** A request that may change an intern is over. `took` says whether it took effect; undefined means unknown. */
  const moves = (asked: Asked, took: boolean | undefined, at: number, status?: number) => {
    const { id, operation } = operationOf(asked) ?? {};
    const facts = id === undefined ? undefined : interns.get(id);
    if (facts === undefined || operation === undefined) return;
    const { name } = operation;
    if (phasesAfter(name, ours) !== undefined) {
      facts.moving = Math.max(0, facts.moving - 1);
      if (took !== false) facts.moved = at;
      if (took !== false && (name === 'suspend' || name === 'delete')) facts.halted = at;
      // 404 to a caller who could see the intern means that somebody deleted it: no call was refused.
      else if (status === 404 && isVisible(asked, facts) !== false) facts.refused = undefined;
      else if (name === 'suspend' || name === 'provision' || name === 'delete')
        facts.refused = { name, number: asked.number, at: asked.at };
    }
    for (const value of [facts.phase, ...Object.values(facts.settings)]) value.answered(asked.number, took, at);
  };
  /** An answer has begun, or none will come. */
  const landed = (asked: Asked, answered: Pick<Answered, 'status' | 'at'> | undefined) => {
    if (!pending.delete(asked.number)) return;
    if (answered === undefined) dealings.lost(asked);
    else dealings.begins(asked, answered.status, answered.at);
  };
  /** A chat request is over: its stream has ended, or its client left it. */
  const streamed = ({ number }: Asked, id: string | undefined, until: number) => {
    const facts = id === undefined ? undefined : interns.get(id);
    if (facts?.streams.delete(number) === true) facts.free = Math.max(facts.free, until);
  };
  /** A read by the creator of an intern is answered 404. */
  const unreadable = (facts: InternFacts, asked: Asked, at: number) => {
    const { made, phase } = facts;
    if (partial || made === undefined || isBy(asked, made.person) !== true) return;
    // A read of a new intern may be late.
    if (asked.at < made.at + lateness.of('get')) return;
    phase.narrow(['gone'], asked.number, at, asked.at);
    const phases = phase.since(at);
    if (phases?.size === 1 && phases.has('gone')) present.delete(facts);
    facts.shown = { status: GONE, number: asked.number, at: asked.at, sure: lateness.of('get') === 0 };
  };

  /** Learns from a write to an intern, or to a secret of it, that was accepted. */
  const accepted = (
    facts: InternFacts | undefined,
    { operation: { name }, id, secret }: Named,
    asked: Asked,
    at: number,
  ) => {
    const { number } = asked;
    const changes = name !== 'update' || Object.keys(bodyOf(asked) ?? {}).length > 0;
    if (changes && facts?.made !== undefined && isBy(asked, facts.made.person) === false) others.add(name);
    if (name === 'store intern secret' && facts?.storing.get(String(secret)) === number)
      facts.stored.set(String(secret), { number, at });
    if (name === 'delete' && facts !== undefined) {
      present.delete(facts);
      facts.acknowledged = bodyOf(asked)?.acknowledge_workspace_loss === true ? { number, at } : undefined;
    }
    if (id === undefined || partial || !(name === 'provision' || name === 'suspend' || name === 'delete')) return;
    acts.set(number, { name, id, number, at });
    if (facts?.made !== undefined) facts.awaited = { name, number, at, reads: 0 };
  };

  return {
    options,
    /** The run's requests to each intern. */
    dealings,
    interns: interns as ReadonlyMap<string, InternFacts>,
    present: present as ReadonlySet<InternFacts>,
    /** Interns that a list lacked and that nothing has shown since: others may have deleted them. */
    get missed(): readonly string[] {
      return [...present].filter(({ lost }) => lost?.by.startsWith('list')).map(({ id }) => id);
    },
    /** Whether the model knows the whole traffic: it saw every request, and has forgotten no intern. */
    get hasSeenAll(): boolean {
      return !partial && !hasForgotten;
    },
    /** Interns of this traffic that have, had or may have a name. */
    called: names.called,
    pagesBefore: lists.pagesBefore,
    nonces: daemons.nonces,
    signers: daemons.signers,
    routes: daemons.routes,
    accessBy: daemons.accessBy,
    signedBefore: daemons.signedBefore,
    /** The timestamp of the first proof, in seconds, and when it was made. */
    get stamped() {
      return partial ? undefined : daemons.stamped();
    },
    vaults: vaults as ReadonlyMap<string, ShownValue<string>>,
    /** The request that stored a secret of a name in the vault of a workspace. */
    storedInWorkspace: (secret: string): number | undefined => ofWorkspaces.get(secret),
    questions: sessions.questions,
    session: sessions.session,
    acts: acts as ReadonlyMap<number, Act>,
    /** ms for which a read may lack a new intern. */
    lateOf: lateness.of,
    usageAlone: sessions.usageAlone,
    statuses: statuses as ReadonlySet<string>,
    callerOf: who.callerOf,
    isBy,
    /** Whether the service has done an operation on an intern for a member who did not make it. */
    servesOthers: (name: OperationName): boolean => others.has(name),
    hasCreated: who.hasCreated,
    isVisible,
    createBy: creates.createBy,
    get hasOwnClock(): boolean {
      return creates.hasOwnClock;
    },
    /**
     * Whether the answer to a create is a new intern: no earlier create asked for it, and the target's clock says that it is
     * newer than all records seen before. False means unknown.
     */
    isFirst({ asked, answered }: { readonly asked: Asked; readonly answered: Answered }, row: RecordFields): boolean {
      if (partial || typeof row.id !== 'string' || interns.has(row.id)) return false;
      return creates.isFirst(asked, answered, row);
    },
    /** Whether a create may be a retry. */
    mayRetry: (asked: Asked): boolean => partial || hasForgotten || creates.mayRetry(asked),
    /** Whether texts of a field keep blanks around them: a record has shown one. */
    keepsBlanks: (field: string): boolean => untidied.has(field),
    /** The refused create that alone asked for a name. */
    refusedName: (name: unknown): number | undefined => (partial || hasForgotten ? undefined : names.refused(name)),
    /** Whether the name of a refused create may show in a list nevertheless. */
    get hasRefused(): boolean {
      return names.hasRefused && !partial && !hasForgotten;
    },
    /** Whether interns that were made without a boot were seen to rest. */
    get restsUntilAsked(): boolean {
      return rested.size >= ENOUGH && !bootsItself;
    },
    /** Whether an intern that was made without a boot was seen to boot soon nevertheless. */
    get bootsSoon(): boolean {
      return bootsSoon;
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

    /** A request is sent: from now on its effects are possible. */
    asks(asked: Asked): void {
      const { operation, id, secret } = operationOf(asked) ?? {};
      const name = operation?.name;
      if (name === 'create') creates.asks(asked);
      if (partial) return;
      pending.add(asked.number);
      const after = name === undefined ? undefined : phasesAfter(name, ours);
      // An intern is unknown while its create is under way.
      const facts = id !== undefined && (after !== undefined || name === 'update') ? internOf(id) : undefined;
      dealings.asks(asked);
      if (name !== undefined) names.asks(asked, name);
      if (name === 'delete intern secret') forgetSecret(String(id), String(secret));
      if (name === 'store intern secret') interns.get(String(id))?.storing.set(String(secret), asked.number);
      if (name === 'store secret') ofWorkspaces.set(String(secret), asked.number);
      const copied = name === 'copy secrets' ? bodyOf(asked)?.names : undefined;
      const put = name === 'store intern secret' ? [secret] : Array.isArray(copied) ? copied : [];
      for (const one of put) interns.get(String(id))?.put.add(String(one));
      if (id !== undefined) sessions.asks(asked, id);
      if (name === 'chat') interns.get(String(id))?.streams.add(asked.number);
      if (name === undefined || facts === undefined) return;
      if (facts.awaited !== undefined && UNDONE_BY[facts.awaited.name].includes(name)) facts.awaited = undefined;
      if (after !== undefined) {
        facts.attached = undefined;
        facts.accesses.clear();
        facts.phase.asks(asked.number, after);
        facts.moving += 1;
      }
      if (name !== 'update') return;
      facts.updates = [...facts.updates.slice(1 - SHOWN_UPDATES), asked.number];
      const body = bodyOf(asked) ?? {};
      names.calls(facts, body.name);
      for (const key of SETTINGS) {
        if (asked.body.kind === 'unknown') {
          facts.settings[key].forget(asked.at);
          facts.settings[key].asks(asked.number, () => []);
        } else if (key in body) facts.settings[key].asks(asked.number, () => [JSON.stringify(body[key])]);
      }
    },

    /** An answer begins. */
    begins: (asked: Asked, status: number, at: number): void => landed(asked, { status, at }),

    /** A stream was closed before its end: only its question counts. */
    glimpses(exchange: Exchange): void {
      const { asked, answered } = exchange;
      const id = operationOf(asked)?.id;
      if (answered === undefined) return;
      dealings.sees(asked, answered);
      if (id === undefined) return;
      moves(asked, true, answered.at);
      streamed(asked, id, answered.at + GOES_ON);
      sessions.ends(asked, id);
      sessions.heard(exchange, id);
    },

    /** Forgets the settings of all interns: reads were late, and may have shown earlier ones. */
    doubtsReads(at: number): void {
      for (const { settings } of interns.values()) for (const value of Object.values(settings)) value.forget(at);
    },

    /** Forgets everything: the target was made to fail on purpose, or the model made a mistake. `unseen`: interns of before may exist. */
    restart(unseen = options.inUse === true): void {
      for (const known of [interns, present, mappings, acts, statuses, untidied, vaults, ofWorkspaces, rested])
        known.clear();
      for (const part of [who, names, creates, sessions, daemons, lists]) part.restart();
      others.clear();
      hasForgotten = unseen;
      bootsItself = false;
      bootsSoon = false;
    },

    /** Learns from an exchange that is over, answered or not, after the rules have judged it. */
    sees(exchange: Exchange): void {
      const { asked, answered } = exchange;
      const named = operationOf(asked);
      landed(asked, answered);
      if (answered !== undefined && !partial) dealings.sees(asked, answered, named?.operation.name === 'create');
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
      const none = status !== undefined && status !== 200 && !saysNothing(status);
      const closes = ours ? 0 : TURNING;
      const hasEnded = answered?.stream?.ended === 'end' || answered?.text.includes('\ndata: [DONE]') === true;
      // Nobody knows when the run ends of a prompt that got no answer.
      const goesOn = answered === undefined ? Number.POSITIVE_INFINITY : at + GOES_ON;
      streamed(asked, id, none ? 0 : hasEnded ? at + closes : goesOn);
      if (name === 'update' && asked.body.kind === 'unknown')
        for (const value of Object.values(facts?.settings ?? {})) value.forget(at);
      if (answered === undefined) return;
      if (name === 'get' && facts?.made !== undefined && isBy(asked, facts.made.person) === true && !asked.regional)
        if (status === 200 || status === 404) lateness.comes('get', facts, asked, status === 200);
      if (facts !== undefined && name === 'get' && status === 404) unreadable(facts, asked, at);
      if (facts !== undefined && status === 404 && mustBeFound(facts, asked, operation))
        facts.lost ??= { number: asked.number, at, by: name };
      creates.sees(answered);
      if (name === 'delete intern secret') forgetSecret(String(id), String(named.secret));
      if (took !== true) return;
      servesVaults ||= VAULTS.has(name);
      accepted(facts, named, asked, answered.at);
      const { json, stream } = answered;
      if (stream !== undefined && id !== undefined) {
        sessions.spoke(exchange, id, 'chat', stream.sessionId);
        sessions.heard(exchange, id);
      }
      if (!isRecord(json)) return;
      // A retried create answers with the record as it was at first.
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
      // In partial traffic an unseen call may have changed the state.
      if (!partial && isDaemon(operation) && facts?.moving === 0) {
        facts.attached = { at: answered.at, number: asked.number };
        daemons.reveals(facts, exchange, name === 'daemon', json);
      }
      daemons.sees(exchange, named, json);
      if (name === 'scim' && id !== undefined && !mappings.has(id.toLowerCase()))
        mappings.set(id.toLowerCase(), { value: json.data, number: asked.number });
    },
  };
}
export type Model = ReturnType<typeof createModel>;
