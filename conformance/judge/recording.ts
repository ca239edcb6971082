import { createHash } from 'node:crypto';
import { bodyText, type RecordedExchange } from '../../emulator/recording/format.js';
import type { PlacedExchange } from '../../emulator/recording/read.js';
import { renderText } from '../../emulator/recording/template.js';
import type { Body } from '../model/exchange.js';
import type { Piece } from '../probe/evidence.js';
import { type Parts, splitPath, textBody } from './exchange.js';

/** Most ms that an answer took, if the recording lacks its end. */
const LONGEST = 60_000;

type View = (alias: string) => string;

const hashed = (alias: string, kind = 'sha256'): Buffer => createHash(kind).update(alias).digest();
const uuid = (alias: string): string =>
  hashed(alias)
    .toString('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');

/** Values in the right form, by the kind of alias. */
const RIGHT: Readonly<Record<string, View>> = {
  time: () => '2026-01-01T00:00:00.000Z',
  unix: () => '1767225600',
  digest: (alias) => hashed(alias).toString('hex'),
  fingerprint: (alias) => hashed(alias).toString('hex'),
  signature: (alias) => hashed(alias, 'sha512').toString('base64'),
  hostname: (alias) => `${uuid(alias)}.example`,
  daemon_origin: (alias) => `https://${uuid(alias)}.example:443`,
  secret: (alias) => `s${hashed(alias).toString('hex').slice(0, 12)}`,
};

/** Two possible origins of a recording: its aliases stood for values in the right form, or for any text. */
export const VIEWS: readonly View[] = [
  (alias) => (RIGHT[alias.replace(/\.\d+$/, '')] ?? uuid)(alias),
  (alias) => (alias === 'unix' ? '1767225600' : `$${alias}`),
];

/** The exchanges of each recorder. A file may hold those of several, one after the other. */
export function recordersIn(placed: readonly PlacedExchange[]): PlacedExchange[][] {
  const all: PlacedExchange[][] = [];
  let met = new Set<number>();
  for (const one of [...placed].sort((a, b) => a.line - b.line)) {
    const { n } = one.exchange;
    if (all.length === 0 || met.has(n)) {
      all.push([]);
      met = new Set();
    }
    met.add(n);
    all.at(-1)?.push(one);
  }
  return all;
}

/** Whether a recording holds all exchanges of its recorder, from the first on. */
export const isWhole = (placed: readonly PlacedExchange[]): boolean =>
  placed.every(({ exchange: { n } }) => n <= placed.length);

/** The latest time at which each answer can have ended. Lines are in the order of these ends. */
function endsOf(placed: readonly PlacedExchange[]): Map<PlacedExchange, number> {
  const ends = new Map<PlacedExchange, number>();
  let next = Number.POSITIVE_INFINITY;
  for (const one of [...placed].sort((a, b) => b.line - a.line)) {
    const { at, writes } = one.exchange;
    const last = writes?.at(-1)?.at;
    next = Math.min(next, last === undefined ? at + LONGEST : at + last);
    ends.set(one, Math.max(at, next));
  }
  return ends;
}

const headersBy = (headers: Readonly<Record<string, string>>, view: View) => (name: string) => {
  const value = headers[name];
  return value === undefined ? undefined : renderText(value, view);
};

function bodyOf({ request, left_out }: RecordedExchange, view: View): Body {
  if (left_out?.request !== undefined) return { kind: 'unknown' };
  if (request.body_base64 !== undefined) {
    const bytes = Buffer.from(request.body_base64, 'base64');
    return textBody(bytes.toString(), bytes.length);
  }
  return textBody(renderText(bodyText(request.body) ?? '', view));
}

function piecesIn({ body, body_base64, writes }: RecordedExchange, at: number, view: View): readonly Piece[] {
  const decoded = (base64: string) => Buffer.from(base64, 'base64').toString();
  if (writes !== undefined)
    return writes.map((write) => ({
      at: at + write.at,
      text: 'text' in write ? renderText(write.text, view) : decoded(write.base64),
    }));
  return [{ at, text: body_base64 === undefined ? renderText(bodyText(body) ?? '', view) : decoded(body_base64) }];
}

/** The exchanges of a recorder, each in every view; undefined for one outside the interface. */
export function partsOf(placed: readonly PlacedExchange[], from: number): (readonly Parts[] | undefined)[] {
  const ends = endsOf(placed);
  return [...placed]
    .sort((a, b) => a.exchange.n - b.exchange.n)
    .map((one, index) => {
      const { exchange } = one;
      const { request, status, headers, at, ended, left_out: left, not_passed_on: not } = exchange;
      const { authorization } = request.headers;
      const views = VIEWS.flatMap((view): Parts[] => {
        const split = splitPath(renderText(request.path, view));
        if (split === undefined) return [];
        const header = headersBy(request.headers, view);
        const answer =
          status === null || not !== undefined
            ? undefined
            : {
                at: ends.get(one) ?? at,
                status,
                header: headersBy(headers, view),
                pieces: piecesIn(exchange, at, view),
                whole: ended === 'complete' && left?.answer === undefined,
              };
        const caller = authorization ?? null;
        return [
          {
            number: from + index,
            at,
            method: request.method,
            path: split.path,
            header,
            body: bodyOf(exchange, view),
            caller,
            answer,
          },
        ];
      });
      return views.length === VIEWS.length ? views : undefined;
    });
}
