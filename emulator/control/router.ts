import type { z } from 'zod';
import { json, type PlainResponse, toResponse } from '../http/response.js';
import { parseJson, readBody } from '../request-body.js';

/** One call of the control interface. */
export interface ControlRow {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below `/_emulator`; `:name` stands for one segment. */
  readonly path: string;
  handle(call: ControlCall): PlainResponse | Response | Promise<PlainResponse | Response>;
}

export interface ControlCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly request: Request;
  /** The body held against a schema; throws the 400 that names what was wrong and where. */
  body<T>(schema: z.ZodType<T>): Promise<T>;
}

/** A refusal of the control interface, with a message for a person. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const errorJson = (status: number, message: string): PlainResponse =>
  json({ error: { code: status, message } }, status);

/** Decodes `%XX`; what isn't decodable is taken as it is. */
const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

function match(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const segment = given[index] ?? '';
    if (part.startsWith(':') && segment !== '') params[part.slice(1)] = decode(segment);
    else if (part !== segment) return undefined;
  }
  return params;
}

/** How deep a body may be nested: beyond, schemas and JSON itself run out of stack, here or when it is exported. */
const DEEPEST = 1_000;

/** Whether brackets outside of texts are nested deeper than {@link DEEPEST}. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (quoted) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) quoted = false;
    } else if (byte === 0x22) quoted = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth++;
      if (depth > DEEPEST) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return false;
}

async function bodyOf<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const bytes = await readBody(request, false, Number.POSITIVE_INFINITY);
  if (isTooDeep(bytes)) throw new ControlError(400, `the body is nested deeper than ${DEEPEST} levels`);
  let value: unknown;
  try {
    value = bytes.length === 0 ? undefined : parseJson(bytes);
  } catch (error) {
    throw new ControlError(400, `the body is not JSON: ${(error as Error).message}`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ControlError(400, `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'invalid'}`);
}

/** Serves a table of rows below `/_emulator`, with 404, 405 and errors in one form. */
export function createRouter(rows: readonly ControlRow[], log: (record: Record<string, unknown>) => void) {
  return async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const path = url.pathname.slice('/_emulator'.length) || '/';
    const known = rows.filter((row) => match(row.path, path));
    const row = known.find((candidate) => candidate.method === request.method);
    try {
      if (known.length === 0) throw new ControlError(404, `no such call: ${path}`);
      if (!row) {
        const allow = known.map((candidate) => candidate.method).join(', ');
        return toResponse({
          ...errorJson(405, `${path} takes ${allow}`),
          headers: { 'content-type': 'application/json', allow },
        });
      }
      const answer = await row.handle({
        params: match(row.path, path) ?? {},
        query: url.searchParams,
        request,
        body: (schema) => bodyOf(request, schema),
      });
      return answer instanceof Response ? answer : toResponse(answer);
    } catch (error) {
      if (error instanceof ControlError) return toResponse(errorJson(error.status, error.message));
      log({ event: 'internal_error', where: path, error: error instanceof Error ? error.stack : String(error) });
      return toResponse(errorJson(500, 'the control interface failed; see the log'));
    }
  };
}
