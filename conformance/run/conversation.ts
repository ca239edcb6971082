import { type Blame, type Broken, Finding, findingOf } from '../model/finding.js';
import { byTheIntern } from '../model/skip.js';
import { type Answer, isStream } from '../probe/answer.js';
import type { Transcript } from '../probe/chunks.js';
import type { Sender } from '../probe/client.js';
import { jsonOf, recordOf } from '../probe/json.js';
import { ANSWER, CREDENTIAL_NAMES, type CredentialName, internPath, isAnswer, type Send } from '../probe/request.js';
import { whyNoAnswer } from '../probe/wait.js';
import type { Check } from './check.js';
import type { ChatInput, Ctx } from './context.js';
import { createReply } from './reply.js';
import type { RunContext } from './session.js';

/** An answer is delivered to the run that asked. */
const DELIVERED: Broken = { requirement: 'CHAT-6', level: 'S' };

/** The name of a chat request in findings. */
const sentBy = (body: ChatInput): string =>
  isAnswer(body) ? ANSWER : body.session_id === undefined ? 'a prompt' : 'a prompt in a session';

/** The chat requests of one check: `chat` and `answer` of its context. */
export function createConversation(run: RunContext, by: Sender, open: Ctx['open']): Pick<Ctx, 'chat' | 'answer'> {
  const check = by.id;
  const { driver, host, obstacles, pool, session } = run;
  const streams = new Map<string, readonly Transcript[]>();

  /** A check waits on a silent stream. Its run may go on, and keep the intern busy. */
  const silent = (nothingCame: boolean) => {
    pool.drop(run.lane, { foreign: false });
    obstacles.pass('streaming', check);
    // Without a keepalive, waiting on other streams is in vain, too. On an emulator the clock may stand still.
    if (nothingCame && driver.control === undefined) obstacles.met('streaming', check, { kind: 'silent' });
  };

  const chat: Ctx['chat'] = async (id, input, options = {}) => {
    obstacles.pass('chat', check);
    const said: ChatInput = typeof input === 'string' ? { prompt: input } : input;
    const json = {
      messages: said.messages ?? [{ role: 'user', content: said.prompt ?? '' }],
      stream: true,
      ...(said.session_id === undefined ? {} : { session_id: said.session_id }),
      ...(said.approval_mode === undefined ? {} : { approval_mode: said.approval_mode }),
      ...said.extra,
    };
    const path = internPath(id, '/chat/completions');
    const send = { ...options, method: 'POST', path, json };
    const answer = await open(send).catch((error: unknown) => {
      if (whyNoAnswer(error)?.kind !== 'timeout') throw error;
      silent(true);
      if (driver.control !== undefined) throw error;
      const found = findingOf(error)?.found;
      if (found === undefined) throw error;
      throw new Finding({ ...found, breaks: { requirement: 'CHAT-11', level: 'S' } }, undefined, { cause: error });
    });
    const sent = sentBy(said);
    const reply = createReply(answer, {
      sent,
      refusal: (refused) => refusal(id, sent, refused),
      toolName: driver.target.profile.tool_name,
      host,
      timeout: run.settings.streamTimeout,
      scripted: driver.control !== undefined,
      trouble: () => obstacles.met('chat', check),
      silent,
      ended(transcript) {
        const [call] = transcript.toolCalls;
        session.learnt.asked.question ||= call !== undefined;
        session.learnt.asked.permission ||=
          said.approval_mode === 'manual' && call !== undefined && questionOf(call.arguments).kind !== 'elicitation';
        session.monitors.hears(send, transcript, answer.evidence, by);
      },
    });
    if (isStream(answer)) streams.set(id, [...(streams.get(id) ?? []), reply.transcript]);
    return reply;
  };

  /** The requirement that the refusal of a prompt breaks, with a remark for the reader. */
  const refusal = (id: string, sent: string, { status, json }: Answer): Blame => {
    const reason = (json as { error?: { metadata?: { reason?: unknown } } } | undefined)?.error?.metadata?.reason;
    const seen = streams.get(id) ?? [];
    const idle = seen.length > 0 && seen.every(({ ended }) => ended === 'end') && !session.lately(id);
    if (reason === 'busy') {
      if (!idle) return {};
      const last = seen.at(-1)?.finish === 'tool_calls' ? 'asked' : 'ended';
      const because = { kind: 'no-run-streams', last } as const;
      return sent === ANSWER ? { because, breaks: DELIVERED } : { because };
    }
    if (sent !== ANSWER || status >= 500) return {};
    // "A question stays open for its interaction deadline."
    if (reason === 'interaction_not_pending') return { breaks: { requirement: 'CHAT-7', level: 'S' } };
    return { breaks: DELIVERED, ...(status === 404 ? { because: { kind: 'names-the-question' } } : {}) };
  };

  return {
    chat,
    async answer(id, asked, content, { approval_mode, ...rest } = {}) {
      obstacles.pass('answers', check);
      const call = asked.toolCalls[0];
      if (call?.id === undefined || asked.sessionId === undefined) {
        throw byTheIntern({ kind: 'asked-nothing', finish: asked.finish });
      }
      const echo = {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } }],
      };
      const said = asked.scripted ? content : acceptable(call.arguments, content);
      const text = typeof said === 'string' ? said : JSON.stringify(said);
      const messages = [echo, { role: 'tool', tool_call_id: call.id, content: text }];
      const mode = approval_mode === undefined ? {} : { approval_mode };
      const reply = await chat(id, { messages, session_id: asked.sessionId, ...mode }, rest);
      if (reply.status < 300) obstacles.gone('answers');
      return reply;
    },
  };
}

/** The question in the arguments of a call of `provide_input`; empty if they cannot be read. */
const questionOf = (text: string) => recordOf(jsonOf(text));

/**
 * An answer that any question of an intern accepts (CHAT-6): `content` where it fits, else the first option. A form is
 * declined if `content` is a text.
 *
 * @param question the arguments of the call, as streamed
 */
export function acceptable(question: string, content: unknown): unknown {
  const { kind, options } = questionOf(question);
  if (kind === 'elicitation') return typeof content === 'string' ? { action: 'decline' } : content;
  if (!Array.isArray(options) || options.length === 0) return content;
  return content === 'cancel' || options.includes(content) ? content : options[0];
}

const CREDENTIALS: ReadonlySet<string> = new Set(CREDENTIAL_NAMES);

/**
 * Chooses who sends prompts: the API key, or the peer while the API key's turns are held back (CHAT-17) and the peer sees the
 * run's interns. The same caller continues a session, because it owns it. A check that needs a credential chooses itself.
 *
 * @returns the credential for a prompt to an intern
 */
export function createPrompter({ driver, session }: RunContext, check: Check) {
  const { turns, unusable } = session;
  const peer = 'peer_api_key';
  const choosesItself = check.needs.some((need) => CREDENTIALS.has(need));
  const freeCaller = async (id: string): Promise<CredentialName> => {
    if (!turns('api_key').paused() || turns(peer).paused() || unusable(peer) !== undefined) return 'api_key';
    session.learnt.peerSees ??= session.running.send({ path: internPath(id), as: peer }).then(
      ({ status }) => status === 200,
      () => false,
    );
    return (await session.learnt.peerSees) ? peer : 'api_key';
  };
  let prompts = 0;
  let caller: Promise<CredentialName> | undefined;
  return async (id: string): Promise<Pick<Send, 'as' | 'other'>> => {
    if (choosesItself || driver.control !== undefined || driver.credential(peer) === undefined) return {};
    prompts++;
    caller ??= freeCaller(id);
    return {
      as: await caller,
      other() {
        if (prompts === 1) caller = freeCaller(id);
        return caller;
      },
    };
  };
}
