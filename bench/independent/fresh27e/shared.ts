import { rewritten } from '../../../emulator/wire/answer.js';
import type { Chunk } from '../answers.js';
import { type Call, isJson, type Json, parsed, withBody } from '../call.js';
import type { Way, World } from '../world.js';

/** Ways by name. */
export type Fresh = Readonly<Record<string, Omit<Way, 'name'>>>;
export const asWays = (fresh: Fresh): Way[] => Object.entries(fresh).map(([name, way]) => ({ name, ...way }));

export const CAP = 1_048_576;
export const OTHER_ID = '0ddba110-0000-4000-8000-000000000000';
export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
export const now = (w: World): number => w.setting.host.now();

/** The body of an answer that is no stream. */
export async function bodyOf(response: Response): Promise<Json> {
  const body = parsed(await response.clone().text());
  return isJson(body) ? body : {};
}

/** The interns of a list. */
export const listed = (body: Json): Json[] => (Array.isArray(body.data) ? body.data.filter(isJson) : []);

/** The interns of a list, or the one of a single answer. */
export const internsOf = (body: Json): Json[] => {
  if (Array.isArray(body.data)) return listed(body);
  return typeof body.id === 'string' ? [body] : [];
};

/** The answer, changed in place. */
export const edited = async (w: World, response: Response, edit: (body: Json) => unknown): Promise<Response> =>
  rewritten(response, {
    json(body) {
      if (!isJson(body)) return;
      const before = JSON.stringify(body);
      edit(body);
      if (JSON.stringify(body) !== before) w.hit();
    },
  });

/** The intern as its workspace's key sees it now. */
export const record = async (w: World, id: string, as = 'api_key'): Promise<Json> =>
  bodyOf(await w.ask('GET', `/interns/${id}`, { as }));

/** The same request with its longest string cut. */
export function shortened(call: Call, keep: number): Request {
  const [key, value] = Object.entries(call.body)
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .sort(([, one], [, other]) => other.length - one.length)[0] ?? ['', ''];
  if (key === '' || value.length < 64) return withBody(call, call.text.trim());
  return withBody(call, { ...call.body, [key]: value.slice(0, keep) });
}

export const messagesOf = (body: Json): Json[] => (Array.isArray(body.messages) ? body.messages.filter(isJson) : []);
export const isReply = (body: Json): boolean => messagesOf(body).at(-1)?.role === 'tool';
export const finishOf = (chunk: Chunk | undefined): string | undefined =>
  Array.isArray(chunk?.choices) ? (chunk.choices[0]?.finish_reason ?? undefined) : undefined;
export const isFinal = (chunk: Chunk | undefined): chunk is Chunk =>
  Array.isArray(chunk?.choices) && chunk.choices.length === 0;
export const isDone = (event: string): boolean => event.startsWith('data: [DONE]');
export const reasonOf = (chunk: Chunk | undefined): unknown => chunk?.error?.metadata?.reason;
/** The tool calls that a chunk carries. */
export const callsOf = (chunk: Chunk | undefined): Json[] => {
  const calls = Array.isArray(chunk?.choices) ? chunk.choices[0]?.delta?.tool_calls : undefined;
  return Array.isArray(calls) ? calls.filter(isJson) : [];
};
export const contentOf = (chunk: Chunk | undefined): string => {
  const content = Array.isArray(chunk?.choices) ? chunk.choices[0]?.delta?.content : undefined;
  return typeof content === 'string' ? content : '';
};
