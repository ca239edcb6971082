import type { Chunk } from '../answers.js';
import { type Call, isJson, type Json, parsed, withHeaders } from '../call.js';
import type { Answer, World } from '../world.js';

export const CAP = 1_048_576;
export const MEMBERS: readonly string[] = ['api_key', 'peer_api_key'];
export const SETTINGS = ['name', 'description', 'instructions', 'model'] as const;

/** Of an answer that is no stream. */
export async function bodyOf(response: Response): Promise<Json> {
  const body = parsed(await response.clone().text());
  return isJson(body) ? body : {};
}

export const as = (call: Call, w: World, credential: string): Request =>
  withHeaders(call, { authorization: `Bearer ${w.credentials[credential] ?? ''}` });

/** The same call once more. */
export const again = (call: Call): Request => withHeaders(call, {});

/** The intern as its member sees it; empty for any other. */
export const seen = async (w: World, id: string): Promise<Json> => bodyOf(await w.ask('GET', `/interns/${id}`));

export const now = (w: World): number => w.setting.host.now();

export const withStatus = (response: Response, status: number): Response =>
  new Response(response.body, { status, headers: response.headers });

/** A request that the lawful service refuses to one caller is tried as another. */
export const triedAs =
  (w: World, ops: string, credential: string, when: (call: Call) => boolean): Answer =>
  async (call, next) => {
    const response = await next();
    if (response.ok || !ops.split(' ').includes(call.op) || !when(call)) return response;
    const other = await next(as(call, w, credential));
    if (!other.ok) return response;
    w.hit();
    return other;
  };

export const isFinal = (chunk: Chunk | undefined): chunk is Chunk => chunk?.choices?.length === 0;
export const finishOf = (chunk: Chunk | undefined): string | null => chunk?.choices?.[0]?.finish_reason ?? null;
export const contentOf = (chunk: Chunk | undefined): string => {
  const content = chunk?.choices?.[0]?.delta?.content;
  return typeof content === 'string' ? content : '';
};
export const callOf = (chunk: Chunk | undefined): Json | undefined => {
  const calls = chunk?.choices?.[0]?.delta?.tool_calls;
  const [first] = Array.isArray(calls) ? (calls as unknown[]) : [];
  return isJson(first) ? first : undefined;
};

const messagesOf = ({ body }: Call): Json[] => (Array.isArray(body.messages) ? body.messages.filter(isJson) : []);
/** The tool message of a call that answers a question. */
export const replyOf = (call: Call): Json | undefined => {
  const last = call.op === 'chat' ? messagesOf(call).at(-1) : undefined;
  return last?.role === 'tool' ? last : undefined;
};
/** The same body with another tool message. */
export const replying = (call: Call, changed: Json, more: Json = {}): Json => ({
  ...call.body,
  ...more,
  messages: messagesOf(call).map((message, at, all) => (at === all.length - 1 ? { ...message, ...changed } : message)),
});
export const sessionOf = ({ body }: Call): string => (typeof body.session_id === 'string' ? body.session_id : '');

export interface Question {
  readonly id: string;
  readonly session: string;
  readonly intern: string;
  readonly who: string;
  readonly at: number;
}
/** Passes chats on and tells of every question that one ended with, and of every session that ended otherwise. */
export const heard = (w: World, asked: (question: Question) => void, ended?: (session: string) => void): Answer =>
  w.stream((call) => {
    let id = '';
    return (_, chunk) => {
      const said = callOf(chunk);
      if (typeof said?.id === 'string') id = said.id;
      if (!isFinal(chunk)) return undefined;
      const session = String(chunk.session_id);
      if (id === '') ended?.(session);
      else asked({ id, session, intern: call.id, who: call.who, at: now(w) });
      return undefined;
    };
  });

export const notPending = 'The interaction is no longer pending';
