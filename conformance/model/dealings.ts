import type { Intern } from '../../emulator/contract/intern.js';
import { type Dealings, type IdleState, type Opened, PROMPTS, READS, TURNS } from '../habits/dealings.js';
import { GATEWAY } from '../probe/gateway.js';
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

/**
 * Fields that an update may change of an intern that serves other checks: nothing that it does depends on it. Not its name: a peer may
 * have one of the new name.
 */
const HARMLESS = new Set(['description']);

/**
 * The dealings of one client with the interns of a target, noted with what else is known of each, and with its credentials.
 * They are no sets: where two requests overlap, of which one writes, nothing is known.
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

  /** The intern that a request is about, where anything is known of it, and what follows its id in the path. */
  const about = (asked: Asked) => {
    const { id = '', rest } = placeOf(asked);
    return { one: interns.get(id), rest };
  };
  const move = (one: InternFacts, state: IdleState, at: number, change: Partial<Intern> = {}) => {
    const record = one.standing?.record;
    if (record !== undefined) one.standing = { state, record: { ...record, ...change }, since: at };
  };
  const writes = ({ method }: Asked, rest: string) => !READS.has(method) && !TURNS.test(rest);
  /** No other request about it overlaps one that has ended. */
  const landed = (one: InternFacts) => {
    one.requests--;
    if (one.requests <= 0) Object.assign(one, { requests: 0, writes: 0 });
  };

  /** An accepted write: where the intern is then. */
  const wrote = (one: InternFacts, asked: Asked, rest: string, at: number) => {
    const json = jsonOf(asked);
    one.wrote = at;
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
    // Its status stays the last that was read: who takes it looks whether it is stopped by then.
    if (rest === 'suspend') return move(one, 'stopped', at);
    const keys = isRecord(json) ? Object.keys(json) : ['?'];
    if (asked.method !== 'PATCH' || rest !== '' || keys.some((key) => !HARMLESS.has(key))) one.standing = undefined;
  };

  /** The record of one, as an answer to anything but a create gives it. */
  const shows = (record: RecordFields, at: number) => {
    const { id, status } = record;
    if (Array.isArray(record.data) || typeof id !== 'string' || typeof status !== 'string') return;
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
    // One that waits for its first provision may be queued for it.
    const state = status === 'queued' ? before.state : STATES[status];
    // Its suspend goes on after the answer: until when, nobody can tell.
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
    /** Whether one that ran when it was last read may have stopped by itself since. */
    mayHaveStopped: (id: string) => stops || interns.get(id)?.doubted === true,
    /** A check found something: an intern that ran when it was last read may be what that rests on. */
    doubt() {
      for (const one of interns.values()) one.doubted ||= one.ran;
    },
    /** A check takes it as it is now: what happened to it before does not matter. */
    handed(id: string) {
      const one = interns.get(id);
      if (one !== undefined) one.went = undefined;
    },

    /** A request leaves. */
    asks(asked: Asked) {
      const { one, rest } = about(asked);
      if (one === undefined) return;
      one.requests++;
      if (writes(asked, rest)) one.writes++;
      // Of two at once, one of them a write, nobody can tell which the service took first.
      if (one.requests > 1 && one.writes > 0) one.standing = undefined;
      // An answer is refused for good, not until the intern is ready.
      if (!PROMPTS.test(rest) || isAnswer(jsonOf(asked))) return;
      one.prompts.add(asked.first ?? asked.number);
      one.prompted ??= asked.at;
    },
    /** No head of an answer came: a write may have been done all the same. */
    lost(asked: Asked) {
      const { one, rest } = about(asked);
      if (one === undefined) return;
      landed(one);
      if (writes(asked, rest)) one.standing = undefined;
    },
    /** The head of its answer came. */
    begins(asked: Asked, status: number, at: number) {
      const { caller, method } = asked;
      const { one, rest } = about(asked);
      // One that is presented in another way, or beside the usual host, says nothing of the credential.
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
        // Whether it has come to the intern, nobody can tell: the next prompt may be the first.
        one.prompts.delete(asked.first ?? asked.number);
      }
      // A refused request changed nothing. Any other write may have.
      if (READS.has(method) || status >= 400) return;
      latest = at;
      if (one !== undefined) wrote(one, asked, rest, at);
    },
    /** A create was answered with a new intern. */
    created(one: InternFacts, record: RecordFields, boots: boolean, at: number) {
      one.wrote = at;
      one.standing = { record: record as unknown as Intern, state: boots ? 'booting' : 'stopped', since: at };
    },
    /** The body of an answer came. */
    sees(asked: Asked, { at, json, status, stream, text }: Answered, isCreate = false) {
      const { one } = about(asked);
      // A gateway has errors of a form of its own: whether the write was done, nobody can tell.
      const isOfGateway = GATEWAY.has(status) && !(isRecord(json) && isRecord(json.error));
      if (isOfGateway && !READS.has(asked.method)) lostWrite = { request: `${asked.method} ${asked.path}`, status, at };
      const question = text.includes('"finish_reason":"tool_calls"') ? `${asked.number}` : stream?.toolCalls[0]?.id;
      if (one !== undefined && question !== undefined) {
        one.questions.add(question);
        one.engaged ??= at;
      }
      if (status >= 300 || !isRecord(json)) return;
      routes ||= signature in json;
      if (!isCreate) shows(json, at);
    },
  } satisfies Dealings & Record<string, unknown>;
}
