import { refusal, rewritten } from '../../emulator/wire/answer.js';
import { chunkOf, frameOf } from '../../emulator/wire/chunks.js';
import { type Call, isJson, type Json, withBody } from './call.js';
import type { Answer } from './world.js';

export interface ErrorBody {
  code: unknown;
  message: string;
  metadata?: Json;
}
export interface Chunk extends Json {
  choices: { delta: Json; finish_reason: string | null }[];
  error?: { code?: unknown; metadata?: Json };
}
/** What replaces an event: its text or chunk, several, or nothing. Undefined leaves it. */
export type Said = undefined | string | Chunk | readonly (string | Chunk)[];
type Event = (event: string, chunk: Chunk | undefined) => Said;

/** The usual ways to spoil an answer. Each says by itself when it did. */
export interface Answers {
  /** Changes JSON answers in place, whatever their status. */
  json(ops: string, edit: (body: Json, call: Call, response: Response) => unknown): Answer;
  /** The same where it succeeded. */
  ok(ops: string, edit: (body: Json, call: Call) => unknown): Answer;
  /** Changes the error of a status. */
  error(ops: string, status: number, edit: (error: ErrorBody, call: Call) => unknown): Answer;
  head(ops: string, edit: (headers: Headers, call: Call, response: Response) => unknown): Answer;
  /** Answers something else, without asking the service; where `response` gives nothing, asks. */
  instead(ops: string, response: (call: Call) => Response | undefined | Promise<Response | undefined>): Answer;
  /** Another answer in place of one. */
  later(
    ops: string,
    other: (response: Response, call: Call) => Response | undefined | Promise<Response | undefined>,
  ): Answer;
  /** Asks for something else: another body, or another request. */
  asked(ops: string, other: (call: Call) => Json | Request | undefined): Answer;
  /** Changes the events of a chat; `begin` is called once a stream. */
  stream(begin: (call: Call) => Event): Answer;
}

const among = (ops: string, op: string) => ops === '*' || ops.split(' ').includes(op);
const raw = (said: string | Chunk) => (typeof said === 'string' ? `${said}\n\n` : frameOf(said));

export const answersOf = (hit: () => void): Answers => {
  const json: Answers['json'] = (ops, edit) => async (call, next) => {
    const response = await next();
    if (!among(ops, call.op)) return response;
    return rewritten(response, {
      json(body) {
        if (!isJson(body)) return;
        const before = JSON.stringify(body);
        edit(body, call, response);
        if (JSON.stringify(body) !== before) hit();
      },
    });
  };
  return {
    json,
    ok: (ops, edit) => json(ops, (body, call, response) => response.ok && edit(body, call)),
    error: (ops, status, edit) =>
      json(ops, (body, call, response) => {
        if (response.status === status && isJson(body.error)) edit(body.error as unknown as ErrorBody, call);
      }),
    head: (ops, edit) => async (call, next) => {
      const response = await next();
      if (!among(ops, call.op)) return response;
      return rewritten(response, {
        headers(headers) {
          const before = JSON.stringify([...headers]);
          edit(headers, call, response);
          if (JSON.stringify([...headers]) !== before) hit();
        },
      });
    },
    instead: (ops, response) => async (call, next) => {
      const other = among(ops, call.op) ? await response(call) : undefined;
      if (other !== undefined) hit();
      return other ?? next();
    },
    later: (ops, other) => async (call, next) => {
      const response = await next();
      const given = among(ops, call.op) ? await other(response, call) : undefined;
      if (given !== undefined) hit();
      return given ?? response;
    },
    asked: (ops, other) => async (call, next) => {
      const changed = among(ops, call.op) ? other(call) : undefined;
      if (changed === undefined) return next();
      hit();
      return next(changed instanceof Request ? changed : withBody(call, changed));
    },
    stream: (begin) => async (call, next) => {
      const response = await next();
      if (call.op !== 'chat' || !response.ok) return response;
      const edit = begin(call);
      return rewritten(response, {
        text(event) {
          const said = edit(event, chunkOf(event) as Chunk | undefined);
          if (said === undefined) return raw(event);
          const pieces = Array.isArray(said) ? (said as readonly (string | Chunk)[]) : [said as string | Chunk];
          const sent = pieces.map(raw).join('');
          if (sent !== raw(event)) hit();
          return sent;
        },
      });
    },
  };
};

export { refusal as failed };
