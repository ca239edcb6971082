import type { Chunk } from '../answers.js';
import { type Call, isJson, type Json } from '../call.js';
import type { Answer, Way, World } from '../world.js';

export const way = (name: string, quote: string, wrong: (world: World) => Answer): Way => ({ name, quote, wrong });
export const right = (name: string, quote: string, wrong: (world: World) => Answer): Way => ({
  ...way(name, quote, wrong),
  lawful: true,
});

export const rowsOf = (body: Json): Json[] => (Array.isArray(body.data) ? body.data.filter(isJson) : []);
/** The interns of an answer, be it one or a list. */
export const internsOf = (body: Json): Json[] => ('id' in body ? [body] : rowsOf(body));
export const bytesOf = (text: string) => new TextEncoder().encode(text).length;
export const typeOf = ({ request }: Call) => request.headers.get('content-type') ?? '';
export const CAP = 1_048_576;

/** Asks the lawful service for the same, as another caller or with another body. */
export const again = (w: World, call: Call, { as = call.who, body = call.text as unknown } = {}): Promise<Response> =>
  w.ask(call.request.method, call.url.pathname.replace(/^\/api\/v1/, '') + call.url.search, {
    as,
    ...(body === '' ? {} : { body }),
  });

interface How {
  readonly as?: string;
  readonly body?: (call: Call) => unknown;
}
type When = (call: Call, response: Response) => boolean;
const otherwise = (w: World, call: Call, { as, body }: How) =>
  again(w, call, { ...(as === undefined ? {} : { as }), ...(body === undefined ? {} : { body: body(call) }) });

/** Serves what is refused, where the other request succeeds. */
export const admits = (w: World, ops: string, how: How, when: When): Answer =>
  w.later(ops, async (response, call) => {
    if (response.ok || !when(call, response)) return undefined;
    const served = await otherwise(w, call, how);
    return served.ok ? served : undefined;
  });

/** Refuses as it should, and does it nevertheless. */
export const refusesAndDoes = (w: World, ops: string, how: How, when: When): Answer =>
  w.later(ops, async (response, call) =>
    !response.ok && when(call, response) && (await otherwise(w, call, how)).ok ? response : undefined,
  );

/** The intern that a call names, as its caller sees it. */
export const internOf = async (w: World, { id, who }: Call): Promise<Json> =>
  (await (await w.ask('GET', `/interns/${id}`, { as: who })).json()) as Json;

/** After an operation that succeeded, changes the intern once more. */
export const spoils =
  (w: World, op: string, changes: (call: Call, before: Json) => Json | undefined): Answer =>
  async (call, next) => {
    if (call.op !== op) return next();
    const before = await internOf(w, call);
    const response = await next();
    const changed = response.ok ? changes(call, before) : undefined;
    if (changed && (await w.ask('PATCH', `/interns/${call.id}`, { as: call.who, body: changed })).ok) w.hit();
    return response;
  };

export function counter() {
  const seen = new Map<string, number>();
  return (key: string): number => {
    const next = (seen.get(key) ?? 0) + 1;
    seen.set(key, next);
    return next;
  };
}

export const isDone = (event: string) => event === 'data: [DONE]';
export const isFinal = (chunk: Chunk | undefined): chunk is Chunk => chunk?.choices.length === 0;
export const finishOf = (chunk: Chunk | undefined) => chunk?.choices[0]?.finish_reason ?? undefined;
export const deltaOf = (chunk: Chunk | undefined): Json => chunk?.choices[0]?.delta ?? {};
export const textOf = (chunk: Chunk | undefined) => {
  const { content } = deltaOf(chunk);
  return typeof content === 'string' && content !== '' ? content : undefined;
};
export const withFinish = (chunk: Chunk, finish_reason: string | null): Chunk => ({
  ...chunk,
  choices: chunk.choices.map((choice) => ({ ...choice, finish_reason })),
});
export const withDelta = (chunk: Chunk, delta: Json): Chunk => ({
  ...chunk,
  choices: chunk.choices.map((choice) => ({ ...choice, delta })),
});
export const without = (chunk: Chunk, field: string): Chunk =>
  Object.fromEntries(Object.entries(chunk).filter(([name]) => name !== field)) as Chunk;
export const messagesOf = ({ body }: Call): Json[] =>
  Array.isArray(body.messages) ? (body.messages as unknown[]).filter(isJson) : [];
/** The tool message of a reply to a question. */
export const replyOf = (call: Call): Json | undefined => {
  const last = messagesOf(call).at(-1);
  return last?.role === 'tool' ? last : undefined;
};
export const sessionOf = ({ body }: Call) => (typeof body.session_id === 'string' ? body.session_id : undefined);
