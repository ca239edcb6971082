import { ALL_OPTIONS } from '../arbitraries/answer.js';
import type { ControlRun } from '../drivers/control.js';
import { fail, gist, ok } from '../model/assert.js';
import { type Finding, findingOf } from '../model/finding.js';
import { type Answer, isStream } from '../probe/answer.js';
import type { Transcript } from '../probe/chunks.js';
import { isRecord, jsonOf } from '../probe/json.js';
import type { ChatInput, Ctx, SendOptions } from '../run/context.js';
import * as expect from '../run/expect.js';
import type { ChatReply } from '../run/reply.js';

type Steps = readonly Record<string, unknown>[];

/** A step that asks for a permission. */
export const permission = (as: string, options: readonly string[] = ALL_OPTIONS, operation = 'shell') => ({
  ask: { kind: 'permission', operation, options },
  as,
});

/** A step that asks for a colour, red or blue. */
export const colour = (as: string, fallback?: unknown) => ({
  ask: {
    kind: 'elicitation',
    message: 'Which colour?',
    fields: [{ name: 'answer', type: 'string', required: true, options: ['red', 'blue'] }],
    ...(fallback === undefined ? {} : { fallback }),
  },
  as,
});

/** A step that branches. */
export function when(is: Record<string, unknown>, yes: Steps, no: Steps): Record<string, unknown> {
  // biome-ignore lint/suspicious/noThenProperty: the word of the script language
  return { when: is, then: yes, else: no };
}

export const accepted = (content: Record<string, unknown>) => ({ action: 'accept', content });

/** A turn that streams one piece and then says nothing more. */
export const HELD: Steps = [{ say: 'Held. ' }, { end: 'never' }];

/** A turn that says something, waits 20 s, and says the rest. */
export const PAUSED: Steps = [{ say: 'One. ' }, { wait: '20s' }, { say: 'Two.' }];

/** A turn that asks for a permission once and says what it got. */
export const ASKING: Steps = [
  { say: 'Before. ' },
  permission('ok'),
  when({ ok: 'allow_once' }, [{ say: 'Allowed.' }], [{ say: 'Otherwise.' }]),
];

/** A prompt that names a script. */
export const named = (name: string, rest = 'Hello.') => `script: ${name}\n${rest}`;

/** The pieces of content of a stream, as they came. */
export const texts = ({ chunks }: Transcript): string[] =>
  chunks
    .map(({ json }) => (json.choices as { delta?: { content?: unknown } }[] | undefined)?.[0]?.delta?.content)
    .filter((text): text is string => typeof text === 'string' && text !== '');

/** The stream so far, as an answer. */
function asAnswer(reply: ChatReply): Answer {
  const text = reply.raw();
  const bytes = new TextEncoder().encode(text);
  return { status: reply.status, headers: reply.headers, text, bytes, json: undefined, exchange: -1 };
}

/** The answer to a request that should not get a stream. A stream is cut off. */
export async function plain(ctx: Ctx, reply: ChatReply): Promise<Answer> {
  if (!isStream(reply)) return reply.whole();
  await ctx.settle();
  await reply.disconnect();
  return asAnswer(reply);
}

/** The answer to a request that should not get a stream. A stream is read to its end. */
export async function heard(reply: ChatReply): Promise<Answer> {
  if (!isStream(reply)) return reply.whole();
  await read(reply);
  return asAnswer(reply);
}

/** Sends a chat request, reads its stream to the end, and closes it in any case. */
export async function talk(
  ctx: Ctx,
  id: string,
  input: ChatInput | string,
  options?: SendOptions,
): Promise<Transcript> {
  return read(await ctx.chat(id, input, options));
}

/** Reads a reply to its end, and closes it in any case. */
export async function read(reply: ChatReply): Promise<Transcript> {
  try {
    return await reply.end();
  } finally {
    await reply.disconnect();
  }
}

/** A chat request that must be refused or answered without a stream. */
export async function unstreamed(
  ctx: Ctx,
  id: string,
  input: ChatInput | string,
  options?: SendOptions,
): Promise<Answer> {
  return plain(ctx, await ctx.chat(id, input, options));
}

/** Words of shipped scripts that follow an answer, although none was given. */
const BY_ITSELF =
  /^\s*(I would like to use the shell\.\s+Allowed once\.|One thing first\.\s+\S+ it is\.|Once more\.\s+Done\.)\s*$/;

const ASKED = { breaks: { requirement: 'CHAT-5', level: 'S' } } as const;

/** A finding if the words show that the question was answered, but not by the client. */
export function answeredItself({ finish, content }: Transcript): void {
  if (finish === 'stop' && BY_ITSELF.test(content))
    fail('a prompt that leads to a question', 'the question', gist('answered without its client', content), ASKED);
}

/** Sends a chat request that ends with a question, by default one that accepts `allow_once`. */
export async function asked(
  ctx: Ctx,
  id: string,
  input: ChatInput | string,
  options?: SendOptions,
  kind: 'permission' | 'any' = 'permission',
): Promise<Transcript> {
  const t = await talk(
    ctx,
    id,
    typeof input === 'string' ? { prompt: input, approval_mode: 'manual' } : input,
    options,
  );
  answeredItself(t);
  expect.finish(t, 'tool_calls', 'a prompt that leads to a question');
  callOf(t);
  if (kind === 'permission') allowable(ctx, t);
  return t;
}

/** Needs a question that `allow_once` answers. The intern decides what it asks. */
export function allowable(ctx: Pick<Ctx, 'internDid'>, t: Transcript): void {
  const { options } = question(t);
  ctx.internDid(Array.isArray(options) && options.includes('allow_once'), {
    did: 'ask for a permission that can be allowed',
    question: true,
    asked: question(t),
  });
}

/** Needs a run that ended for this reason. The intern decides that, unless the kit has ended the run. */
export function endedBy(ctx: Pick<Ctx, 'internDid'>, t: Transcript, reason: string): void {
  ctx.internDid(t.error?.reason === reason, { did: `end with ${reason}`, said: t.error });
}

/** The session of a response, from its final chunk. */
export function sessionOf(t: Transcript): string {
  if (t.sessionId === undefined) expect.grammar(t, 'S', 'CHAT-3');
  return t.sessionId ?? fail('session_id of the final chunk', 'a session_id', t.final);
}

/** Two responses are of the same session. */
export function sameSession(t: Transcript, session: string, what: string): void {
  const own = sessionOf(t);
  if (own !== session) fail(`session_id of ${what}`, 'the same as before', gist('another', { own, before: session }));
}

/** The one tool call of a response, and the session to answer it in. */
export function callOf(t: Transcript): { id: string; session: string; arguments: string } {
  const session = sessionOf(t);
  const call = t.toolCalls[0];
  ok(typeof call?.id === 'string' && call.id !== '', 'id of the tool call', 'an id', call);
  return { id: call.id, session, arguments: call.arguments };
}

/** The parts of a reply to the question that a response ended with. */
export function replyTo<Content>(t: Transcript, content: Content) {
  const { id: call, session } = callOf(t);
  return { call, session, content };
}

/** The question in the arguments of its call. */
export function question(t: Transcript): Record<string, unknown> {
  const { arguments: text } = callOf(t);
  const parsed = jsonOf(text);
  if (isRecord(parsed)) return parsed;
  const instead = t.toolCalls[0]?.instead;
  const actual = instead === undefined ? text : gist('not a string', instead);
  return fail('arguments of the tool call', 'a string holding a JSON object', actual);
}

/** The answer that accepts a question for texts, with the first option of each field, or any text. Undefined for other questions. */
export function textsFor(t: Transcript): Record<string, string> | undefined {
  const { fields } = question(t);
  if (!Array.isArray(fields)) return undefined;
  const texts: Record<string, string> = {};
  for (const field of fields) {
    const { name, type, options } = { ...(field as Record<string, unknown> | null) };
    const text: unknown = Array.isArray(options) ? options[0] : 'blue';
    if (typeof name !== 'string' || type !== 'string' || typeof text !== 'string') return undefined;
    texts[name] = text;
  }
  return texts;
}

/** Sends a reply by its parts, which may be invalid. */
export async function answerWith(
  ctx: Ctx,
  id: string,
  parts: { call: string; session?: string; content: unknown; mode?: string },
  options?: SendOptions,
): Promise<ChatReply> {
  const echo = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: parts.call, type: 'function', function: { name: ctx.profile.tool_name, arguments: '{}' } }],
  };
  const content = typeof parts.content === 'string' ? parts.content : JSON.stringify(parts.content);
  return ctx.chat(
    id,
    {
      messages: [{ role: 'user', content: 'Go on.' }, echo, { role: 'tool', tool_call_id: parts.call, content }],
      ...(parts.session === undefined ? {} : { session_id: parts.session }),
      ...(parts.mode === undefined ? {} : { approval_mode: parts.mode }),
    },
    options,
  );
}

/** A reply that must be refused. */
export async function badAnswer(
  ctx: Ctx,
  id: string,
  parts: { call: string; session?: string; content: unknown; mode?: string },
  options?: SendOptions,
): Promise<Answer> {
  return plain(ctx, await answerWith(ctx, id, parts, options));
}

/** Answers a question and reads on to the next pause or the end. */
export async function answered(
  ctx: Ctx,
  id: string,
  t: Transcript,
  content: unknown,
  options?: SendOptions & Pick<ChatInput, 'approval_mode'>,
): Promise<Transcript> {
  return read(await ctx.answer(id, t, content, options));
}

/** A chat run that streams and falls silent after its first content. */
export async function streaming(
  ctx: Ctx,
  id: string,
  input: ChatInput | string,
  options?: SendOptions,
): Promise<ChatReply> {
  ctx.needsStreaming();
  const reply = await ctx.chat(id, input, options);
  const t = await reply.until('the first content', (seen) => seen.content !== '' || seen.finish !== undefined);
  ctx.internDid(t.finish === undefined, { did: 'fall silent', said: t.content });
  return reply;
}

/** Like `streaming`, for a check that is valid only while the run goes on. */
export async function held(ctx: Ctx, id: string, input: ChatInput | string, options?: SendOptions): Promise<ChatReply> {
  const reply = await streaming(ctx, id, input, options);
  ctx.mustGoOn(reply);
  return reply;
}

/** Grants a permission. The run says something and falls silent. */
export async function resumed(ctx: Ctx, id: string, t: Transcript): Promise<ChatReply> {
  const reply = await ctx.answer(id, t, 'allow_once');
  const seen = await reply.until('content after the answer', (one) => one.content !== '' || one.finish !== undefined);
  ctx.internDid(seen.finish === undefined, { did: 'fall silent', said: seen.content });
  return reply;
}

/** The newest run of an intern, or of a session, by the control interface. */
export async function newest(ctx: Ctx, id: string, session?: string): Promise<ControlRun> {
  const runs = await ctx.control.runs(id);
  const run = session === undefined ? runs[0] : runs.find((one) => one.session_id === session);
  return run ?? fail('runs of the intern', session === undefined ? 'a run' : `a run of session ${session}`, runs);
}

/** The status of the newest run, and its end. */
export async function fate(ctx: Ctx, id: string, session?: string): Promise<string> {
  const run = await newest(ctx, id, session);
  return run.status === 'ended' ? `ended: ${run.ended}` : run.status;
}

/** A question is still open: a reply that it does not offer is refused with 400, and changes nothing. */
export async function stillOpen(ctx: Ctx, id: string, t: Transcript, what: string): Promise<void> {
  const probe = await badAnswer(ctx, id, replyTo(t, 'no such option'));
  if (probe.status !== 400)
    fail(what, 'the question still open (400 for an answer it does not offer)', expect.seen(probe));
}

/** The finding of `act` if no answer came, or one that broke off; else undefined. */
export async function broken(act: () => Promise<unknown>): Promise<Finding | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    const found = findingOf(error);
    if (found === undefined) throw error;
    return found;
  }
}
