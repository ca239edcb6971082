import type { Aliases } from './aliases.js';
import { discoverInHeaders, discoverInJson, discoverInPath } from './discover.js';
import {
  ANSWER_HEADERS,
  bodyText,
  RECORDING_FORMAT,
  REQUEST_HEADERS,
  type RecordedExchange,
  type RecordedWrite,
  toBody,
} from './format.js';
import { operationOf } from './operations.js';
import { pathWithAliases, streamWithAliases, withAliases, withoutSecrets } from './rewrite.js';

/** An exchange as it went over the wire. Header names in lower case, bodies decoded. */
export interface RawExchange {
  readonly n: number;
  readonly scenario: string | null;
  readonly at: number;
  readonly method: string;
  /** From the version segment on, with its query. */
  readonly path: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: Uint8Array;
  /** Null where the connection broke off before an answer began. */
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Each write of the answer with its time, ms since the request came. */
  readonly writes: readonly { readonly at: number; readonly bytes: Uint8Array }[];
  readonly ended: RecordedExchange['ended'];
}

/** The bytes as text, or undefined where they are no UTF-8. */
function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isStream = (headers: RawExchange['headers']) => /^text\/event-stream\b/i.test(headers['content-type'] ?? '');

/** What can be known from an exchange: it must be, before anything of it is written. */
function discover(aliases: Aliases, operation: string | null, raw: RawExchange, answer: string | undefined): void {
  discoverInHeaders(aliases, raw.requestHeaders);
  discoverInPath(aliases, raw.path);
  discoverInJson(aliases, operation, parsed(utf8(raw.requestBody) ?? ''));
  if (answer === undefined) return;
  const texts = isStream(raw.headers) ? [...answer.matchAll(/^data: ?(.*)$/gm)].map(([, data = '']) => data) : [answer];
  for (const text of texts) discoverInJson(aliases, operation, parsed(text));
}

/** Text that stands for bytes one by one: how bytes that are no UTF-8 are searched. */
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const hiddenBytes = (aliases: Aliases, texts: readonly string[]) =>
  aliases.hideSecrets(texts).map((text) => Buffer.from(text, 'latin1').toString('base64'));

function bodyOf(aliases: Aliases, bytes: Uint8Array): Pick<RecordedExchange, 'body' | 'body_base64'> {
  if (bytes.length === 0) return {};
  const text = utf8(bytes);
  if (text === undefined) return { body_base64: hiddenBytes(aliases, [latin1(bytes)])[0] ?? '' };
  return { body: toBody(withAliases(aliases, text)) };
}

/** Texts of writes whose characters may be cut: a character belongs to the write in which it ends. */
function textsOf(writes: RawExchange['writes']): string[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return writes.map(({ bytes }) => decoder.decode(bytes, { stream: true }));
}

function writesOf(aliases: Aliases, writes: RawExchange['writes'], isText: boolean): RecordedWrite[] {
  if (!isText) {
    const bytes = hiddenBytes(
      aliases,
      writes.map((write) => latin1(write.bytes)),
    );
    return writes.map(({ at }, index) => ({ at, base64: bytes[index] ?? '' }));
  }
  const texts = streamWithAliases(aliases, textsOf(writes));
  return writes.map(({ at }, index) => ({ at, text: texts[index] ?? '' })).filter(({ text }) => text !== '');
}

const picked = (headers: Readonly<Record<string, string>>, names: readonly string[], hide: (text: string) => string) =>
  Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, hide(headers[name])]])));

/** The line of a recording that an exchange becomes: aliases for all that differs between runs, no credential (REC-1). */
export function toRecorded(aliases: Aliases, raw: RawExchange): RecordedExchange {
  const operation = operationOf(raw.method, raw.path);
  const bytes = Buffer.concat(raw.writes.map((write) => write.bytes));
  const text = utf8(bytes);
  discover(aliases, operation, raw, text);
  const hide = (value: string) => aliases.hide([value]).join('');
  // The scheme is no part of the credential, which counts as one however short.
  const hideHeader = (value: string) => {
    const [, scheme = '', rest = ''] = /^((?:Basic|Bearer) +)?(.*)$/is.exec(value) ?? [];
    return scheme + hide(rest);
  };
  return {
    format: RECORDING_FORMAT,
    n: raw.n,
    scenario: raw.scenario,
    at: raw.at,
    operation,
    request: {
      method: raw.method,
      path: pathWithAliases(aliases, raw.path),
      headers: picked(raw.requestHeaders, REQUEST_HEADERS, hideHeader),
      ...bodyOf(aliases, raw.requestBody),
    },
    status: raw.status,
    headers: picked(raw.headers, ANSWER_HEADERS, hide),
    ...(isStream(raw.headers) ? { writes: writesOf(aliases, raw.writes, text !== undefined) } : bodyOf(aliases, bytes)),
    // A client that cancels the body once it has read the end of the stream has left nothing.
    ended: raw.ended === 'client' && text !== undefined && /data: \[DONE\]\s*$/.test(text) ? 'complete' : raw.ended,
  };
}

/** A recorded exchange without the secrets that became known after it was written. */
export function withLaterSecrets(aliases: Aliases, exchange: RecordedExchange): RecordedExchange {
  const hide = (value: string) => withoutSecrets(aliases, [value]).join('');
  const again = (body: RecordedExchange['body']) => {
    const text = bodyText(body);
    return text === undefined ? {} : { body: toBody(hide(text)) };
  };
  const { request, writes } = exchange;
  const texts = withoutSecrets(
    aliases,
    (writes ?? []).map((write) => ('text' in write ? write.text : '')),
  );
  return {
    ...exchange,
    request: { ...request, path: aliases.hideSecrets([request.path]).join(''), ...again(request.body) },
    ...again(exchange.body),
    ...(writes && {
      writes: writes.map((write, index) => ('text' in write ? { at: write.at, text: texts[index] ?? '' } : write)),
    }),
  };
}
