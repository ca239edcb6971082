import { type Call, isJson, type Json, parsed, withHeaders } from '../call.js';
import type { Answer, Way, World } from '../world.js';

export const way = (name: string, quote: string, wrong: (w: World) => Answer): Way => ({ name, quote, wrong });

/** The same request by another caller. */
export const by = (w: World, call: Call, credential: string): Request =>
  withHeaders(call, { authorization: `Bearer ${w.credentials[credential]}` });

export const among = (ops: string, op: string): boolean => ops.split(' ').includes(op);

export async function bodyOf(response: Response): Promise<Json> {
  const body = parsed(await response.clone().text());
  return isJson(body) ? body : {};
}

/** Where the service refused, asks it for something else, and answers that if it succeeds, or with `other` says otherwise. */
export const rescued =
  (
    w: World,
    ops: string,
    statuses: readonly number[],
    other: (call: Call) => Request | undefined | Promise<Request | undefined>,
    until: 'ok' | 'other' = 'ok',
  ): Answer =>
  async (call, next) => {
    const response = await next();
    if (!among(ops, call.op) || !statuses.includes(response.status)) return response;
    const changed = await other(call);
    if (changed === undefined) return response;
    const again = await next(changed);
    if (!again.ok && (until === 'ok' || again.status === response.status || again.status >= 500)) return response;
    w.hit();
    return again;
  };

/** The same answer with another body. */
export function answering(response: Response, body: unknown, status = response.status): Response {
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(JSON.stringify(body), { status, headers });
}

/** The member of a list's answer that holds the interns. */
export const rowsKey = (body: Json): string | undefined =>
  Object.keys(body).find((key) => Array.isArray(body[key]) && (body[key] as unknown[]).every(isJson));

/** Changes the rows of a list that succeeded. */
export const rows = (w: World, edit: (found: Json[], call: Call) => Json[]): Answer =>
  w.ok('list', (body, call) => {
    const key = rowsKey(body);
    if (key !== undefined) body[key] = edit(body[key] as Json[], call);
  });

/** The intern's public record, as the API key's holder sees it. */
export const recordOf = async (w: World, id: string): Promise<Json> => bodyOf(await w.ask('GET', `/interns/${id}`));

export const bytes = (text: string): number => new TextEncoder().encode(text).length;

/** The same object with its strings cut short. */
export const cut = (body: Json): Json =>
  Object.fromEntries(
    Object.entries(body).map(([key, value]) => [key, typeof value === 'string' ? value.slice(0, 60) : value]),
  );
