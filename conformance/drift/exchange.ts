import { bodyText, type RecordedExchange } from '../../emulator/recording/format.js';
import { type Bindings, piecesOf } from '../../emulator/recording/template.js';
import type { Driver } from '../drivers/driver.js';
import type { Host } from '../framework/time.js';
import { CREDENTIAL_NAMES, type CredentialName } from '../probe/request.js';
import { dataOf } from './events.js';

/** A request that cannot be made here. */
export class Unmade extends Error {
  override readonly name = 'Unmade';
}

const isCredential = (alias: string): alias is CredentialName =>
  (CREDENTIAL_NAMES as readonly string[]).includes(alias);

/** Which credential a recorded one without a name was, by what it opened. */
function unnamedCredential({ operation, status }: RecordedExchange): CredentialName {
  if (operation === 'scim') return 'management_key';
  return (operation === 'daemon' || operation === 'sign') && status === 200 ? 'oauth_token' : 'api_key';
}

/** The live value of a recorded credential; one that was answered 401, whichever it was, is made up. */
function credential(driver: Driver, exchange: RecordedExchange, alias: string): string {
  if (exchange.status === 401) return 'made-up-0000000000000000';
  const name = isCredential(alias) ? alias : unnamedCredential(exchange);
  const value = driver.credential(name);
  if (value === undefined) throw new Unmade(`it needs ${name}`);
  return value;
}

/** A live answer. The body grows while its stream is open. */
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
  /** ms until the head of an answer has to be there. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** The live value for an alias that stands for nothing yet: given out to it. */
  unknown(alias: string): string;
}

/** A recorded text with live values, each as `spelled` there. */
function liveText(
  deps: SendDeps,
  bindings: Bindings,
  exchange: RecordedExchange,
  recorded: string,
  spelled: (value: string) => string = (value) => value,
): string {
  const seconds = () => String(Math.floor(deps.host.now() / 1_000));
  const numbers = recorded.replaceAll(/("created"\s*:\s*)"\$unix"/g, '$1$unix');
  return piecesOf(numbers)
    .map((piece) => {
      if ('text' in piece) return piece.text;
      const { alias } = piece;
      if (alias === 'time') return new Date(deps.host.now()).toISOString();
      if (alias === 'unix') return seconds();
      if (alias.startsWith('key.') || isCredential(alias)) return credential(deps.driver, exchange, alias);
      const present = bindings.get(alias);
      if (present !== undefined) return spelled(present);
      const made = deps.unknown(alias);
      bindings.bind(alias, made);
      return spelled(made);
    })
    .join('');
}

/**
 * Sends a recorded request with live values. Resolves with the head of the answer; the body is read on.
 *
 * @throws Unmade where a credential is missing; whatever the connection throws
 */
export async function send(deps: SendDeps, bindings: Bindings, exchange: RecordedExchange): Promise<Live> {
  const { request } = exchange;
  const live = (text: string) => liveText(deps, bindings, exchange, text);
  const path = liveText(deps, bindings, exchange, request.path, encodeURIComponent).replace(/^\/api\/v1/, '');
  const leave = new AbortController();
  const signal = AbortSignal.any([deps.signal, leave.signal]);
  const text = bodyText(request.body);
  const body = request.body_base64 === undefined ? text && live(text) : Buffer.from(request.body_base64, 'base64');
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, live(value)]));
  const cancel = deps.host.later(deps.timeout, () => leave.abort(new Error(`no answer within ${deps.timeout} ms`)));
  const response = await Promise.resolve(
    deps.driver.fetch(
      new Request(`${deps.driver.target.baseUrl}${path}`, {
        method: request.method,
        headers,
        signal,
        redirect: 'manual',
        ...(body === undefined || request.method === 'GET' || request.method === 'HEAD' ? {} : { body }),
      }),
    ),
  ).finally(cancel);
  let read = '';
  let over = false;
  const consume = async (): Promise<RecordedExchange['ended']> => {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of response.body ?? []) read += decoder.decode(bytes, { stream: true });
      return 'complete';
    } catch {
      return leave.signal.aborted ? 'client' : 'broken';
    }
  };
  return {
    status: response.status,
    headers: response.headers,
    text: () => read,
    events: () => dataOf(read).length,
    over: () => over,
    ended: consume().finally(() => {
      over = true;
    }),
    leave: () => leave.abort(new Error('the recorded client left here')),
  };
}
