import type { Chunk } from '../answers.js';
import { type Call, isJson, type Json, parsed, withHeaders } from '../call.js';
import type { Way, World } from '../world.js';

export type Part = Readonly<Record<string, Omit<Way, 'name'>>>;
export const asWays = (part: Part): Way[] => Object.entries(part).map(([name, way]) => ({ name, ...way }));

export const CAP = 1_048_576;
export const OTHER_ID = '7d1c0000-0000-4000-8000-00000000002a';
export const HEADER = 'x-ori-invoke-';
export const bytes = (text: string) => new TextEncoder().encode(text).length;

/** The object in an answer; empty for any other. */
export const bodyOf = async (response: Response): Promise<Json> => {
  const json = parsed(await response.clone().text());
  return isJson(json) ? json : {};
};
/** An answer with another body. */
export const remade = (response: Response, body: unknown, status = response.status): Response => {
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });
};
/** The same request by another caller. */
export const as = (call: Call, key: string | undefined): Request =>
  withHeaders(call, { authorization: `Bearer ${key ?? ''}` });
/** The same request about another intern. */
export const about = (call: Call, id: string): Request =>
  withHeaders(call, {}, new URL(call.url.href.replace(`/interns/${call.id}`, `/interns/${id}`)));
export const typed = (call: Call): Request => withHeaders(call, { 'content-type': 'application/json' });
export const typeOf = (call: Call): string => call.request.headers.get('content-type') ?? '';
export const fieldsOf = (call: Call): number => Object.keys(call.body).length;

/** The record of an intern, as the lawful service has it. */
export const seen = async (w: World, id: string, who = 'api_key'): Promise<Json> =>
  bodyOf(await w.ask('GET', `/interns/${id}`, { as: who }));
export const isVisible = async (w: World, id: string, who: string): Promise<boolean> =>
  (await w.ask('GET', `/interns/${id}`, { as: who })).ok;

export const finish = (chunk: Chunk | undefined) => chunk?.choices?.[0]?.finish_reason;
export const isFinal = (chunk: Chunk | undefined): chunk is Chunk =>
  Array.isArray(chunk?.choices) && chunk.choices.length === 0;
export const messagesOf = (call: Call): readonly Json[] =>
  Array.isArray(call.body.messages) ? call.body.messages.filter((message) => isJson(message)) : [];
export const isReply = (call: Call): boolean => messagesOf(call).at(-1)?.role === 'tool';
export const interns = (body: Json): Json[] =>
  Array.isArray(body.data) ? body.data.filter((intern) => isJson(intern)) : [];
