import type fc from 'fast-check';
import type { Intern } from '../../emulator/contract/intern.js';
import type { Profile, ProofHeaders } from '../../emulator/contract/profile.js';
import type { Control } from '../drivers/control.js';
import type { Finding } from '../model/finding.js';
import type { Because } from '../model/skip.js';
import type { BehaviourName, Target } from '../model/target.js';
import type { Transcript } from '../probe/chunks.js';
import type { Answer, OpenAnswer } from '../probe/client.js';
import { type As, internPath, type Send } from '../probe/request.js';
import type { ChatReply } from './reply.js';

/** Options that every operation takes: who sends, and what is added to the request. */
export type SendOptions = Omit<Send, 'method' | 'path' | 'url' | 'json' | 'body'>;

/** The operations of the interface, sent by `send`. They judge nothing. With `json` undefined a request has no body. */
export function createApi(send: (send: Send) => Promise<Answer>) {
  const to =
    (method: string, below = '') =>
    (id: string, options?: SendOptions) =>
      send({ ...options, method, path: internPath(id, below) });
  const withBody =
    (method: string, below = '') =>
    (id: string, json?: unknown, options?: SendOptions) =>
      send({ ...options, method, path: internPath(id, below), ...(json === undefined ? {} : { json }) });
  return {
    list: (query?: Send['query'], options?: SendOptions) =>
      send({ ...options, path: '/interns', ...(query === undefined ? {} : { query }) }),
    create: (json: unknown, options?: SendOptions) => send({ ...options, method: 'POST', path: '/interns', json }),
    get: to('GET'),
    update: withBody('PATCH'),
    remove: withBody('DELETE'),
    provision: to('POST', '/provision'),
    suspend: to('POST', '/suspend'),
    invoke: withBody('POST', '/invoke'),
    daemon: to('GET', '/daemon'),
    sign: withBody('POST', '/daemon/sign'),
    scim: (id: string, options?: SendOptions) =>
      send({ ...options, path: `/scim/group-mappings/${encodeURIComponent(id)}` }),
  };
}
export type Api = ReturnType<typeof createApi>;

/** A chat request in short. Anything else goes through `ctx.send`/`ctx.open`. */
export interface ChatInput {
  readonly prompt?: string;
  readonly session_id?: string;
  readonly approval_mode?: string;
  /** Instead of `prompt`. */
  readonly messages?: readonly unknown[];
  /** Further fields of the body. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Makes interns whose names have the run's prefix. The run deletes them at its end. */
export interface InternFactory {
  /** A name nobody has, within the rules for names. */
  name(): string;
  /** A valid create body. */
  body(overrides?: Record<string, unknown>): Record<string, unknown> & { name: string; workspace_id: string };
  /** Creates one, not provisioned. A refusal is a finding. */
  stopped(overrides?: Record<string, unknown>, options?: SendOptions): Promise<Intern>;
  /** A running intern of this check alone. */
  running(overrides?: Record<string, unknown>, options?: SendOptions): Promise<Intern>;
  /** A running intern that other checks use too: leave no run open on it and do not change it. */
  shared(): Promise<Intern>;
  /** Waits (or moves the clock) until the intern has one of these statuses. Its record, or a finding. */
  until(id: string, statuses: readonly string[], options?: SendOptions): Promise<Intern>;
  /** Waits until an intern that was created without a boot is stopped: a live target may boot it nevertheless. */
  settled(made: Intern): Promise<Intern>;
  /**
   * Reads an intern whose suspend was accepted, once it no longer runs. An emulator stops it at once. The interface states
   * no time for other targets. Its record, or a finding.
   */
  untilSuspended(id: string): Promise<Intern>;
  /** Waits (or moves the clock) until the intern is 404. */
  untilGone(id: string, options?: SendOptions): Promise<void>;
  /** A stopped intern and its own key. Under control both are new, else the configured ones. `ours`: the run made it. Needs `own_key`. */
  own(options?: { running?: boolean }): Promise<{ id: string; key: As; ours: boolean }>;
  /**
   * An intern of the other workspace, that only the foreign key sees. With `running` it runs. Where requests cost, all checks
   * share one: their requests to it are refused anyway. Needs `foreign_api_key` and `foreign_workspace`.
   */
  foreign(options?: { running?: boolean }): Promise<Intern>;
  /** `count` interns whose times of creation differ, the newest first. Other checks may have used some of them. */
  inOrder(count: number): Promise<Intern[]>;
  unknownId(): string;
}

/** The run's knowledge of an intern by now. */
export interface KnownIntern {
  /** The phases of life that it may be in: `booting`, `up`, `off`, `going`, `gone`. */
  readonly phases: ReadonlySet<string>;
  readonly sessions: readonly { readonly id: string; readonly origin: 'chat' | 'invoke' }[];
  /** Calls that asked something, and the session of each. */
  readonly questions: readonly { readonly call: string; readonly session: string | undefined }[];
}

/** Everything a check works with. */
export interface Ctx {
  /** The facts of the target. No check asks for its kind: differences are behind this context. */
  readonly target: Omit<Target, 'kind'>;
  readonly profile: Profile;
  /** Names of the proof headers under the profile. */
  readonly proof: ProofHeaders;
  /** One request and its whole answer. */
  send(send: Send): Promise<Answer>;
  /** One request whose answer is still coming. */
  open(send: Send): Promise<OpenAnswer>;
  readonly api: Api;
  readonly interns: InternFactory;
  /** Starts a chat request. The reply is read in the background. */
  chat(id: string, input: ChatInput | string, options?: SendOptions): Promise<ChatReply>;
  /** Answers the question that `asked` ended with: echo, tool message, session. A string is sent as it is, any other `content` as JSON. */
  answer(
    id: string,
    asked: Transcript,
    content: unknown,
    options?: SendOptions & Pick<ChatInput, 'approval_mode'>,
  ): Promise<ChatReply>;
  /** A prompt that leads an intern to behave so. */
  prompt(behaviour: BehaviourName, text?: string): string;
  /** A prompt that runs this turn. Needs `control`. */
  script(turn: readonly Record<string, unknown>[]): Promise<string>;
  /** The control interface. Needs `control`. */
  readonly control: Control;
  /** Resets the emulator, and forgets the interns that the reset removed. Needs `disposable`. */
  reset(): Promise<void>;
  /** The target's clock. Needs `clock`. */
  readonly clock: Pick<Control, 'now' | 'advance'>;
  /** Lets `ms` pass: moves the clock where there is one, waits for real elsewhere. Needs `slow:…`. */
  wait(ms: number): Promise<void>;
  /** Waits until everything on its way has arrived. */
  settle(): Promise<void>;
  /** Sends to the daemon of an intern. Needs `daemon`. */
  daemon(
    path: string,
    init: { method?: string; headers?: Record<string, string>; body?: string | Uint8Array },
  ): Promise<Answer>;
  /** Starts `n` at once and waits for all. */
  race<T>(n: number, start: (index: number) => Promise<T>): Promise<T[]>;
  /** A bearer token that opens nothing. */
  readonly wrongKey: As;
  /**
   * Holds `predicate` against generated values; a finding in it is shrunk and reported with its counterexample. `name` is unique within the check.
   */
  property<Ts extends [unknown, ...unknown[]]>(
    name: string,
    ...args: [...arbitraries: { [K in keyof Ts]: fc.Arbitrary<Ts[K]> }, predicate: (...values: Ts) => Promise<void>]
  ): Promise<void>;
  /** Whether the target has refused a text for its characters. Prompts are plain words from then on. */
  plain(): boolean;
  /** Whether this run met the chat turn limit, in this check or before. */
  limited(): boolean;
  /**
   * Ends the check as a skip: the target did not get to the state that the check needs. `note` says what came instead. It holds no
   * values: `got` is the value or the answer.
   */
  unmet(need: string, note: string | undefined, got?: unknown): never;
  /**
   * An assumption of the check that the interface leaves open. Where it does not hold, the check is a skip, as by `unmet`.
   * An emulator must meet the assumption: there the check goes on, and its next assertion fails.
   */
  assume(holds: boolean, need: string | Because<'need'>, note?: string, got?: unknown): void;
  /**
   * An act that the intern decides. An intern may act differently: the check is then a skip that says how. Under control a
   * script decides: there it is `finding`. Without one the check goes on, and its next assertion fails.
   */
  internDid(
    holds: boolean,
    observed: Omit<Extract<Because<'intern'>, { kind: 'did-otherwise' }>, 'kind'> & {
      readonly finding?: { readonly what: string; readonly expected: unknown; readonly actual: unknown };
    },
  ): void;
  /** Whether interns of this run always followed such a prompt, and often enough to expect it again. A script always does. */
  reliable(behaviour: BehaviourName): boolean;
  /**
   * A condition that holds unless somebody or something else acts in between. Where it does not hold, the answers prove
   * nothing, and the check is a skip. Under control nobody else acts, so there it is a finding.
   */
  undisturbed(holds: boolean, what: string, expected: unknown, actual: unknown): void;
  /** Reads until `holds`, for at most `within` ms (10,000). An emulator is never late: it is read once. Returns the last value. */
  eventually<T>(read: () => Promise<T>, holds: (value: T) => boolean, within?: number): Promise<T>;
  /** All of the items. Where requests cost, a random choice of `few` (1). */
  sample<T>(items: readonly T[], few?: number): readonly T[];
  /**
   * Holds `look` against every item. Where requests cost, a property draws the items, one a run; `few` above 1 instead takes
   * so many different items.
   */
  each<T>(name: string, items: readonly T[], look: (item: T) => Promise<void>, few?: number): Promise<void>;
  /**
   * Sends the valid twin of a request that must be refused: a refusal is then for the one thing that is wrong. Where
   * requests cost, the twin of a `name` is sent once a run.
   */
  twin(name: string, accepted: () => Promise<unknown>): Promise<void>;
  /** A number of requests: `many`, or `few` where requests cost. */
  upTo(many: number, few: number): number;
  /** Expects two reads of an unchanged intern to agree in the fields that only a change alters. */
  same(one: Intern, other: Intern, of: string): void;
  /** The interns of the list, the newest first. Others may be in it. `having`: ids that should be there. */
  listed(
    of: string,
    look?: { readonly having?: readonly string[]; readonly query?: Send['query']; readonly options?: SendOptions },
  ): Promise<Intern[]>;
  /** Expects `found` to be the ids of `made`, each once and newest first, as far as their times of creation tell. */
  newestFirst(found: readonly string[], made: readonly Pick<Intern, 'id' | 'created_at'>[], of: string): void;
  /** Texts that the target can read back unchanged. */
  texts(constraints?: { minLength?: number; maxLength?: number }): fc.Arbitrary<string>;
  /**
   * The run of this reply must go on until the check ends. A finding after the run has ended proves nothing, and is a skip.
   * Under control it stays a finding.
   */
  mustGoOn(reply: ChatReply): void;
  /** Skips the check if another one has found that streams do not arrive as they are written. */
  needsStreaming(): void;
  /** Notes that streams arrive only when they end. */
  streamsAreHeldBack(): void;
  /** ms of real time since some moment before the check. */
  elapsed(): number;
  /** A random number from 0 to 1, from the seed of the run and the id of the check. */
  random(): number;
  /** Whether the target meets a need. */
  has(need: string): boolean;
  /** The number of kinds of breaches that this check was the first to show. */
  broken(): number;
  /** The first breach that answers to this check showed since the last call. Only for a check that walks. */
  breach(): Finding | undefined;
  /** The run's knowledge of an intern by now. */
  known(id: string): KnownIntern;
  /** Whether the run has reached a limit: the check begins nothing more. */
  over(): boolean;
  /** Whether the run will not have enough requests for all that it asks. */
  readonly short: boolean;
}
