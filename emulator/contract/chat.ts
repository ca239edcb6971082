import { Refusal } from './errors.js';
import { codePoints, promptText } from './intern.js';
import { nearest } from './nearest.js';
import { place } from './problem.js';
import { isRecord } from './record.js';
import type { ApprovalMode } from './run.js';

interface Read {
  /** The ignored fields that were probably meant as known ones, in words. */
  readonly ignored: string | undefined;
}

/** The contents of a chat request: its last message, and what goes with it (CHAT-15). */
export type ChatInput = Read &
  (
    | {
        readonly kind: 'prompt';
        readonly prompt: string;
        readonly sessionId: string | undefined;
        readonly approvalMode: ApprovalMode | undefined;
      }
    | {
        readonly kind: 'reply';
        readonly interactionId: string;
        readonly content: string;
        readonly sessionId: string;
      }
  );

/** The contents of an invoke request (INVOKE-1). */
export interface InvokeInput extends Read {
  readonly input: string;
  readonly sessionId: string | undefined;
}

/** The parts of a chunk that readers of a stream look at. */
export interface StreamChunk {
  choices?: {
    delta?: {
      content?: string | null;
      reasoning?: string | null;
      tool_calls?: { id?: string; function?: { name?: string; arguments?: string } }[];
    };
    finish_reason?: string | null;
  }[];
  error?: { code?: number; message?: string; metadata?: { reason?: string } };
  session_id?: string;
  usage?: object | null;
  [key: string]: unknown;
}

type Path = readonly (string | number)[];

const bad = (path: Path, expected: string) =>
  new Refusal('bad_request', {
    message: `Invalid request body: ${place(path, 'body')}: ${expected}`,
    fields: [{ path, message: expected }],
  });

/** Things that clients do not do by themselves, and how to make them (WEB-4). */
const notStreamed = (given: unknown) =>
  new Refusal('bad_request', {
    message: bad(['stream'], 'expected true').message,
    fields: [{ path: ['stream'], message: given === undefined ? 'missing' : 'expected true' }],
    detail:
      `stream: ${given === undefined ? 'missing' : 'expected true'}; replies are streamed only. ` +
      'LangChain: streaming: true; AI SDK: streamText; openai: stream: true; curl: "stream": true and -N',
  });

type Json = Record<string, unknown>;

const CHAT_FIELDS = ['messages', 'stream', 'session_id', 'approval_mode'] as const;
const INVOKE_FIELDS = ['input', 'session_id'] as const;

/** The ignored fields of a body whose names are close to that of a known field. */
function ignoredNear(body: Json, known: readonly string[]): string | undefined {
  const near = Object.keys(body).flatMap((key) => {
    if (known.includes(key)) return [];
    const meant = nearest(key, known) ?? known.find((name) => key.length > 3 && name.startsWith(key));
    return meant === undefined ? [] : [`${place([key], '')} (did you mean ${meant}?)`];
  });
  return near.length === 0 ? undefined : `ignored: ${near.slice(0, 3).join(', ')}`;
}

const controlCharacter = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  }
  return false;
};

function sessionId(body: Json): string | undefined {
  const value = body.session_id;
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '' || codePoints(value) > 256 || controlCharacter(value)) {
    throw bad(['session_id'], 'expected 1 to 256 characters, none of them a control character');
  }
  return value;
}

function approvalMode(body: Json): ApprovalMode | undefined {
  const value = body.approval_mode;
  if (value === undefined || value === 'manual' || value === 'self-drive') return value;
  throw bad(['approval_mode'], 'expected manual or self-drive');
}

/** The text of a message: a string, or text parts joined; null is empty. */
function messageText(message: Json, path: Path): string {
  const { content } = message;
  if (typeof content === 'string') return content;
  if (content === null) return '';
  if (!Array.isArray(content)) throw bad(path, 'expected a string or a list of text parts');
  return content
    .map((part: unknown, i) => {
      if (isRecord(part) && part.type === 'text' && typeof part.text === 'string') return part.text;
      throw bad([...path, i], 'expected a text part {type: "text", text}');
    })
    .join('');
}

/**
 * Reads the body of a chat request. Only the last message is read; fields that this interface does not know are
 * ignored.
 *
 * @throws Refusal `bad_request` whose message names the field
 */
export function readChat(body: unknown): ChatInput {
  if (!isRecord(body)) throw bad([], 'expected a JSON object');
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0)
    throw bad(['messages'], 'expected a list with a message in it');
  if (body.stream !== true) throw notStreamed(body.stream);
  const session = sessionId(body);
  const mode = approvalMode(body);
  const ignored = ignoredNear(body, CHAT_FIELDS);
  const last: unknown = messages[messages.length - 1];
  const at = ['messages', messages.length - 1];
  if (!isRecord(last)) throw bad(at, 'expected a message');
  if (last.role === 'user') {
    const prompt = messageText(last, [...at, 'content']);
    if (!promptText().safeParse(prompt).success) throw bad([...at, 'content'], 'expected 1 to 32000 characters');
    return { kind: 'prompt', prompt, sessionId: session, approvalMode: mode, ignored };
  }
  if (last.role !== 'tool') throw bad([...at, 'role'], 'expected user or tool on the last message');
  const id = last.tool_call_id;
  if (typeof id !== 'string' || id === '') throw bad([...at, 'tool_call_id'], 'expected the id of the tool call');
  const content = messageText(last, [...at, 'content']);
  if (session === undefined) throw bad(['session_id'], 'required with a tool message');
  return { kind: 'reply', interactionId: id, content, sessionId: session, ignored };
}

/**
 * Reads the body of an invoke request.
 *
 * @throws Refusal `bad_request` whose message names the field
 */
export function readInvoke(body: unknown): InvokeInput {
  if (!isRecord(body)) throw bad([], 'expected a JSON object');
  const { input } = body;
  if (!promptText().safeParse(input).success) throw bad(['input'], 'expected 1 to 32000 characters');
  return { input: input as string, sessionId: sessionId(body), ignored: ignoredNear(body, INVOKE_FIELDS) };
}
