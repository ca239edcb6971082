import { isUtf8 } from 'node:buffer';
import { type Answered, type Asked, type Body, type Exchange, someBody } from '../model/exchange.js';
import type { Leaving } from '../model/ownership.js';
import { IDEMPOTENCY_HEADER, idempotencyHeaderOf, type Target } from '../model/target.js';
import type { Transcript } from '../probe/chunks.js';
import type { Answer } from '../probe/client.js';
import { type Send, urlOf } from '../probe/request.js';

/** A bearer token that opens nothing, by its name. */
export const WRONG_KEY = 'sk-conformance-opens-nothing';

/** Stands for the key of a caller, whatever it is. */
const ANY_KEY = 'any-key-of-a-caller';

function bodyOf({ json, body }: Send): Body {
  const raw = json === undefined ? body : JSON.stringify(json);
  if (raw === undefined || raw.length === 0) return { kind: 'none' };
  // A body in late pieces is unknown.
  if (Array.isArray(raw) && !raw.every((chunk) => chunk instanceof Uint8Array)) return { kind: 'unknown' };
  if (typeof raw === 'string') return someBody(Buffer.byteLength(raw), () => raw);
  if (raw instanceof Uint8Array) return someBody(raw.length, () => textOf(raw));
  return someBody(
    raw.reduce((size, { length }) => size + length, 0),
    () => textOf(Buffer.concat(raw)),
  );
}

/** Blanks as large bodies end in, which are compared at once. */
const BLANKS = Buffer.alloc(4_096, ' ');

/** The text of a body, without the blanks at its end, which fill large ones. Bytes that are not UTF-8 are no JSON. */
function textOf(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end >= BLANKS.length && BLANKS.equals(bytes.subarray(end - BLANKS.length, end))) end -= BLANKS.length;
  while (end > 0 && bytes[end - 1] === 0x20) end--;
  const filled = bytes.subarray(0, end);
  return isUtf8(filled) ? new TextDecoder().decode(filled) : '\ufffd';
}

const callerOf = (send: Send): string | null | undefined => {
  const { as, headers, present } = send;
  const given = Object.entries({ ...present?.(ANY_KEY), ...headers }).find(([name]) => /^authorization$/i.test(name));
  // Another scheme than Bearer, or another header, counts as no credential, and a changed token as one that opens nothing.
  const [, token] = /^\s*bearer\s+(\S+)/i.exec(given?.[1] ?? '') ?? [];
  if (given !== undefined && token === undefined) return null;
  if (present !== undefined) return token === undefined ? null : token === ANY_KEY ? undefined : WRONG_KEY;
  if (given !== undefined) return undefined;
  if (as === undefined || as === null) return as === null ? null : 'api_key';
  return typeof as === 'string' ? as : as.bearer === WRONG_KEY ? WRONG_KEY : undefined;
};

/** A request of a run before it is sent, for the guard and for the rules. */
export function askedBy(
  send: Send,
  target: Pick<Target, 'baseUrl' | 'profile' | 'regionalHost'>,
): Omit<Asked, 'number' | 'first' | 'at'> & Leaving {
  const { baseUrl, profile } = target;
  const url = urlOf(send, baseUrl);
  const [address = '', query = ''] = url.split(/[?#]/);
  const keyHeader = idempotencyHeaderOf(profile);
  const given = Object.entries({ ...(send.host !== undefined && { host: send.host }), ...send.headers });
  const headers = new Map(given.map(([name, value]) => [name.toLowerCase(), value]));
  return {
    method: send.method ?? 'GET',
    // As sent. Below the base it is relative to the base.
    path: address.startsWith(`${baseUrl}/`) ? address.slice(baseUrl.length) : new URL(url).pathname,
    query: new URLSearchParams(query),
    header(name) {
      const key = name === keyHeader ? IDEMPOTENCY_HEADER : name;
      if (headers.has(key)) return headers.get(key);
      return key === 'content-type' && send.json !== undefined ? 'application/json' : undefined;
    },
    body: bodyOf(send),
    caller: callerOf(send),
    as: typeof send.as === 'string' ? send.as : 'api_key',
    regional: send.host !== undefined && (send.host === target.regionalHost || /^eu\./i.test(send.host)),
  };
}

export const exchangeOf = (asked: Asked, answer: Answer, at: number): Exchange => ({
  asked,
  answered: {
    at,
    status: answer.status,
    header: (name) => answer.headers.get(name) ?? undefined,
    text: answer.text,
    all() {
      let head = '';
      answer.headers.forEach((value, name) => {
        head += `${name}\n${value}\n`;
      });
      return head + answer.text;
    },
    json: answer.json,
    whole: true,
  },
});

/** The exchange of a chat stream that has ended. */
export const streamOf = (asked: Asked, transcript: Transcript, at: number): Exchange => ({
  asked,
  answered: {
    at,
    status: 200,
    header: (name): string | undefined => (name === 'content-type' ? 'text/event-stream' : undefined),
    text: '',
    all: () => [transcript.content, ...transcript.items.map((item) => ('data' in item ? item.data : ''))].join('\n'),
    json: undefined,
    whole: transcript.ended === 'end',
    stream: transcript,
  } satisfies Answered,
});
