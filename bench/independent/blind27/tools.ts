import { type Call, isJson, type Json, parsed, withHeaders } from '../call.js';
import type { Answer, Way, World } from '../world.js';

export const CAP = 1_048_576;
export const bytes = (text: string): number => Buffer.byteLength(text);

export const way = (name: string, quote: string, wrong: (world: World) => Answer): Way => ({ name, quote, wrong });

export const contentType = ({ request }: Call): string => request.headers.get('content-type') ?? '';

export const rows = (body: Json): Json[] => (Array.isArray(body.data) ? body.data.filter(isJson) : []);

/** The interns of an answer: the one that it is, or those that it lists. */
export const interns = (body: Json): Json[] => (typeof body.id === 'string' ? [body] : rows(body));

/** The intern as the lawful service has it. */
export async function record(w: World, id: string, as = 'api_key'): Promise<Json | undefined> {
  const response = await w.ask('GET', `/interns/${id}`, { as });
  const body = response.ok ? await bodyOf(response) : undefined;
  return body;
}

/** The body of an answer, which can still be sent. */
export async function bodyOf(response: Response): Promise<Json> {
  const body = parsed(await response.clone().text());
  return isJson(body) ? body : {};
}

/** The same request with another's credential. */
export const as = (w: World, call: Call, name: string): Request =>
  withHeaders(call, { authorization: `Bearer ${w.credentials[name] ?? ''}` });

/** An intern that ran once, and stands still now. */
export const suspended = (intern: Json | undefined): boolean =>
  intern?.status === 'stopped' && typeof intern.hostname === 'string';

/** The same answer, with another body. */
export const said = (response: Response, body: unknown, status = response.status): Response => {
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(JSON.stringify(body), { status, headers });
};
