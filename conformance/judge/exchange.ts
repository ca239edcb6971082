import { createHash } from 'node:crypto';
import { type Body, type Exchange, someBody } from '../model/exchange.js';
import { createChunkGrammar } from '../probe/chunks.js';
import type { Piece } from '../probe/evidence.js';
import { jsonOf } from '../probe/json.js';
import { createSseParser } from '../probe/sse.js';

type Header = (name: string) => string | undefined;

/** An exchange by its parts, from a recording, a HAR or a proxy. */
export interface Parts {
  readonly number: number;
  readonly at: number;
  readonly method: string;
  /** Below the base, with its query. */
  readonly path: string;
  readonly header: Header;
  readonly body: Body;
  readonly caller: string | null | undefined;
  readonly answer:
    | {
        /** When it ended, at the latest. */
        readonly at: number;
        readonly status: number;
        readonly header: Header;
        readonly pieces: readonly Piece[];
        /** All of the body is there. */
        readonly whole: boolean;
      }
    | undefined;
}

/** A body whose text is known. U+FFFD may stand for bytes that are not UTF-8, so a body with one is not. */
export function textBody(text: string, size = Buffer.byteLength(text)): Body {
  if (size === 0) return { kind: 'none' };
  if (text.includes('\uFFFD')) return { kind: 'unknown' };
  return someBody(size, () => text);
}

/** A path of the interface, split from the address of its target; undefined for any other. */
export function splitPath(pathname: string): { readonly base: string; readonly path: string } | undefined {
  const [, base, path] = /^(.*?\/api\/v\d+)(\/(?:interns|vault|scim)(?:[/?].*)?)$/s.exec(pathname) ?? [];
  return base === undefined || path === undefined ? undefined : { base, path };
}

/** The name of a credential: equal ones have equal names, and none shows its value. */
export const credentialName = (authorization: string): string =>
  `credential ${createHash('sha256')
    .update(authorization.replace(/^\s*bearer\s+/i, ''))
    .digest('hex')
    .slice(0, 16)}`;

/**
 * The sender of a request, by its headers. A cookie, or a key of another kind or scheme, may be an unknown credential: nobody
 * answers to a key without its scheme as to its holder.
 */
export function callerBy(header: Header): string | null | undefined {
  const authorization = header('authorization');
  if (authorization !== undefined)
    return isRedacted(authorization) || !/^\s*bearer\s+\S/i.test(authorization)
      ? undefined
      : credentialName(authorization);
  return header('cookie') !== undefined || header('x-api-key') !== undefined ? undefined : null;
}

/** Whether something was taken out of a text, and words put in its place. */
export const isRedacted = (text: string): boolean =>
  /\*{3,}|[[(<{]\s*(?:redacted|hidden|masked|removed|filtered|sanitized)|\bREDACTED\b|x{8,}/i.test(text);

/** The exchange that rules look at. Of a body that is not whole nothing is kept. */
export function exchangeBy(parts: Parts, toolName: string): Exchange {
  const { number, at, method, header, body, caller, answer } = parts;
  const [path = '', query = ''] = parts.path.split(/[?#]/);
  // The regional hosts are not known: a 403 may say that this one is.
  const regional = answer?.status === 403;
  const asked = { number, at, method, path, query: new URLSearchParams(query), header, body, caller, regional };
  if (answer === undefined) return { asked, answered: undefined };
  const { pieces, status, whole } = answer;
  const head = { at: answer.at, status, header: answer.header, whole };
  if (!/^text\/event-stream\b/i.test(answer.header('content-type') ?? '')) {
    const text = whole ? pieces.map((piece) => piece.text).join('') : '';
    return { asked, answered: { ...head, text, json: jsonOf(text) } };
  }
  const parser = createSseParser();
  const grammar = createChunkGrammar(toolName, { scripted: false, exchange: number });
  for (const piece of pieces) for (const item of parser.push(Buffer.from(piece.text), piece.at)) grammar.take(item);
  grammar.end(parser.end().unfinished, whole ? 'end' : 'cancelled');
  return { asked, answered: { ...head, text: '', json: undefined, stream: grammar.transcript } };
}
