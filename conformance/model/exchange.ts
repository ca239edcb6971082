import type { Transcript } from '../probe/chunks.js';
import { isRecord, jsonOf as jsonIn } from '../probe/json.js';

/** The body of a request, as far as it is known. */
export type Body =
  /** The recording lacks it. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'none' }
  /** `json` is undefined where the text is no JSON. */
  | { readonly kind: 'some'; readonly size: number; readonly text: string; readonly json: unknown };

/** A body of `size` bytes. Its text is decoded and parsed on demand. */
export function someBody(size: number, decode: () => string): Body {
  let text: string | undefined;
  let parsed: { readonly json: unknown } | undefined;
  return {
    kind: 'some',
    size,
    get text() {
      text ??= decode();
      return text;
    },
    get json() {
      parsed ??= { json: jsonIn(this.text) };
      return parsed.json;
    },
  };
}

/** A request of the run, or of anybody else. */
export interface Asked {
  /** Unique in its run, in the order of sending. */
  readonly number: number;
  /** The number of the first request that it repeats, if it does. */
  readonly first?: number | undefined;
  /** ms, on any clock that runs forward. */
  readonly at: number;
  readonly method: string;
  /** Path below the base, as sent, without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** A header of the request; undefined without one of this name. */
  header(name: string): string | undefined;
  readonly body: Body;
  /** Name of the credential. `null`: none was sent. `undefined`: not known. */
  readonly caller: string | null | undefined;
  /** Whether it went to a regional host. */
  readonly regional: boolean;
}

/** The answer to a request. */
export interface Answered {
  /** ms, on the clock of the request. */
  readonly at: number;
  readonly status: number;
  header(name: string): string | undefined;
  readonly text: string;
  /** The whole answer: headers, body, events. Absent where a part is unknown. */
  all?(): string;
  /** The body as JSON; undefined where it is no JSON. */
  readonly json: unknown;
  /** The body was read to its end. */
  readonly whole: boolean;
  /** The transcript of an event stream. */
  readonly stream?: Transcript;
}

/** A request and its answer. Without an answer the effect of the request is unknown. */
export interface Exchange {
  readonly asked: Asked;
  readonly answered: Answered | undefined;
}

/** A sent UUID in the letter case of the record. Any other value stays. */
export const idAsShown = <T>(sent: T, shown: unknown): T | string =>
  typeof sent === 'string' && typeof shown === 'string' && sent.toLowerCase() === shown.toLowerCase() ? shown : sent;

/** The body of a request as JSON. */
export const jsonOf = ({ body }: Pick<Asked, 'body'>): unknown => (body.kind === 'some' ? body.json : undefined);

/** The body of a request, if it is a JSON object. */
export function bodyOf(asked: Pick<Asked, 'body'>): Readonly<Record<string, unknown>> | undefined {
  const json = jsonOf(asked);
  return isRecord(json) ? json : undefined;
}

/** JSON with sorted keys. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
