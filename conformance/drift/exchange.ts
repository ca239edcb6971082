import { bodyText, type RecordedExchange } from '../../emulator/recording/format.js';
import { type Bindings, piecesOf } from '../../emulator/recording/template.js';
import type { Driver } from '../drivers/driver.js';
import { READS } from '../habits/dealings.js';
import { lacking } from '../model/skip.js';
import type { Need } from '../model/target.js';
import type { Client, OpenAnswer } from '../probe/client.js';
import { isRecord, jsonOf } from '../probe/json.js';
import { CREDENTIAL_NAMES, type CredentialName, type Send } from '../probe/request.js';
import type { Host } from '../probe/time.js';
import { type NoAnswerGot, whyNoAnswer } from '../probe/wait.js';
import { isSecret } from './compared.js';
import { dataOf } from './events.js';

/** The names that a run gives its interns, in place of recorded ones or for interns of its own; all with the prefix. */
export function createNames(prefix: string) {
  const given = new Map<string, string>();
  let count = 0;
  const fresh = () => `${prefix}${(++count).toString(36)}`;
  return {
    fresh,
    /** The name in place of a recorded one, once it was given. */
    of: (recorded: string): string | undefined => given.get(recorded),
    /** Gives one, the same for the same recorded name. */
    give(recorded: string): string {
      const name = given.get(recorded) ?? fresh();
      given.set(recorded, name);
      return name;
    },
  };
}
export type Names = ReturnType<typeof createNames>;

const isCredential = (alias: string): alias is CredentialName =>
  (CREDENTIAL_NAMES as readonly string[]).includes(alias);

/** The credential for a recorded one without a name. The operation and its status tell which. */
function unnamedCredential({ operation, status }: RecordedExchange): CredentialName {
  if (operation === 'scim') return 'management_key';
  return (operation === 'daemon' || operation === 'sign') && status === 200 ? 'oauth_token' : 'api_key';
}

/** The credential to send in place of a recorded one. For one that was answered 401, an invented one is sent. */
function credentialOf(exchange: RecordedExchange, alias: string): CredentialName | { readonly bearer: string } {
  if (exchange.status === 401) return { bearer: 'made-up-0000000000000000' };
  return isCredential(alias) ? alias : unnamedCredential(exchange);
}

/** The live value of a recorded credential. @throws Skipped where it was not given */
function credentialValue(driver: Driver, exchange: RecordedExchange, alias: string): string {
  const as = credentialOf(exchange, alias);
  const value = typeof as === 'string' ? driver.credential(as) : as.bearer;
  if (value === undefined) throw lacking({ kind: 'lacks', need: as as Need });
  return value;
}

/** A live answer. Its body grows while the stream is open. */
export interface Live {
  readonly status: number;
  readonly headers: Headers;
  text(): string;
  /** Events that came so far. */
  events(): number;
  over(): boolean;
  /** How the body ended, once it has. */
  readonly ended: Promise<RecordedExchange['ended']>;
  leave(): void;
}

export interface SendDeps {
  readonly driver: Driver;
  readonly host: Host;
  readonly client: Pick<Client, 'open'>;
  /** The live value for an alias that stands for nothing yet: given out to it. */
  unknown(alias: string): string;
  readonly names: Pick<Names, 'of' | 'give'>;
}

export const isRead = ({ request }: Pick<RecordedExchange, 'request'>): boolean => READS.has(request.method);

/** Methods that no `fetch` sends. */
const NEVER_SENT = /^(?:CONNECT|TRACE|TRACK)$/i;

/** How a live value, which may be any text, is written in each part of a request. */
const SPELLED = {
  json: (value: string) => JSON.stringify(value).slice(1, -1),
  // Through bytes, because encodeURIComponent throws on half a surrogate pair.
  path: (value: string) => encodeURIComponent(Buffer.from(value).toString()),
  header: (value: string) => value.replace(/[^\x20-\x7e]/gu, SPELLED.path),
  text: (value: string) => value,
};

/** A recorded text with live values. */
function liveText(
  { driver, host, unknown }: SendDeps,
  bindings: Bindings,
  exchange: RecordedExchange,
  recorded: string,
  place: keyof typeof SPELLED,
): string {
  const spelled = SPELLED[place];
  const numbers = recorded.replaceAll(/("created"\s*:\s*)"\$unix"/g, '$1$unix');
  return piecesOf(numbers)
    .map((piece) => {
      if ('text' in piece) return piece.text;
      const { alias } = piece;
      if (alias === 'time') return new Date(host.now()).toISOString();
      if (alias === 'unix') return String(Math.floor(host.now() / 1_000));
      // A value to store is nobody's credential. Equal recorded values become equal ones here.
      if (exchange.operation === 'vault-store' && /^key\.\d+$/.test(alias)) return `drift-value-${alias}`;
      if (isSecret(alias)) return credentialValue(driver, exchange, alias);
      const present = bindings.get(alias);
      if (present !== undefined) return spelled(present);
      const made = unknown(alias);
      bindings.bind(alias, made);
      return spelled(made);
    })
    .join('');
}

/**
 * A recorded body, in which a name of this run replaces the intern's name. So it meets nobody else's intern, and what it
 * leaves behind is known by its name. A name that was refused is sent as it was, unless the run gave it.
 */
function bodyWithNames({ names }: SendDeps, { operation, status, request }: RecordedExchange): string | undefined {
  const text = bodyText(request.body);
  const body = /^(?:create|update)$/.test(operation ?? '') ? jsonOf(text ?? '') : undefined;
  if (!isRecord(body) || typeof body.name !== 'string') return text;
  const name = (status ?? 500) < 300 ? names.give(body.name) : names.of(body.name);
  return name === undefined ? text : JSON.stringify({ ...body, name });
}

/**
 * Where a recorded path leads at the target. A recording is a file from anybody: a path that leaves the interface is not
 * followed, and what is written to a deployment is an intern or nothing.
 *
 * @throws Skipped
 */
function pathOf({ driver }: SendDeps, exchange: RecordedExchange, live: string): string {
  const { baseUrl } = driver.target;
  const path = live.replace(/^\/api\/v1(?=[/?]|$)/, '');
  const { origin, pathname } = new URL(`${baseUrl}${path}`);
  const base = new URL(baseUrl);
  if (origin !== base.origin || !`${pathname}/`.startsWith(`${base.pathname}/`)) {
    const note = `its path leads out of ${baseUrl}`;
    throw lacking({ kind: 'met', need: 'an address of the interface', note, got: exchange.request.path });
  }
  if (!driver.control && /^\/vault\/secrets(?:\/|$)/.test(pathname.slice(base.pathname.length))) {
    const note = 'it would read what others keep in the vault of a workspace';
    throw lacking({ kind: 'met', need: 'an operation on an intern', note });
  }
  const isOfInterns = /^\/interns(?:\/|$)/.test(pathname.slice(base.pathname.length));
  if (!driver.control && !isRead(exchange) && !isOfInterns) {
    const note = 'it would write to a deployment, and not to an intern';
    throw lacking({ kind: 'met', need: 'an operation of the interface', note });
  }
  return path;
}

/** The live request for a recorded one. @throws Skipped where it cannot be made or sent */
function requestOf(deps: SendDeps, bindings: Bindings, exchange: RecordedExchange): Send {
  const { request } = exchange;
  const live = (text: string, place: keyof typeof SPELLED) => liveText(deps, bindings, exchange, text, place);
  if (NEVER_SENT.test(request.method)) {
    throw lacking({ kind: 'met', need: 'fetch', note: 'the method cannot be sent', got: request.method });
  }
  const { authorization = '', ...others } = request.headers;
  const [, alias] = /^Bearer \$([a-z_]+(?:\.\d+)?)$/.exec(authorization) ?? [];
  if (alias !== undefined) credentialValue(deps.driver, exchange, alias);
  const headers = alias === undefined ? request.headers : others;
  const text = bodyWithNames(deps, exchange);
  const isJson = jsonOf(text ?? '') !== undefined;
  const body =
    request.body_base64 === undefined
      ? text && live(text, isJson ? 'json' : 'text')
      : Buffer.from(request.body_base64, 'base64');
  return {
    method: request.method,
    path: pathOf(deps, exchange, live(request.path, 'path')),
    as: alias === undefined ? null : credentialOf(exchange, alias),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, live(value, 'header')])),
    ...(body === undefined || request.method === 'GET' || request.method === 'HEAD' ? {} : { body }),
    // A recorded 429 is wanted here: the client must not wait and send again.
    ...(exchange.status === 429 && { limited: true }),
  };
}

/** How a connection comes to an end before its answer does. */
const BREAKS_OFF: readonly NoAnswerGot['kind'][] = ['dropped', 'other'];

async function textsOf(answer: OpenAnswer, add: (text: string) => void): Promise<void> {
  if (!/^text\/event-stream\b/i.test(answer.headers.get('content-type') ?? '')) {
    add((await answer.whole()).text);
    return;
  }
  const decoder = new TextDecoder();
  for (let got = await answer.read(); got; got = await answer.read()) add(decoder.decode(got.bytes, { stream: true }));
}

/**
 * Sends a recorded request with live values. Resolves with the head of the answer; the body is read on.
 *
 * @throws Skipped where it cannot be made, or would write to what the run did not make; whatever the connection throws
 */
export async function send(deps: SendDeps, bindings: Bindings, exchange: RecordedExchange): Promise<Live> {
  const answer = await deps.client.open(requestOf(deps, bindings, exchange));
  let read = '';
  let isOver = false;
  let hasLeft = false;
  const consume = async (): Promise<RecordedExchange['ended']> => {
    try {
      await textsOf(answer, (text) => {
        read += text;
      });
      return hasLeft ? 'client' : 'complete';
    } catch (error) {
      if (hasLeft) return 'client';
      const why = whyNoAnswer(error);
      if (why === undefined || !BREAKS_OFF.includes(why.kind)) throw error;
      if (exchange.writes === undefined && exchange.ended !== 'broken') throw error;
      return 'broken';
    }
  };
  const ended = consume().finally(() => {
    isOver = true;
  });
  // The reader that awaits `ended` gets the error there.
  ended.catch(() => {});
  return {
    status: answer.status,
    headers: answer.headers,
    text: () => read,
    events: () => dataOf(read).length,
    over: () => isOver,
    ended,
    leave() {
      hasLeft = true;
      void answer.close();
    },
  };
}
