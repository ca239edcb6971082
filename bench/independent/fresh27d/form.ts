import { type Call, isJson, type Json, parsed, withHeaders } from '../call.js';
import type { Way, World } from '../world.js';

/** Ways of one area, by their names. */
export type Area = Readonly<Record<string, Omit<Way, 'name'>>>;
export const waysOf = (area: Area): Way[] => Object.entries(area).map(([name, way]) => ({ name, ...way }));

export const CAP = 1_048_576;
export const OTHER_SESSION = '7d270000-0000-4000-8000-00000000000d';

/** The answer's body as an object; empty for any other. */
export async function recordOf(response: Response): Promise<Json> {
  const body = parsed(await response.clone().text());
  return isJson(body) ? body : {};
}

/** The same answer with its JSON changed. */
export async function edited(response: Response, edit: (body: Json) => unknown): Promise<Response> {
  const body = await recordOf(response);
  edit(body);
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return Response.json(body, { status: response.status, headers });
}

/** An intern as the caller's key sees it. */
export const seen = async (world: World, id: string, as = 'api_key'): Promise<Json> =>
  recordOf(await world.ask('GET', `/interns/${id}`, { as }));

/** The same request by somebody else. */
export const by = (call: Call, world: World, who: string): Request =>
  withHeaders(call, { authorization: `Bearer ${world.credentials[who] ?? ''}` });

/** The records that a list holds. */
export const rowsOf = (body: Json): Json[] => (Array.isArray(body.data) ? (body.data as Json[]) : []);

/** Every intern in a body, be it a list or one record. */
export function eachIntern(body: Json, change: (intern: Json) => unknown): void {
  if (Array.isArray(body.data)) for (const row of rowsOf(body)) change(row);
  else if (typeof body.id === 'string') change(body);
}

export const newestFirst = (rows: readonly Json[]): Json[] =>
  rows.toSorted((a, b) => String(b.created_at).localeCompare(String(a.created_at)));

export const messagesOf = ({ body }: Call): Json[] => (Array.isArray(body.messages) ? (body.messages as Json[]) : []);
/** An answer to a question. */
export const isReply = (call: Call): boolean => messagesOf(call).at(-1)?.role === 'tool';
export const sessionOf = ({ body }: Call): string | undefined =>
  typeof body.session_id === 'string' ? body.session_id : undefined;

/** The same body with its long texts cut. */
export const shrunk = (text: string): string =>
  JSON.stringify(parsed(text), (_, value: unknown) => (typeof value === 'string' ? value.slice(0, 500) : value)) ?? '';

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
export const typeOf = ({ request }: Call): string => request.headers.get('content-type') ?? '';
export const tooLarge = 'Request body exceeds 1048576 bytes';
export const wrongType = 'Request body must be sent as application/json';
