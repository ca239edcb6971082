import { rewritten } from '../../../emulator/wire/answer.js';
import { type Chunk, failed } from '../answers.js';
import { type Call, isJson, type Json, parsed, withBody } from '../call.js';
import type { Answer, Way, World } from '../world.js';

export const named = (name: string, quote: string, wrong: (world: World) => Answer): Way => ({ name, quote, wrong });
export const lawful = (name: string, quote: string, wrong: (world: World) => Answer): Way => ({
  name,
  quote,
  wrong,
  lawful: true,
});

export const among = (ops: string, { op }: Call): boolean => ops.split(' ').includes(op);
export const rows = (body: Json): Json[] => (Array.isArray(body.data) ? body.data.filter(isJson) : []);
export const keyOf = ({ request }: Call): string | undefined => request.headers.get('idempotency-key') ?? undefined;
export const ofCaller = ({ who, id }: Call): string => `${who} ${id}`;

/** Asks for something else, which shows where that succeeds. */
export const asking =
  (
    w: World,
    ops: string,
    other: (call: Call) => Json | Request | undefined | Promise<Json | Request | undefined>,
  ): Answer =>
  async (call, next) => {
    const changed = among(ops, call) ? await other(call) : undefined;
    if (changed === undefined) return next();
    const response = await next(changed instanceof Request ? changed : withBody(call, changed));
    if (response.ok) w.hit();
    return response;
  };

/** Answers what another request gives, where the two differ. */
export const differing =
  (w: World, ops: string, other: (call: Call) => Promise<Response | undefined>): Answer =>
  async (call, next) => {
    const response = await next();
    if (!among(ops, call)) return response;
    const given = await other(call);
    if (!given?.ok || (await given.clone().text()) === (await response.clone().text())) return response;
    w.hit();
    return given;
  };

export const finish = (chunk: Chunk | undefined): string | undefined => chunk?.choices[0]?.finish_reason ?? undefined;
export const isLast = (chunk: Chunk | undefined): chunk is Chunk => chunk !== undefined && chunk.choices.length === 0;
export const said = (chunk: Chunk | undefined): string => {
  const content = chunk?.choices[0]?.delta.content;
  return typeof content === 'string' ? content : '';
};
export const callIn = (chunk: Chunk | undefined): Json | undefined => {
  const calls = chunk?.choices[0]?.delta.tool_calls;
  return Array.isArray(calls) && isJson(calls[0]) ? calls[0] : undefined;
};
export const withCall = (chunk: Chunk, call: Json): Chunk => ({
  ...chunk,
  choices: chunk.choices.map((choice) => ({ ...choice, delta: { ...choice.delta, tool_calls: [call] } })),
});
export const withFinish = (chunk: Chunk, reason: string): Chunk => ({
  ...chunk,
  choices: chunk.choices.map((choice) => ({ ...choice, finish_reason: reason })),
});

export const messages = ({ body }: Call): Json[] =>
  Array.isArray(body.messages) ? (body.messages as unknown[]).filter(isJson) : [];
/** The call that a chat answers, if it answers one. */
export const replied = (call: Call): string | undefined => {
  const id = messages(call).find(({ role }) => role === 'tool')?.tool_call_id;
  return call.op === 'chat' && typeof id === 'string' ? id : undefined;
};
export const isPrompt = (call: Call): boolean => call.op === 'chat' && replied(call) === undefined;
export const session = ({ body }: Call): string => (typeof body.session_id === 'string' ? body.session_id : '');

/** Looks at the events of a chat and leaves them as they are. */
export const heard = (response: Response, see: (chunk: Chunk) => void): Promise<Response> =>
  rewritten(response, {
    text(event) {
      if (event.startsWith('data: {')) see(parsed(event.slice(6)) as Chunk);
      return `${event}\n\n`;
    },
  });

export interface Question {
  readonly at: number;
  readonly id: string;
  readonly intern: string;
  rejected: number;
}
/** The questions that are open, by their sessions. */
export function questionsOf(w: World) {
  const open = new Map<string, Question>();
  return {
    open,
    of: (call: Call): Question | undefined => (replied(call) === undefined ? undefined : open.get(session(call))),
    async listen(call: Call, response: Response): Promise<Response> {
      const question = open.get(session(call));
      if (replied(call) !== undefined && response.status === 400 && question) question.rejected += 1;
      if (call.op !== 'chat' || response.status !== 200) return response;
      let asked = '';
      return heard(response, (chunk) => {
        const id = callIn(chunk)?.id;
        if (typeof id === 'string') asked = id;
        if (!isLast(chunk)) return;
        const at = w.setting.host.now();
        if (asked === '') open.delete(String(chunk.session_id));
        else open.set(String(chunk.session_id), { at, id: asked, intern: call.id.toLowerCase(), rejected: 0 });
      });
    },
  };
}

export const notFound = (what = 'Intern'): Response => failed(404, `${what} not found`, 'not_found');
export const invalid = (): Response => failed(400, 'Invalid request body', 'invalid_body');
