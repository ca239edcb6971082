import { createHash } from 'node:crypto';
import type { Profile } from '../../emulator/contract/profile.js';
import { idempotencyHeaderOf, proofHeadersOf } from '../framework/profile.js';
import type { PublicKey } from '../framework/target.js';
import type { Transcript } from '../probe/chunks.js';
import { jsonOf } from '../probe/json.js';
import { isAnswer } from '../probe/request.js';
import type { Caller } from './callers.js';
import { createDealings } from './dealings.js';
import { type Answered, type Asked, bodyOf, canonical, type Exchange } from './exchange.js';
import {
  FIXED,
  GOES,
  type InternFacts,
  internFacts,
  isListedBy,
  isRow,
  isStuck,
  isVisibleTo,
  PHASES,
  type Phase,
  phasesAfter,
  type Row,
  SETTINGS,
  SHOWS_NOTHING,
  UNDONE_BY,
  WIDENED,
} from './intern.js';
import { isDaemon, isPrompt, isSigning, type Operation, type OperationName, operationOf } from './operations.js';
import { Recent } from './recent.js';

/** The knowledge about a target before anything is sent. */
export interface ModelOptions {
  readonly profile: Profile;
  /** The knowledge about a credential, by its name. */
  caller(name: string): Caller | undefined;
  /** Whether nobody ever had an intern of that id: the run made it up. */
  madeUp?(id: string): boolean;
  /** Words for statuses that the target was seen to have of its own. */
  ownStatuses?(): readonly string[];
  /** The keys that verify proofs. */
  readonly publicKeys: readonly PublicKey[];
  /** The kind of secret that stands in a text: a credential that was given, or a value that was stored in a vault. */
  secretIn?(text: string): 'credential' | 'value' | undefined;
  /** A SCIM mapping that is there to stay. */
  readonly mapping?: string | undefined;
  /** ms by which the run has moved the clock of the target: they pass between two exchanges. */
  moved?(): number;
  /** The target is an emulator of ours, and nobody else uses it. */
  readonly ours?: boolean;
  /** Some requests pass it unseen: a value that may change says nothing of the next one. */
  readonly partial?: boolean;
  /** The target was used before the first exchange: a create may repeat one of then. */
  readonly inUse?: boolean;
}

/** A value, and the exchange that showed it. */
export interface Known<T = unknown> {
  readonly value: T;
  readonly number: number;
}

/** A create with a key that was accepted: its body, and its intern. */
export type KeyedCreate = Known<{
  readonly body: unknown;
  readonly id: string;
  /** When it was answered. */
  readonly at: number;
}>;

/** A session: on which intern, how it began, and who began it. */
export type SessionFacts = Known<{
  readonly id: string;
  readonly intern: string;
  readonly origin: 'chat' | 'invoke';
  readonly person: string | undefined;
  /** When the first answer of it ended. */
  readonly at: number;
  /** When the latest prompt of it was answered. */
  last: number;
  /** The latest usage that a run of it reported. */
  usage: Known<Row> | undefined;
}>;

/** A question. */
export type AskedQuestion = Known<{
  readonly intern: string;
  readonly session: string | undefined;
  /** When its stream ended, and how far the clock was moved by then. */
  readonly at: number;
  readonly moved: number;
  /** Its arguments. */
  readonly asks: Row | undefined;
  /** The options of a permission. */
  readonly options: readonly string[] | undefined;
  /** Answers in its session that are under way. */
  readonly replies: Set<number>;
  /** One was taken. */
  answered?: number;
  /** Its run has ended. */
  over?: boolean;
}>;

/** The question that a tool call asks, as its arguments say. */
export function questionIn(text: string): Row | undefined {
  const asks = jsonOf(text);
  return isRow(asks) ? asks : undefined;
}

/** The prompt and the reply of a turn. */
function turnOf(asked: Asked, { content }: Transcript): string | undefined {
  const body = bodyOf(asked);
  const last: unknown = Array.isArray(body?.messages) ? body.messages.at(-1) : undefined;
  return isRow(last) && last.role === 'user' ? hashed(joined(JSON.stringify(last.content), content)) : undefined;
}

/** The pages of a list that came before a cursor. */
export interface Pages {
  /** When the first was asked for. */
  readonly since: number;
  readonly ids: readonly string[];
  readonly numbers: readonly number[];
}

const hashed = (text: string): string => createHash('sha256').update(text).digest('base64');
const joined = (...parts: readonly (string | undefined)[]): string => JSON.stringify(parts);

/** The name that a create or an update asks for. */
function nameIn(asked: Asked, operation: OperationName): string | undefined {
  const name = operation === 'create' || operation === 'update' ? bodyOf(asked)?.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** An answer that says nothing of the effect of its request: the service, or a gateway before it, failed. */
const saysNothing = (status: number): boolean => status >= 500 || status === 408;

/** The parameters of a list: others filter it in ways that nobody knows. */
const WHOLE: ReadonlySet<string> = new Set(['workspace_id', 'status', 'limit', 'starting_after']);

/** ms after which nothing that was made may be missing. */
export const LATE = 15_000;

/** ms after a create in which a read shows whether reads are late, and such reads after which none is expected to be. */
const SOON = 1_000;
const PROMPT = 10;

/** ms by which the clock of a gateway, whose Date an answer carries, may differ from that of the service. */
export const SKEW = 15_000;
const dateOf = (answered: Answered): number => Date.parse(answered.header('date') ?? '');

/** Operations on the vault of an intern that find it as reads do, and those that find an intern while it goes. */
const VAULTS: ReadonlySet<string> = new Set(['intern secrets', 'store intern secret']);
const THERE: ReadonlySet<string> = new Set(['get', 'delete']);

/** Interns that are remembered, and things of any other kind: traffic may go on for days. */
const INTERNS = 10_000;
const MOST = 20_000;

/** The knowledge about a target, from the exchanges that it has seen. It sends nothing and reads no clock. */
export function createModel(options: ModelOptions) {
  const { profile } = options;
  const keyHeader = idempotencyHeaderOf(profile);
  const proof = proofHeadersOf(profile);
  /** Requests of which not even the head of an answer came. */
  const flying = new Set<number>();
  let hasForgotten = options.inUse === true;
  const interns = new Recent<string, InternFacts>(INTERNS, (facts) => {
    hasForgotten = true;
    present.delete(facts);
    // Its name would keep it else.
    const name = facts.made?.body.name;
    if (typeof name === 'string') byName.get(name)?.delete(facts);
    facts.made = undefined;
  });
  const isBad = (name: string) => options.caller(name)?.kind === 'invalid';
  const dealings = createDealings(interns, isBad, options.ours === true, proof.signatureV2);
  /** Names that were asked for: requests under way, the first create that was refused it, and whether any may have got it. */
  const wanted = new Recent<string, { asking: number; refused: number | undefined; given: boolean }>(MOST);
  /** Interns of this traffic that may still be there, and interns by names that they may have. */
  const present = new Set<InternFacts>();
  const byName = new Recent<string, Set<InternFacts>>(MOST);
  const creates = new Recent<string, KeyedCreate>(MOST);
  const sessions = new Recent<string, SessionFacts>(MOST);
  const questions = new Recent<string, AskedQuestion>(MOST);
  /** The latest question of each session. */
  const asking = new Recent<string, AskedQuestion['value']>(MOST);
  /**
   * Creates by their key or body, which makes a later one their retry: the number of the first, and its sender. Whether one
   * may be the first of any without a key.
   */
  const firsts = new Recent<string, Known<string | undefined>>(MOST);
  let hasHidden = false;
  /** The latest time of a record that was shown, on the clock of the target, and what it was when each create left. */
  let latest = Number.NEGATIVE_INFINITY;
  const begun = new Map<number, number>();
  /** A time on the clock of the target, after the first request was sent. */
  let since: number | undefined;
  const nonces = new Recent<string, Known>(MOST);
  /** The requests that a signature of a proof is for. */
  const signed = new Recent<string, Known<string>>(MOST);
  /** Usage of runs that began their session, by what was said in them. */
  const alone = new Recent<string, Known<Row>>(MOST);
  /** The first usage that counts what was said. */
  let counted: Known<Row> | undefined;
  const signers = new Recent<string, Known<string>>(MOST);
  const pages = new Recent<string, Pages>(MOST);
  const mappings = new Recent<string, Known>(MOST);
  /** Callers who have created interns, statuses that were shown, and routes that were signed. */
  const creators = new Set<string>();
  const statuses = new Set<string>();
  const routes = new Set<string>();
  /** Fields that were shown with blanks around their text. */
  const untidied = new Set<string>();
  /** Whether a credential shows what another person made in the same workspace, where that was seen. */
  const shared = new Recent<string, boolean>(MOST);
  /** Interns by the origins and tokens of their daemons. */
  const accesses = new Recent<string, Known<string>>(MOST);
  const accessOf = ({ origin, token }: Row): string => hashed(joined(String(origin), String(token)));
  /** Interns by their vaults. */
  const vaults = new Recent<string, Known<string>>(MOST);

  /** Reads and lists that came soon after a create and showed it; any that did not. */
  const soon = { get: { prompt: 0, late: 0 }, list: { prompt: 0, late: 0 } };
  /** ms that a read may lack what was made: none, where many came soon and none was ever late. */
  const lateness = (of: keyof typeof soon): number =>
    options.ours === true || (soon[of].prompt >= PROMPT && soon[of].late === 0) ? 0 : LATE;
  const comes = (of: keyof typeof soon, facts: InternFacts, asked: Asked, there: boolean) => {
    const after = asked.at - (facts.made?.at ?? asked.at);
    if (after <= 0 || after > LATE || isVisible(asked, facts) !== true) return;
    const phases = facts.phase.since(asked.at);
    if (phases === undefined || GOES.some((phase) => phases.has(phase))) return;
    if (!there) soon[of].late += 1;
    else if (after <= SOON) soon[of].prompt += 1;
  };

  const callerOf = ({ caller }: Asked): Caller | null | undefined =>
    caller === null ? null : caller === undefined ? undefined : options.caller(caller);
  const personOf = (asked: Asked): string | undefined => callerOf(asked)?.person ?? asked.caller ?? undefined;
  /** Whether a person is the one who asks; undefined where one of them may go by another name. */
  const isBy = (asked: Asked, person: string | undefined): boolean | undefined => {
    const own = personOf(asked);
    if (own === undefined || person === undefined) return undefined;
    return own === person || ([undefined, 'member'].includes(callerOf(asked)?.kind) ? undefined : false);
  };
  const isCalled = (facts: InternFacts, name: string) => {
    const all = byName.get(name) ?? new Set();
    byName.set(name, all.add(facts));
  };
  /**
   * The part that a create shares with its retry: the key, or without one the body. The caller is no part of it, as one
   * person may have several credentials.
   */
  const retriedBy = ({ body, header }: Asked): string | undefined => {
    const key = header(keyHeader);
    if (key !== undefined) return joined('key', key);
    return body.kind === 'some' && body.json !== undefined ? hashed(canonical(body.json)) : undefined;
  };
  const internOf = (id: string): InternFacts => {
    const known = interns.get(id) ?? internFacts(id);
    interns.set(id, known);
    return known;
  };

  /**
   * Whether a caller sees an intern. Whether one member of a workspace sees the interns of another is not stated: it shows.
   */
  const isVisible = (asked: Asked, intern: InternFacts): boolean | undefined => {
    const visible = isVisibleTo(callerOf(asked), intern);
    const person = personOf(asked);
    if (visible !== true || callerOf(asked)?.kind === 'own' || intern.made === undefined) return visible;
    if (options.ours === true || (person !== undefined && person === intern.made.person)) return true;
    return shared.get(joined(String(asked.caller), intern.made.person));
  };
  /** Whether a whole list, whose first page was asked for at that time, has an intern: lists may be late. */
  const mustBeListed = (facts: InternFacts, asked: Asked, from: number): boolean => {
    // A status may be listed later than what was made.
    const late = asked.query.has('status') ? LATE : lateness('list');
    if (facts.made === undefined || from < facts.made.at + late || isVisible(asked, facts) !== true) return false;
    const statuses = asked.query.getAll('status').flatMap((text) => text.split(','));
    const phases = facts.phase.since(from - late);
    return phases !== undefined && isListedBy(phases, asked.query.has('status') ? statuses : undefined);
  };

  const shows = (row: Row, { asked, answered }: Exchange) => {
    if (typeof row.id !== 'string' || answered === undefined) return;
    const facts = internOf(row.id);
    const { number } = asked;
    for (const key of FIXED) {
      const value = row[key];
      if (typeof value === 'string' && !facts.fixed.has(key)) facts.fixed.set(key, { value, number });
    }
    for (const time of [row.created_at, row.updated_at]) {
      const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
      if (at > latest) latest = at;
    }
    if (typeof row.workspace_id === 'string') facts.workspace ??= row.workspace_id;
    if (typeof row.vault_id === 'string' && !vaults.has(row.vault_id))
      vaults.set(row.vault_id, { value: row.id, number });
    facts.shown = { status: String(row.status), number, at: asked.at };
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
    const person = personOf(asked);
    if (facts.made?.person !== undefined && person !== undefined)
      shared.set(joined(String(asked.caller), facts.made.person), true);
    // Others may change their interns at any time.
    if (facts.made === undefined || options.partial === true) return;
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

  const created = (row: Row, { asked, answered }: Exchange, before: number) => {
    if (typeof row.id !== 'string' || answered === undefined) return;
    const { at, number, caller } = asked;
    const body = bodyOf(asked) ?? {};
    const person = personOf(asked);
    const key = asked.header(keyHeader);
    const isKnown = asked.body.kind !== 'unknown' && person !== undefined;
    if (key !== undefined && isKnown && !creates.has(joined(person, key)))
      creates.set(joined(person, key), { value: { body, id: row.id, at: answered.at }, number });
    const facts = internOf(row.id);
    if (facts.made !== undefined || facts.shown !== undefined) return;
    // It may be a forgotten one that is answered again: then it is older than the record that was shown before.
    const isOlder = Date.parse(String(row.created_at)) < before;
    if (hasForgotten && (answered.status !== 201 || isOlder)) return;
    facts.made = { by: caller, person, at, number, body };
    if (options.partial !== true) present.add(facts);
    if (typeof body.name === 'string') isCalled(facts, body.name);
    if (typeof body.workspace_id === 'string') facts.workspace = body.workspace_id;
    creators.add(caller ?? '');
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

  const listed = (json: Row, exchange: Exchange) => {
    if (!Array.isArray(json.data)) return;
    const { asked } = exchange;
    const rows = json.data.filter(isRow);
    for (const row of rows) shows(row, exchange);
    const { next_cursor: next } = json;
    const before = pages.get(asked.query.get('starting_after') ?? '');
    const ids = new Set([...(before?.ids ?? []), ...rows.map(({ id }) => String(id))]);
    const known = [...asked.query.keys()].every((key) => WHOLE.has(key));
    const isFirstKnown = before !== undefined || !asked.query.has('starting_after');
    if (json.has_more === false && before === undefined && known && isFirstKnown && !asked.query.has('status'))
      for (const facts of present) comes('list', facts, asked, ids.has(facts.id));
    if (json.has_more === false && known && isFirstKnown)
      for (const facts of present)
        if (!ids.has(facts.id) && mustBeListed(facts, asked, before?.since ?? asked.at))
          facts.lost ??= {
            number: asked.number,
            at: exchange.answered?.at ?? asked.at,
            by: asked.query.has('status') ? 'list by status' : 'list',
            stuck: facts.phase.since(asked.at)?.has('stuck') === true,
          };
    if (typeof next !== 'string') return;
    pages.set(next, {
      since: before?.since ?? asked.at,
      ids: [...(before?.ids ?? []), ...rows.map((row) => String(row.id))],
      numbers: [...(before?.numbers ?? []), asked.number],
    });
  };

  /** Each signature of a proof, and the fields that it signs. */
  const signaturesIn = ({ asked, answered }: Exchange): readonly (readonly [string, string])[] => {
    const { bodySha256, route } = bodyOf(asked) ?? {};
    const json = isRow(answered?.json) ? answered.json : {};
    const { method, path } = isRow(route) ? route : {};
    const fields = [operationOf(asked)?.id, ...[json[proof.timestamp], json[proof.user], bodySha256].map(String)];
    return (
      [
        [json[proof.signature], joined(...fields)],
        [json[proof.signatureV2], joined(...fields, ...[json[proof.nonce], method, path].map(String))],
      ] as const
    ).flatMap(([signature, subject]) => (typeof signature === 'string' ? [[signature, subject] as const] : []));
  };

  const spoke = (exchange: Exchange, intern: string, origin: 'chat' | 'invoke', session: unknown) => {
    const { asked, answered } = exchange;
    if (typeof session !== 'string' || answered === undefined) return;
    const at = joined(intern, session);
    const known = sessions.get(at);
    const usage = answered.stream?.final?.usage;
    const reported = isRow(usage) ? { value: usage, number: asked.number } : undefined;
    if (known !== undefined) {
      known.value.last = Math.max(known.value.last, answered.at);
      known.value.usage = reported ?? known.value.usage;
    } else
      sessions.set(at, {
        value: {
          id: session,
          intern,
          origin,
          person: personOf(asked),
          at: answered.at,
          last: answered.at,
          usage: reported,
        },
        number: asked.number,
      });
    if (reported === undefined || answered.stream === undefined) return;
    const said = turnOf(asked, answered.stream);
    if (known === undefined && said !== undefined && !alone.has(said)) alone.set(said, reported);
    if (answered.stream.content !== '' && Number(reported.value.completion_tokens) > 0) counted ??= reported;
  };

  /** The latest question in the session of an answer. */
  const askedBefore = (asked: Asked, intern: string) => {
    const body = bodyOf(asked);
    return isAnswer(body) ? asking.get(joined(intern, String(body?.session_id))) : undefined;
  };
  /** A stream asked a question, or said how an answered run ended. */
  const heard = ({ asked, answered }: Exchange, intern: string) => {
    const stream = answered?.stream;
    if (stream === undefined) return;
    const before = askedBefore(asked, intern);
    if (before !== undefined) {
      before.answered ??= asked.number;
      before.over = stream.ended === 'end' && stream.finish !== 'tool_calls';
    }
    const call = stream.finish === 'tool_calls' ? stream.toolCalls[0] : undefined;
    if (call?.id === undefined) return;
    const asks = questionIn(call.arguments);
    const value = {
      intern,
      session: stream.sessionId,
      at: answered?.at ?? asked.at,
      moved: options.moved?.() ?? 0,
      asks,
      options: asks?.kind === 'permission' && Array.isArray(asks.options) ? asks.options.map(String) : undefined,
      replies: new Set<number>(),
    };
    questions.set(call.id, { value, number: asked.number });
    asking.set(joined(intern, stream.sessionId), value);
  };

  /** Whether a request names only an intern that its caller sees, that was read before and that nobody deletes. */
  const mustBeFound = (facts: InternFacts, asked: Asked, { name, area }: Operation): boolean => {
    const { made, read } = facts;
    if (options.partial === true || made === undefined || read === undefined || asked.regional) return false;
    if (asked.body.kind === 'unknown' || (area !== 'interns' && !VAULTS.has(name))) return false;
    // A read may be late, unless none was.
    if (name === 'get' && lateness('get') > 0) return false;
    if (isVisible(asked, facts) !== true) return false;
    // A session that is named may be the one that is not found, but for one that an invoke gave to its caller.
    const session = bodyOf(asked)?.session_id;
    const given = name === 'invoke' ? sessions.get(joined(facts.id, String(session)))?.value : undefined;
    const isOwn = given?.origin === 'invoke' && isBy(asked, given.person) === true;
    const late = lateness('get');
    if ((session !== undefined && !isOwn) || asked.at < made.at + late) return false;
    const phases = facts.phase.since(asked.at);
    // One that is deleted is there for as long as reads show it.
    return phases !== undefined && (!GOES.some((phase) => phases.has(phase)) || (THERE.has(name) && late === 0));
  };

  /** A request that may change an intern is answered, or never will be. `took`: whether it did; undefined: nobody knows. */
  const moves = (asked: Asked, took: boolean | undefined, at: number) => {
    const { id, operation } = operationOf(asked) ?? {};
    const facts = id === undefined ? undefined : interns.get(id);
    if (facts === undefined || operation === undefined) return;
    const { name } = operation;
    if (phasesAfter(name, options.ours === true) !== undefined) {
      facts.moving = Math.max(0, facts.moving - 1);
      if (took !== false) facts.moved = at;
      if (took !== false && (name === 'suspend' || name === 'delete')) facts.halted = at;
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
    called: (name: string): ReadonlySet<InternFacts> => byName.get(name) ?? new Set(),
    pages: pages as ReadonlyMap<string, Pages>,
    nonces: nonces as ReadonlyMap<string, Known>,
    signers: signers as ReadonlyMap<string, Known<string>>,
    vaults: vaults as ReadonlyMap<string, Known<string>>,
    questions: questions as ReadonlyMap<string, AskedQuestion>,
    /** The usage of a run in a session of its own in which the same was said. */
    usageAlone: (asked: Asked, stream: Transcript): Known<Row> | undefined => alone.get(turnOf(asked, stream) ?? ''),
    /** The first usage that counts what was said. */
    get counted(): Known<Row> | undefined {
      return counted;
    },
    /** A signature of a proof that was made for another request before. */
    signedBefore: (exchange: Exchange): Known<string> | undefined =>
      signaturesIn(exchange).flatMap(([signature, subject]) => {
        const before = signed.get(hashed(signature));
        return before === undefined || before.value === subject ? [] : [before];
      })[0],
    statuses: statuses as ReadonlySet<string>,
    routes: routes as ReadonlySet<string>,
    callerOf,
    isBy,
    /** Whether a caller was seen to create interns. */
    hasCreated: ({ caller }: Asked): boolean => creators.has(caller ?? ''),
    isVisible,
    /** The create that a key stands for, of the caller of a request. */
    createBy: (asked: Asked): KeyedCreate | undefined => {
      const key = asked.header(keyHeader);
      const person = personOf(asked);
      return key === undefined || person === undefined ? undefined : creates.get(joined(person, key));
    },
    /**
     * Whether a create made the intern that it answers: nobody asked for it before, and it began after all that was seen, by
     * the clock of the target. False: not known.
     */
    isFirst(
      { asked, answered }: { readonly asked: Asked; readonly answered: Answered },
      { id, created_at: created }: Row,
    ): boolean {
      if (options.partial === true || typeof id !== 'string' || interns.has(id)) return false;
      const key = retriedBy(asked);
      if (
        (hasHidden && asked.header(keyHeader) === undefined) ||
        key === undefined ||
        firsts.get(key)?.number !== asked.number
      )
        return false;
      // An emulator of ours has a clock of its own, and nobody else uses it.
      if (options.ours === true) return true;
      const [at, now] = [Date.parse(String(created)), dateOf(answered)];
      return since !== undefined && at >= since + SKEW && at <= now + SKEW;
    },
    /** Whether a create may be the retry of an earlier one. */
    mayRetry(asked: Asked): boolean {
      const key = retriedBy(asked);
      const first = key === undefined ? undefined : firsts.get(key);
      if (options.partial === true || hasForgotten || first === undefined) return true;
      return first.number !== asked.number && isBy(asked, first.value) !== false;
    },
    /** The facts of an intern now. */
    known: (id: string) => ({
      phases: interns.get(id)?.phase.since(Number.POSITIVE_INFINITY) ?? new Set<Phase>(),
      get sessions() {
        return [...sessions.values()].flatMap(({ value }) => (value.intern === id ? [value] : []));
      },
      get questions() {
        return [...questions].flatMap(([call, { value }]) =>
          value.intern === id ? [{ call, session: value.session }] : [],
        );
      },
    }),
    /** Whether a field keeps its texts as they are: one was shown with blanks around it. */
    keepsBlanks: (field: string): boolean => untidied.has(field),
    /** The create that was refused a name which nothing else has asked for. */
    refusedName(name: unknown): number | undefined {
      const { asking: others = 1, given = true, refused } = wanted.get(String(name)) ?? {};
      return options.partial === true || hasForgotten || others > 0 || given ? undefined : refused;
    },
    /** The intern that a daemon access was answered for before. */
    accessBy: (access: Row): Known<string> | undefined => accesses.get(accessOf(access)),
    session: (intern: string, id: string): SessionFacts | undefined => sessions.get(joined(intern, id)),
    mapping: (id: string): Known | undefined => mappings.get(id.toLowerCase()),

    /** A request leaves: from now on its effects are possible. */
    asks(asked: Asked): void {
      const named = operationOf(asked);
      if (named?.operation.name === 'create') begun.set(asked.number, latest);
      if (options.partial === true) return;
      flying.add(asked.number);
      const { operation, id } = named ?? {};
      const name = operation?.name;
      const after = name === undefined ? undefined : phasesAfter(name, options.ours === true);
      // Its create may be under way.
      const facts = id !== undefined && (after !== undefined || name === 'update') ? internOf(id) : undefined;
      dealings.asks(asked);
      const text = name === undefined ? undefined : nameIn(asked, name);
      if (text !== undefined) {
        const { asking: others = 0, refused, given = false } = wanted.get(text) ?? {};
        wanted.set(text, { asking: others + 1, refused, given });
      }
      if (name === 'create') {
        const key = retriedBy(asked);
        if (key === undefined) hasHidden ||= asked.body.kind === 'unknown';
        else if (!firsts.has(key)) firsts.set(key, { value: personOf(asked), number: asked.number });
      }
      if (id !== undefined) askedBefore(asked, id)?.replies.add(asked.number);
      if (name === undefined || facts === undefined) return;
      if (facts.awaited !== undefined && UNDONE_BY[facts.awaited.name].includes(name)) facts.awaited = undefined;
      if (after !== undefined) {
        facts.attached = undefined;
        facts.phase.asks(asked.number, after);
        facts.moving += 1;
      }
      if (name !== 'update') return;
      const body = bodyOf(asked) ?? {};
      if (typeof body.name === 'string') isCalled(facts, body.name);
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
      askedBefore(asked, id)?.replies.delete(asked.number);
      heard(exchange, id);
    },

    /** The target was made to do wrong: nothing is known of it any more. */
    restart(): void {
      for (const known of [
        interns,
        present,
        byName,
        wanted,
        creates,
        sessions,
        questions,
        firsts,
        begun,
        nonces,
        signers,
      ])
        known.clear();
      for (const known of [
        accesses,
        asking,
        pages,
        mappings,
        creators,
        statuses,
        routes,
        shared,
        vaults,
        signed,
        alone,
      ])
        known.clear();
      counted = undefined;
      hasForgotten = options.inUse === true;
      hasHidden = false;
      latest = Number.NEGATIVE_INFINITY;
      since = undefined;
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
      const before = begun.get(asked.number) ?? latest;
      begun.delete(asked.number);
      const status = answered?.status;
      const took =
        status === undefined || saysNothing(status) || (status === 409 && isPrompt(operation))
          ? undefined
          : status < 300;
      if (id !== undefined) askedBefore(asked, id)?.replies.delete(asked.number);
      const ofName = wanted.get(nameIn(asked, name) ?? '');
      if (ofName !== undefined) {
        ofName.asking -= 1;
        // A name that is taken is that of another intern.
        if (took !== false || status === 409) ofName.given = true;
        else if (name === 'create') ofName.refused ??= asked.number;
      }
      const facts = id === undefined ? undefined : interns.get(id);
      const at = answered?.at ?? asked.at;
      moves(asked, took, at);
      if (name === 'update' && asked.body.kind === 'unknown')
        for (const value of Object.values(facts?.settings ?? {})) value.forget(at);
      if (answered === undefined) return;
      if (name === 'get' && facts?.made !== undefined && isBy(asked, facts.made.person) === true && !asked.regional)
        if (status === 200 || status === 404) comes('get', facts, asked, status === 200);
      if (
        options.partial !== true &&
        status === 404 &&
        name === 'get' &&
        facts?.made !== undefined &&
        isBy(asked, facts.made.person) === true &&
        // A read of a new intern may be late.
        asked.at >= facts.made.at + lateness('get')
      ) {
        facts.phase.narrow(['gone'], asked.number, at, asked.at);
        const phases = facts.phase.since(at);
        if (phases?.size === 1 && phases.has('gone')) present.delete(facts);
      }
      if (facts !== undefined && status === 404 && mustBeFound(facts, asked, operation))
        facts.lost ??= { number: asked.number, at, by: name };
      const date = dateOf(answered);
      if (!Number.isNaN(date)) since ??= date;
      if (took !== true) return;
      if (name === 'delete' && facts !== undefined) {
        present.delete(facts);
        facts.acknowledged =
          bodyOf(asked)?.acknowledge_workspace_loss === true ? { number: asked.number, at: answered.at } : undefined;
      }
      if (
        facts?.made !== undefined &&
        options.partial !== true &&
        (name === 'provision' || name === 'suspend' || name === 'delete')
      )
        facts.awaited = { name, number: asked.number, at: answered.at, reads: 0 };
      const { json, stream } = answered;
      if (stream !== undefined && id !== undefined) {
        spoke(exchange, id, 'chat', stream.sessionId);
        heard(exchange, id);
      }
      if (!isRow(json)) return;
      // A retried create gives its first answer.
      const replayed = name === 'create' && typeof json.id === 'string' && interns.get(json.id)?.made !== undefined;
      if (name === 'create') created(json, exchange, before);
      if ((name === 'create' && !replayed) || name === 'get' || name === 'update') shows(json, exchange);
      if (name === 'get' && facts !== undefined) facts.read = asked.at;
      if (name === 'list') listed(json, exchange);
      if (name === 'invoke' && id !== undefined) spoke(exchange, id, 'invoke', json.session_id);
      // A call that passed unseen may have asked for another state.
      if (options.partial !== true && isDaemon(operation) && facts?.moving === 0)
        facts.attached = { at: answered.at, number: asked.number };
      if (isDaemon(operation) && id !== undefined && !accesses.has(accessOf(json)))
        accesses.set(accessOf(json), { value: id, number: asked.number });
      if (name === 'scim' && id !== undefined && !mappings.has(id.toLowerCase()))
        mappings.set(id.toLowerCase(), { value: json.data, number: asked.number });
      if (isSigning(operation)) {
        const route = bodyOf(asked)?.route;
        if (isRow(route) && routes.size < MOST) routes.add(JSON.stringify(route));
        const [nonce, user] = [json[proof.nonce], json[proof.user]];
        if (typeof nonce === 'string') nonces.set(nonce, { value: id, number: asked.number });
        for (const [signature, subject] of signaturesIn(exchange))
          if (!signed.has(hashed(signature))) signed.set(hashed(signature), { value: subject, number: asked.number });
        if (typeof user === 'string' && typeof asked.caller === 'string' && !signers.has(asked.caller))
          signers.set(asked.caller, { value: user, number: asked.number });
      }
    },
  };
}
export type Model = ReturnType<typeof createModel>;
