import { contentOf, rewritten } from '../../../emulator/wire/answer.js';
import type { Chunk } from '../answers.js';
import { type Call, isJson, type Json, withBody, withHeaders } from '../call.js';
import type { Answer, Next, Way, World } from '../world.js';

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const CAP = 1_048_576;

/** Answers that a way makes up carry the headers that every answer has: only what it says is wrong. */
const dressed =
  (answer: Answer): Answer =>
  async (call, next) => {
    let usual: Headers | undefined;
    const response = await answer(call, async (request) => {
      const lawful = await next(request);
      usual ??= lawful.headers;
      return lawful;
    });
    if (response.headers.has('x-request-id')) return response;
    const given = call.request.headers.get('x-request-id');
    response.headers.set('x-request-id', usual?.get('x-request-id') ?? given ?? crypto.randomUUID());
    response.headers.set('vary', 'Origin');
    return response;
  };

export const way = (name: string, quote: string, wrong: (world: World) => Answer): Way => ({
  name,
  quote,
  wrong: (world) => dressed(wrong(world)),
});

export const bytesOf = (text: string): number => Buffer.byteLength(text);

/** The same call with another credential. */
export const as = (call: Call, key: string): Request => withHeaders(call, { authorization: `Bearer ${key}` });

/** The same call of a list, with another query. */
export function withQuery(call: Call, edit: (query: URLSearchParams) => void): Request {
  const url = new URL(call.url);
  edit(url.searchParams);
  return withHeaders(call, {}, url);
}

/** The same call on the usual host. */
export function athome({ baseUrl }: World, call: Call): Request {
  const url = new URL(call.url);
  url.host = new URL(baseUrl).host;
  return withHeaders(call, { host: null }, url);
}

/** The JSON of a lawful answer to a read; undefined for a refusal. */
export async function read(world: World, path: string, who = 'api_key'): Promise<Json | undefined> {
  const content = await contentOf(await world.ask('GET', path, { as: who }));
  return isJson(content) ? content : undefined;
}
export const recordOf = (world: World, id: string, who?: string) => read(world, `/interns/${id}`, who);

export const jsonIn = async (response: Response): Promise<Json | undefined> => {
  const content = await contentOf(response);
  return isJson(content) ? content : undefined;
};

/** The rows of a list. */
export const rowsOf = (body: Json): Json[] => (Array.isArray(body.data) ? (body.data as Json[]) : []);

/** Edits each record in the answers of operations: the one, or all of a list. */
export const records = (world: World, ops: string, edit: (record: Json, call: Call) => void): Answer =>
  world.ok(ops, (body, call) => {
    for (const record of call.op === 'list' ? rowsOf(body) : [body]) edit(record, call);
  });

/** The last message of a chat request. */
export function lastMessage({ body }: Call): Json {
  const last: unknown = Array.isArray(body.messages) ? body.messages.at(-1) : undefined;
  return isJson(last) ? last : {};
}
export const isReply = (call: Call): boolean => call.op === 'chat' && lastMessage(call).role === 'tool';
export const isPrompt = (call: Call): boolean => call.op === 'chat' && lastMessage(call).role === 'user';
export const sessionOf = ({ body }: Call): string | undefined =>
  typeof body.session_id === 'string' ? body.session_id : undefined;

/** A chat body whose last message is changed. */
export const withLast = (call: Call, changes: Json, others: Json = {}): Json => ({
  ...call.body,
  ...others,
  messages: [...(call.body.messages as unknown[]).slice(0, -1), { ...lastMessage(call), ...changes }],
});

export const finishOf = (chunk: Chunk | undefined): string | undefined => chunk?.choices[0]?.finish_reason ?? undefined;
export const isFinal = (chunk: Chunk | undefined): chunk is Chunk => chunk?.choices.length === 0;
export const isDone = (event: string): boolean => event === 'data: [DONE]';
export const toolCallOf = (chunk: Chunk | undefined): Json | undefined => {
  const calls = chunk?.choices[0]?.delta.tool_calls;
  return Array.isArray(calls) ? (calls[0] as Json) : undefined;
};
export const saidIn = (chunk: Chunk | undefined): string => {
  const said = chunk?.choices[0]?.delta.content;
  return typeof said === 'string' ? said : '';
};
export const finishing = (chunk: Chunk, reason: string): Chunk => ({
  ...chunk,
  choices: chunk.choices.map((choice) => ({ ...choice, finish_reason: reason })),
});

/** The end of a chat stream. */
export interface Ended {
  readonly session: string;
  /** The id of the question that it ended with. */
  readonly question: string | undefined;
}

/** Tells of each chat stream what it ended with. */
export const noting =
  (ends: (ended: Ended, call: Call) => void, answer: Answer): Answer =>
  async (call, next) => {
    const response = await answer(call, next);
    if (call.op !== 'chat' || !response.ok) return response;
    let over = false;
    return rewritten(response, {
      heard(sofar) {
        const session = /"choices":\[\],"session_id":"([^"]+)"/.exec(sofar)?.[1];
        if (over || session === undefined) return;
        over = true;
        ends({ session, question: /"tool_calls":\[\{"index":0,"id":"([^"]+)"/.exec(sofar)?.[1] }, call);
      },
    });
  };

/** Answers as if a session went on, although it starts another. */
export async function pretending(world: World, call: Call, next: Next): Promise<Response> {
  const { session_id, ...body } = call.body;
  const response = await next(withBody(call, body));
  if (response.ok) world.hit();
  return rewritten(response, {
    json: (answered) => (response.ok && isJson(answered) ? { ...answered, session_id } : answered),
  });
}
