import { tryDecodeURIComponent } from 'hono/utils/url';
import type { z } from 'zod';
import type { Scope } from '../clock/scope.js';
import { byKey } from '../contract/by-key.js';
import { Refusal } from '../contract/errors.js';
import { nearest, suggestion } from '../contract/nearest.js';
import { clipped } from '../contract/visible.js';
import { createPathFinder } from '../http/paths.js';
import { json, NO_CONTENT, type PlainResponse, refusalResponse } from '../http/response.js';
import type { ReceivedRequest } from '../requests/received-request.js';
import { readJson } from './body.js';
import { ControlError, callerMistake } from './error.js';

/** The names of the segments that stand for something in a path. */
type Named<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Named<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export interface ControlCall<Body = unknown, Path = string> {
  readonly params: Readonly<Record<Named<Path>, string>>;
  readonly query: URLSearchParams;
  readonly request: ReceivedRequest;
  /** Call it when the answer is a stream. */
  streams(): void;
  /** The body, validated by the row's schema; throws the 400 that names what was wrong and where. */
  body(): Promise<Body>;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that only does something returns nothing.
type Answered = PlainResponse | void;

/**
 * One call of the control interface: the row that routes it, lists it (`GET /_emulator`) and documents it
 * (docs/control.md).
 */
export interface ControlRow<Body = unknown, Path extends string = string> {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below `/_emulator`; `:name` stands for one segment. */
  readonly path: Path;
  /** One sentence. */
  readonly does: string;
  /** The schema of the body; a call without one takes no body. */
  readonly body?: () => z.ZodType<Body>;
  /** The schema that describes the body, where `body` takes it as it comes and reads it further. */
  readonly described?: () => z.ZodType | Promise<z.ZodType>;
  /** The shape of the body in words, if the schema says too little or too much of it. */
  readonly shape?: string;
  /** The meaning of each query parameter. A call that has any refuses the others. */
  readonly query?: Readonly<Record<string, string>>;
  /** Without an answer of its own it is 204. */
  handle(call: ControlCall<Body, Path>): Answered | Promise<Answered>;
}

/**
 * The row of a call such as `GET /scripts/:name`. It keeps the types of its body and path for its handler, and forgets them
 * for the table.
 */
export function controlRow<Body, const Path extends string>(
  call: `${ControlRow['method']} ${Path}`,
  row: Omit<ControlRow<Body, Path>, 'method' | 'path'>,
): ControlRow {
  const [method, path] = call.split(' ') as [ControlRow['method'], Path];
  return { method, path, ...row } as unknown as ControlRow;
}

const errorJson = (status: number, message: string): PlainResponse =>
  json({ error: { code: status, message } }, status);

const isParameter = (part: string) => part.startsWith(':');

/** The path of a row as it is written for people: `/_emulator/scripts/{name}`. */
export const shownPath = (path: string): string => `/_emulator${path === '/' ? '' : path.replace(/:(\w+)/g, '{$1}')}`;

/** A pattern with a path's own segments for its parameters: a parameter then counts as an exact match. */
const filled = (pattern: string, given: readonly string[]): string =>
  pattern
    .split('/')
    .map((part, index) => (isParameter(part) ? given[index] || part : part))
    .join('/');

/** How much of an unknown path is repeated. */
const SHOWN = 200;

const notFound = (rows: readonly ControlRow[], path: string): ControlError => {
  const given = path.split('/', 10);
  const candidates = new Map(rows.map((row) => [filled(row.path, given), row]));
  const row = candidates.get(nearest(path, candidates.keys(), () => Number.POSITIVE_INFINITY) ?? '');
  const named = row ? `; the nearest is ${shownPath(row.path)}` : '';
  return new ControlError(
    404,
    `/_emulator${clipped(path, SHOWN)} does not exist${named}. GET /_emulator lists every call`,
  );
};

/** Refuses query parameters that a call does not know: with a misspelt filter it would show everything. */
function checkQuery({ query }: ControlRow, given: URLSearchParams): void {
  if (query === undefined) return;
  const known = Object.keys(query);
  for (const name of given.keys()) {
    if (!known.includes(name))
      throw new ControlError(400, `${name}: unknown${suggestion(name, known)}; expected one of ${known.join(', ')}`);
  }
}

/** Serves a table of rows below `/_emulator`, with 404, 405 and errors in one form. */
export function createRouter(
  rows: readonly ControlRow[],
  log: (record: Record<string, unknown>) => void,
  scope: () => Scope,
) {
  const byPath: ReadonlyMap<string, readonly ControlRow[]> = byKey(rows, ({ path }) => path);
  const find = createPathFinder([...byPath.keys()]);
  return async (request: ReceivedRequest, streams: () => void = () => {}): Promise<PlainResponse> => {
    const url = new URL(request.url);
    const state = scope();
    const path = url.pathname.slice('/_emulator'.length) || '/';
    const { patterns, params } = find(path);
    const known = patterns.flatMap((pattern) => byPath.get(pattern) ?? []);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const row = known.find((candidate) => candidate.method === method);
    try {
      if (known.length === 0) throw notFound(rows, path);
      if (!row) {
        const methods = known.map((candidate) => candidate.method);
        const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
        return {
          ...errorJson(405, `${shownPath(path)} takes ${allow}`),
          headers: { 'content-type': 'application/json', allow },
        };
      }
      checkQuery(row, url.searchParams);
      const answer = await row.handle({
        params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, tryDecodeURIComponent(value)])),
        query: url.searchParams,
        request,
        streams,
        // A request that is still being sent when the state is replaced is not written into the new state.
        body: async () => row.body && state.race(readJson(request, row.body)),
      });
      return answer ?? NO_CONTENT;
    } catch (error) {
      const mistake = callerMistake(error);
      if (mistake) return errorJson(mistake.status, mistake.message);
      if (error instanceof Refusal) return refusalResponse(error);
      if (request.signal?.aborted) return errorJson(503, 'the client left');
      const detail = error instanceof Error ? error.stack : String(error);
      log({ level: 'error', event: 'internal_error', where: path, error: detail });
      return errorJson(500, 'the control interface failed; see the log');
    }
  };
}
