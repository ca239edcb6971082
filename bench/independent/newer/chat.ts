import type { Chunk } from '../answers.js';
import { type Json, withBody } from '../call.js';
import { finish, finished, isFinal, replies, says } from '../ways/chunks.js';
import { named, unseen } from '../ways/named.js';
import type { Answer, Way, World } from '../world.js';
import { lateAnswer, rejectedExtends } from './runs.js';

const KEEPALIVE = 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.';
const FINAL =
  'After every response, whether it ends with `stop`, `tool_calls` or `error`, one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`.';
const CONTINUES = 'The answer is delivered to the run that asked, and the stream continues from where it paused.';
const isKeepalive = (event: string) => event.startsWith(': keepalive');

/** Changes the last chunk of a response by how that ended. */
const last = (w: World, ending: string, edit: (chunk: Chunk) => Chunk): Answer =>
  w.stream(() => {
    let ended: string | undefined;
    return (_, chunk) => {
      ended = finish(chunk) ?? ended;
      return chunk && isFinal(chunk) && ended === ending ? edit(chunk) : undefined;
    };
  });

export const streams: readonly Way[] = [
  named('the last chunk after an error names no session', FINAL, (w) =>
    last(w, 'error', (chunk) => {
      const { session_id: _, ...rest } = chunk;
      return rest as Chunk;
    }),
  ),
  named('a pause reports its usage', 'After `tool_calls` its `usage` is `null`, because the turn is not over.', (w) =>
    last(w, 'tool_calls', (chunk) => ({
      ...chunk,
      usage: { prompt_tokens: 12, completion_tokens: 6, total_tokens: 18 },
    })),
  ),
  named('a keepalive comes after a minute', KEEPALIVE, (w) =>
    w.stream(() => {
      let silent = 0;
      return (event) => {
        silent = isKeepalive(event) ? silent + 1 : 0;
        return silent % 2 === 1 ? [] : undefined;
      };
    }),
  ),
  named('a stream has one keepalive', KEEPALIVE, (w) =>
    w.stream(() => {
      let any = false;
      return (event) => {
        if (!isKeepalive(event)) return undefined;
        const first = !any;
        any = true;
        return first ? undefined : [];
      };
    }),
  ),
  named('a keepalive is an event', KEEPALIVE, (w) =>
    w.stream(() => (event) => (isKeepalive(event) ? 'data: keepalive' : undefined)),
  ),
  named('the end of a run has its code as a text', 'carries code 410 and reason `run_ended`', (w) =>
    w.stream(() => (_, chunk) => {
      if (chunk?.error?.code !== 410) return undefined;
      return { ...chunk, error: { ...chunk.error, code: '410' } };
    }),
  ),
  named(
    'a reply of more than 2000 characters ends for its length',
    'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.',
    (w) =>
      w.stream(() => {
        let said = 0;
        return (_, chunk) => {
          said += String(says(chunk) ?? '').length;
          return chunk && finish(chunk) === 'stop' && said > 2_000 ? finished(chunk, 'length') : undefined;
        };
      }),
  ),
];

export const conversations: readonly Way[] = [
  named(
    'a session that was manual once remains so',
    'The mode belongs to the run started by that prompt and must be repeated on later prompts.',
    (w) => {
      const manual = new Set<unknown>();
      const note = w.stream(({ body }) => (_, chunk) => {
        if (chunk && isFinal(chunk) && body.approval_mode === 'manual') manual.add(chunk.session_id);
        return undefined;
      });
      return (call, next) => {
        const { body } = call;
        if (call.op !== 'chat' || replies(call) || 'approval_mode' in body || !manual.has(body.session_id))
          return note(call, next);
        w.hit();
        return note(call, () => next(withBody(call, { ...body, approval_mode: 'manual' })));
      };
    },
  ),
  rejectedExtends,
  lateAnswer,
  named('the session of a reply that goes on is another', CONTINUES, (w) =>
    w.stream((call) => (_, chunk) => {
      if (!chunk || !isFinal(chunk) || !replies(call)) return undefined;
      const session = String(chunk.session_id);
      return { ...chunk, session_id: session.replace(/.$/, (end) => (end === '0' ? '1' : '0')) };
    }),
  ),
  named('a reply that goes on begins with what was said', CONTINUES, (w) => {
    const said = new Map<unknown, string>();
    return w.stream((call) => {
      let text = '';
      let repeat = replies(call);
      return (_, chunk) => {
        const now = says(chunk);
        if (typeof now === 'string') text += now;
        if (isFinal(chunk)) said.set(chunk?.session_id, text);
        const before = said.get(call.body.session_id);
        const choice = chunk?.choices[0];
        if (!repeat || !chunk || !choice || typeof now !== 'string' || now === '' || before === undefined)
          return undefined;
        repeat = false;
        return { ...chunk, choices: [{ ...choice, delta: { ...choice.delta, content: before + now } }] };
      };
    });
  }),
  unseen(
    'the interns that are measured never say what they were answered; of an option, only another text is accepted',
    named('an answer is trimmed', 'its `content` is the answer', (w) =>
      w.asked('chat', (call) => {
        if (!replies(call)) return undefined;
        const messages = call.body.messages as Json[];
        const content = messages.at(-1)?.content;
        if (typeof content !== 'string' || content === content.trim()) return undefined;
        return { ...call.body, messages: [...messages.slice(0, -1), { ...messages.at(-1), content: content.trim() }] };
      }),
    ),
  ),
  unseen(
    'what an intern reported is known to a caller from this chunk alone',
    named(
      'the usage after an answer is of the part since',
      'carries the `usage` that the intern reported for the run',
      (w) =>
        w.stream((call) => (_, chunk) => {
          const usage = chunk?.usage as Record<string, number> | null | undefined;
          if (!chunk || !isFinal(chunk) || !replies(call) || !usage) return undefined;
          const { prompt_tokens: prompt = 0, completion_tokens: done = 0 } = usage;
          const some = { prompt_tokens: Math.ceil(prompt / 2), completion_tokens: Math.ceil(done / 2) };
          return { ...chunk, usage: { ...some, total_tokens: some.prompt_tokens + some.completion_tokens } };
        }),
    ),
  ),
];
