import type { Chunk } from '../answers.js';
import { failed } from '../answers.js';
import { type Call, isJson, type Json, parsed } from '../call.js';
import type { World } from '../world.js';

export const CAP = 1_048_576;
export const missing = () => failed(404, 'Intern not found', 'not_found');
export const personal = () => failed(403, 'Personal connections require the OIDC login', 'personal_identity_required');
export const bearer = (w: World, name: string) => `Bearer ${w.credentials[name] ?? ''}`;
export const now = (w: World): number => w.setting.host.now();

/** The body of an answer that may still be read. */
export async function bodyOf(response: Response): Promise<Json> {
  const body = parsed(await response.clone().text());
  return isJson(body) ? body : {};
}
/** The same answer with another body. */
export function saying(response: Response, body: unknown, status = response.status): Response {
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(JSON.stringify(body), { status, headers });
}
/** An intern as the caller's key sees it. */
export async function seen(w: World, id: string, as?: string): Promise<Json | undefined> {
  const response = await w.ask('GET', `/interns/${id}`, as === undefined ? {} : { as });
  return response.ok ? bodyOf(response) : undefined;
}
export const entries = (body: Json): Json[] => (Array.isArray(body.data) ? (body.data as Json[]) : []);
export async function everyIntern(w: World, as: string): Promise<Json[]> {
  return entries(await bodyOf(await w.ask('GET', '/interns?limit=500', { as })));
}
export const SETTINGS = ['name', 'description', 'instructions', 'model'] as const;
/** Writes some settings of a record back. */
export async function restore(w: World, record: Json, fields: readonly string[] = SETTINGS): Promise<void> {
  const body = Object.fromEntries(fields.map((field) => [field, record[field]]));
  await w.ask('PATCH', `/interns/${String(record.id)}`, { body });
}
/** The statuses that a list asks for. */
export const filtered = ({ url }: Call): string[] => url.searchParams.getAll('status').flatMap((of) => of.split(','));
export const isFinal = (chunk: Chunk | undefined): chunk is Chunk => chunk?.choices.length === 0;
export const finishOf = (chunk: Chunk | undefined) => chunk?.choices[0]?.finish_reason ?? undefined;

const lastMessage = (call: Call): Json => {
  const { messages } = call.body;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isJson(last) ? last : {};
};
/** The answer that a chat request carries. */
export const answerIn = (call: Call): Json | undefined => {
  const last = lastMessage(call);
  return call.op === 'chat' && last.role === 'tool' ? last : undefined;
};
export const isPrompt = (call: Call): boolean => call.op === 'chat' && lastMessage(call).role === 'user';
/** The same chat body with another answer. */
export const answering = (call: Call, changed: Json): Json => ({
  ...call.body,
  messages: [...(call.body.messages as unknown[]).slice(0, -1), { ...lastMessage(call), ...changed }],
});
export const closed = () => failed(409, 'The interaction is no longer pending', 'interaction_not_pending');
