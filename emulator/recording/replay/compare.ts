import { bodyText, type RecordedExchange } from '../format.js';
import { Bindings, matchText } from '../template.js';

/** A request that is looked for in a recording. */
export interface ReplayRequest {
  readonly method: string;
  /** From the version segment on, with its query. */
  readonly path: string;
  readonly headers: Headers;
  /** The body as text; bytes that are no UTF-8 as base64 in `base64`. */
  readonly body: string;
  readonly base64?: string | undefined;
}

/** Where a request first differs from a recorded one: how far the comparison came, and the difference in words. */
export interface Difference {
  readonly stage: number;
  readonly text: string;
}

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? 'nothing');
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
};

const differs = (where: string, recorded: unknown, sent: unknown) =>
  `${where}: recorded ${shown(recorded)}, sent ${shown(sent)}`;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first place where JSON differs from recorded JSON, or undefined. */
function compareJson(where: string, recorded: unknown, sent: unknown, bindings: Bindings): string | undefined {
  if (typeof recorded === 'string' && typeof sent === 'string') {
    return matchText(recorded, sent, bindings) ? undefined : differs(where, recorded, sent);
  }
  // A time in numbers stands as text.
  if (recorded === '$unix' && typeof sent === 'number') return undefined;
  if (Array.isArray(recorded) && Array.isArray(sent)) {
    for (let index = 0; index < Math.max(recorded.length, sent.length); index++) {
      const found = compareJson(`${where}[${index}]`, recorded[index], sent[index], bindings);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isRecord(recorded) && isRecord(sent)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(sent)])) {
      const found = compareJson(`${where}.${key}`, recorded[key], sent[key], bindings);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return Object.is(recorded, sent) ? undefined : differs(where, recorded, sent);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function compareBody(recorded: RecordedExchange['request'], request: ReplayRequest, bindings: Bindings) {
  if (recorded.body_base64 !== undefined || request.base64 !== undefined) {
    return recorded.body_base64 === request.base64 ? undefined : 'body: other bytes than were recorded';
  }
  const text = bodyText(recorded.body) ?? '';
  const [before, now] = [parsed(text), parsed(request.body)];
  if (before !== undefined && now !== undefined) return compareJson('body', before, now, bindings);
  return matchText(text, request.body, bindings) ? undefined : differs('body', text, request.body);
}

const queryOf = (path: string) =>
  new URLSearchParams(path.split('?')[1] ?? '')
    .toString()
    .split('&')
    .filter(Boolean)
    .map((pair) => decodeURIComponent(pair.replaceAll('+', ' ')))
    .sort();

/** Queries are sets: each recorded pair needs one that was sent. */
function compareQuery(recorded: string, sent: string, bindings: Bindings): string | undefined {
  const left = queryOf(sent);
  for (const pair of queryOf(recorded)) {
    const at = left.findIndex((other) => matchText(pair, other, new Bindings(bindings)));
    if (at < 0) return `query: recorded ${shown(pair)}, sent ${left.length ? left.map(shown).join(' ') : 'without it'}`;
    matchText(pair, left.splice(at, 1)[0] ?? '', bindings);
  }
  return left.length > 0 ? `query: sent ${left.map(shown).join(' ')}, which was not recorded` : undefined;
}

const mediaType = (header: string | null | undefined) => header?.split(';')[0]?.trim().toLowerCase();

/** A header that is an alias, or is not there. What was sent is never shown: it may be a credential. */
function compareAlias(name: string, recorded: string | undefined, sent: string | null, bindings: Bindings) {
  if (recorded === undefined) return sent === null ? undefined : `${name}: recorded without, sent with one`;
  if (sent === null) return `${name}: recorded ${recorded}, sent without`;
  return matchText(recorded, sent, bindings) ? undefined : `${name}: another than the one that stands for ${recorded}`;
}

/**
 * Compares a request with a recorded one. Answers the bindings that the two would leave, or the first difference, with
 * the stage of the comparison it was found at: operation, path, query, credential, media type, idempotency key, body.
 */
export function compareRequest(
  recorded: RecordedExchange['request'],
  request: ReplayRequest,
  known: Bindings,
): Bindings | Difference {
  const bindings = new Bindings(known);
  const { method, path, headers } = recorded;
  const bare = (text: string) => text.split('?')[0] ?? '';
  const stages: (() => string | undefined)[] = [
    () => (method === request.method ? undefined : `method: recorded ${method}, sent ${request.method}`),
    () =>
      matchText(bare(path), bare(request.path), bindings, '[^/]+')
        ? undefined
        : differs('path', bare(path), bare(request.path)),
    () => compareQuery(path, request.path, bindings),
    () => compareAlias('authorization', headers.authorization, request.headers.get('authorization'), bindings),
    () => {
      const [before, now] = [mediaType(headers['content-type']), mediaType(request.headers.get('content-type'))];
      return before === now ? undefined : differs('content-type', before, now);
    },
    () => compareAlias('idempotency-key', headers['idempotency-key'], request.headers.get('idempotency-key'), bindings),
    () => compareBody(recorded, request, bindings),
  ];
  for (const [stage, compare] of stages.entries()) {
    const text = compare();
    if (text !== undefined) return { stage, text };
  }
  return bindings;
}
