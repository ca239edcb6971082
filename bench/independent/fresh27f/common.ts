import type { Chunk } from '../answers.js';
import { type Call, isJson, type Json, parsed, withHeaders } from '../call.js';
import type { Answer, World } from '../world.js';

export const CAP = 1_048_576;

/** The same request by another of the kit's credentials. */
export const as = (call: Call, { credentials }: World, name: string): Request =>
  withHeaders(call, { authorization: `Bearer ${credentials[name] ?? ''}` });

export const bodyOf = async (response: Response): Promise<Json> => {
  const body = parsed(await response.clone().text());
  return isJson(body) ? body : {};
};
/** The intern as its owner reads it. */
export const internOf = async ({ ask }: World, id: string): Promise<Json> => bodyOf(await ask('GET', `/interns/${id}`));

export const listed = (body: Json): Json[] => (Array.isArray(body.data) ? body.data.filter(isJson) : []);
export const idOf = (record: Json): string => String(record.id);

export const isAnswer = ({ body: { messages } }: Call): boolean => {
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isJson(last) && last.role === 'tool';
};
export const finishOf = (chunk: Chunk | undefined) => chunk?.choices[0]?.finish_reason ?? undefined;
export const isFinal = (chunk: Chunk | undefined): chunk is Chunk => chunk?.choices.length === 0;
export const isDone = (event: string) => event.startsWith('data: [DONE]');
export const contentOf = (chunk: Chunk | undefined): string => {
  const content = chunk?.choices[0]?.delta.content;
  return typeof content === 'string' ? content : '';
};
/** The tool calls that a chunk carries. */
export const toolCallsOf = (chunk: Chunk | undefined): Json[] => {
  const calls = chunk?.choices[0]?.delta.tool_calls;
  return Array.isArray(calls) ? calls.filter(isJson) : [];
};
/** The same chunk with its first choice changed. */
export const withChoice = (chunk: Chunk, changed: Partial<Chunk['choices'][number]>): Chunk => ({
  ...chunk,
  choices: chunk.choices.map((choice, at) => (at === 0 ? { ...choice, ...changed } : choice)),
});

/** Interns that have a chat response under way, by the time of its last event. */
export function talking({ stream, setting: { host } }: World): { busy: (id: string) => boolean; watch: Answer } {
  const heard = new Map<string, number>();
  return {
    busy: (id) => host.now() - (heard.get(id) ?? Number.NEGATIVE_INFINITY) < 20_000,
    watch: stream(({ id }) => {
      heard.set(id, host.now());
      return (event) => {
        if (isDone(event)) heard.delete(id);
        else heard.set(id, host.now());
        return undefined;
      };
    }),
  };
}
