import type { Intern } from '../../emulator/contract/intern.js';
import { type Dealings, type IdleState, type Opened, PROMPTS, READS, TURNS } from '../habits/dealings.js';
import { GATEWAY, isOfGateway } from '../probe/gateway.js';
import { isRecord } from '../probe/json.js';
import { isAnswer } from '../probe/request.js';
import { type Answered, type Asked, jsonOf } from './exchange.js';
import { type InternFacts, internFacts, type RecordFields } from './intern.js';
import { placeOf } from './operations.js';

const DAEMON = /^daemon(\/sign)?$/;

const STATES: Readonly<Record<string, IdleState>> = {
  stopped: 'stopped',
  provisioning: 'booting',
  running: 'running',
};

/** Fields that a check may update on a shared intern: no behaviour depends on them. Not the name: it may clash with a peer's intern. */
const HARMLESS = new Set(['description']);

/**
 * The dealings of one client with interns and credentials. They hold one state each, not sets of possible ones: where a write
 * overlaps another request, the state is unknown.
 *
 * @param isBad whether a credential is known to open nothing
 * @param signature the name of the signature of a proof for a route
 */
export function createDealings(
  interns: ReadonlyMap<string, InternFacts>,
  isBad: (credential: string) => boolean,
  ours: boolean,
  signature: string,
) {
  const credentials = new Map<string, { shut: boolean; opened: Opened | undefined }>();
  const saw = new Set<string>();
  let routes = false;
  let latest = Number.NEGATIVE_INFINITY;
  let stops = ours;
  let lostWrite: Dealings['lostWrite'];

  /** The known intern that a request is about, and the rest of the path after its id. */
  const about = (asked: Asked) => {
    const { id = '', rest } = placeOf(asked);
    return { one: interns.get(id), rest };
  };
  const move = (one: InternFacts, state: IdleState, at: number, change: Partial<Intern> = {}) => {
    const record = one.standing?.record;
    if (record !== undefined) one.standing = { state, record: { ...record, ...change }, since: at };
  };
  const writes = ({ method }: Asked, rest: string) => !READS.has(method) && !TURNS.test(rest);
  /** A request about an intern is over. */
  const landed = (one: InternFacts) => {
    one.requests--;
    if (one.requests <= 0) Object.assign(one, { requests: 0, writes: 0 });
  };

  /** Notes an accepted write. */
  const wrote = (one: InternFacts, asked: Asked, rest: string, at: number) => {
    const json = jsonOf(asked);
    one.wrote = at;
    if (rest === 'chat/completions') one.turned = { at, session: isRecord(json) ? (json.session_id ?? null) : null };
    if (PROMPTS.test(rest) && !isAnswer(json)) one.took = true;
    if (rest === 'invoke') {
      one.engaged ??= at;
      one.invoked = true;
    }
    if (PROMPTS.test(rest) && isAnswer(json)) {
      const { messages } = json as { messages: readonly { tool_call_id?: unknown }[] };
      one.questions.delete(String(messages.at(-1)?.tool_call_id));
      if (one.questions.size === 0) one.engaged = undefined;
    }
    if (rest === 'suspend' || rest === 'provision') {
      one.prompts.clear();
      one.questions.clear();
      Object.assign(one, { prompted: undefined, took: false, engaged: undefined, invoked: false });
    }
    if (TURNS.test(rest)) return;
    if (asked.method !== 'PATCH') one.ran = false;
    if (rest === 'provision') return move(one, 'booting', at, { status: 'provisioning' });
    // The record keeps its last status: a check that takes the intern waits until it is stopped.
    if (rest === 'suspend') return move(one, 'stopped', at);
    const keys = isRecord(json) ? Object.keys(json) : ['?'];
    if (asked.method !== 'PATCH' || rest !== '' || keys.some((key) => !HARMLESS.has(key))) one.standing = undefined;
  };

  /** Notes the records in an answer, except in that to a create. */
  const shows = (record: RecordFields, at: number) => {
    const { data, id, status } = record;
    if (Array.isArray(data)) {
      // A list may be late: it may show an intern as it was before its suspend.
      for (const row of data.filter(isRecord)) {
        const one = row.status === 'running' ? interns.get(String(row.id)) : undefined;
        if (one?.standing?.state === 'booting' && one.halted === undefined) one.ran = true;
      }
      return;
    }
    if (typeof id !== 'string' || typeof status !== 'string') return;
    const one = interns.get(id);
    if (one === undefined) return;
    one.doubted = false;
    if (one.ran && status !== 'running') {
      one.went = { status, at };
      stops ||= status === 'stopped';
    }
    one.ran = status === 'running';
    const before = one.standing;
    if (before === undefined) return;
    // An intern that waits for its first provision may be queued.
    const state = status === 'queued' ? before.state : STATES[status];
    // A suspend goes on after its answer, for an unknown time.
    const stopping = before.state === 'stopped' && before.record.status === 'running' && state === 'running';
    const since = before.state === state ? before.since : at;
    one.standing = state === undefined || stopping ? undefined : { record: record as unknown as Intern, state, since };
  };

  return {
    with: (id: string): InternFacts => interns.get(id) ?? internFacts(id),
    get wrote() {
      return latest;
    },
    get lostWrite() {
      return lostWrite;
    },
    get signsRoutes() {
      return routes;
    },
    saw: (name) => saw.has(name),
    shut: () => [...credentials].flatMap(([name, { shut, opened }]) => (shut ? { name, opened } : [])),
    /** Whether an intern that ran when it was last read may have stopped by itself since. */
    mayHaveStopped: (id: string) => stops || interns.get(id)?.doubted === true,
    /** A check found something: an intern may have stopped by itself, and be the cause. */
    doubt() {
      for (const one of interns.values()) one.doubted ||= one.ran;
    },
    /** A check takes an intern: earlier stops of it do not matter to the check. */
    handed(id: string) {
      const one = interns.get(id);
      if (one?.went !== undefined) one.went = { ...one.went, before: true };
    },

    /** A request is sent. */
    asks(asked: Asked) {
      const { one, rest } = about(asked);
      if (one === undefined) return;
      one.requests++;
      if (writes(asked, rest)) one.writes++;
      // Nobody can tell which of two concurrent requests the service took first.
      if (one.requests > 1 && one.writes > 0) one.standing = undefined;
      // Only a prompt is sent again until the intern is ready, not an answer.
      if (!PROMPTS.test(rest) || isAnswer(jsonOf(asked))) return;
      one.prompts.add(asked.first ?? asked.number);
      one.prompted ??= asked.at;
    },
    /** No answer came: a write may have taken effect nevertheless. */
    lost(asked: Asked) {
      const { one, rest } = about(asked);
      if (one === undefined) return;
      landed(one);
      if (writes(asked, rest)) one.standing = undefined;
    },
    /** An answer begins. */
    begins(asked: Asked, status: number, at: number) {
      const { caller, method } = asked;
      const { one, rest } = about(asked);
      // A request with another host, or with the credential in another form, proves nothing about the credential.
      if (typeof caller === 'string' && !isBad(caller) && asked.header('host') === undefined) {
        const isHarmless = status < 300 && (READS.has(method) || /\/sign$/.test(rest));
        const path = asked.query.size === 0 ? asked.path : `${asked.path}?${asked.query}`;
        const opened = isHarmless ? { method, path, json: jsonOf(asked) } : credentials.get(caller)?.opened;
        credentials.set(caller, { shut: status === 401, opened });
        if (one?.made !== undefined && DAEMON.test(rest) && status !== 404) saw.add(caller);
      }
      if (one !== undefined) landed(one);
      if (one !== undefined && GATEWAY.has(status)) {
        if (writes(asked, rest)) one.standing = undefined;
        // The prompt may not have reached the intern: the next one may be the first.
        one.prompts.delete(asked.first ?? asked.number);
      }
      if (READS.has(method) || status >= 400) return;
      latest = at;
      if (one !== undefined) wrote(one, asked, rest, at);
    },
    /** A create was answered with a new intern. */
    created(one: InternFacts, record: RecordFields, boots: boolean, at: number) {
      one.wrote = at;
      one.standing = { record: record as unknown as Intern, state: boots ? 'booting' : 'stopped', since: at };
    },
    /** An answer is complete. */
    sees(asked: Asked, { at, json, status, stream, text }: Answered, isCreate = false) {
      const { one, rest } = about(asked);
      // An error in another form comes from a gateway: the write may have taken effect.
      if (isOfGateway({ status, json }) && !READS.has(asked.method))
        lostWrite = { request: `${asked.method} ${asked.path}`, status, at };
      const question = text.includes('"finish_reason":"tool_calls"') ? `${asked.number}` : stream?.toolCalls[0]?.id;
      if (one !== undefined && question !== undefined) {
        one.questions.add(question);
        one.engaged ??= at;
      }
      if (one !== undefined && (stream?.done === true || text.includes('\ndata: [DONE]'))) one.turned = { at };
      if (status >= 300 || !isRecord(json)) return;
      if (one !== undefined && rest === 'invoke') one.turned = { at, session: json.session_id };
      routes ||= signature in json;
      if (!isCreate) shows(json, at);
    },
  } satisfies Dealings & Record<string, unknown>;
}
