import { createParser } from 'eventsource-parser';
import { hostSleep } from '../../clock/host-wait.js';
import type { StreamChunk } from '../../contract/chat.js';
import { PROFILES } from '../../contract/profile.js';
import type { RunView } from '../../contract/run.js';
import { withZod } from '../../contract/with-zod.js';
import { replyTo } from '../../control/explain/examples.js';
import { controlJson, type Door, ToolError, targetOf } from '../door.js';
import { type ToolContext, tool } from '../tool.js';
import { keyFor } from './interns.js';
import { refusedBy } from './refused.js';

const output = withZod((z) =>
  z.object({
    ended: z.string().describe('stop, question, error, steered or still_running'),
    text: z.string(),
    session_id: z.string().nullable(),
    run_id: z.string().nullable(),
    request_id: z.string(),
    question: z.looseObject({ id: z.string() }).nullable(),
    error: z.string().nullable(),
  }),
);

const limit = withZod((z) => z.int().min(1).max(600).default(30).describe('Seconds to read for'));

/** Sends a turn and reads its stream, until its end, its limit, or the caller cancels. */
async function turn(context: ToolContext, internId: string, body: object, seconds: number) {
  const { door, signal } = context;
  const over = new AbortController();
  const leave = () => over.abort(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  const done = new AbortController();
  let late = false;
  void hostSleep(seconds * 1_000, done.signal).then((up) => {
    late = up;
    if (up) over.abort(new Error('the limit of this call'));
  });
  const seen = { text: '', session_id: null as string | null, finish: '', question: '', error: null as string | null };
  let chunks = 0;
  let request_id = '';
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') return;
      const chunk = JSON.parse(data) as StreamChunk;
      const choice = chunk.choices?.[0];
      seen.text += choice?.delta?.content ?? '';
      seen.finish = choice?.finish_reason ?? seen.finish;
      seen.question = choice?.delta?.tool_calls?.[0]?.id ?? seen.question;
      seen.session_id = chunk.session_id ?? seen.session_id;
      if (chunk.error) seen.error = `${chunk.error.metadata?.reason ?? 'error'}: ${chunk.error.message ?? ''}`;
      chunks++;
      context.progress(chunks, undefined, seen.text.slice(-120));
    },
  });
  try {
    const key = await keyFor(door, internId);
    const path = `/interns/${encodeURIComponent(internId)}/chat/completions`;
    const response = await door.api('POST', path, { key, body, signal: over.signal });
    if (!response.ok) throw await refusedBy(door, response);
    request_id = response.headers.get('x-request-id') ?? '';
    if (response.status === 202) {
      seen.session_id = ((await response.json()) as { session_id: string }).session_id;
      seen.finish = 'steered';
    } else {
      const decoder = new TextDecoder();
      for await (const bytes of response.body ?? []) parser.feed(decoder.decode(bytes, { stream: true }));
    }
  } catch (error) {
    if (!late || error instanceof ToolError) throw error;
    seen.finish = 'still_running';
  } finally {
    done.abort();
    signal.removeEventListener('abort', leave);
  }
  const entry = request_id
    ? await controlJson<{ run_id: string | null }>(door, 'GET', `/journal/${encodeURIComponent(request_id)}`)
    : undefined;
  const run = entry?.run_id ? await controlJson<RunView>(door, 'GET', `/runs/${entry.run_id}`) : undefined;
  const question = seen.question && run?.question ? run.question : null;
  const data = {
    ended: question ? 'question' : seen.finish,
    text: seen.text,
    session_id: seen.session_id ?? run?.session_id ?? null,
    run_id: run?.id ?? null,
    request_id,
    question,
    error: seen.error,
  };
  const ends: Record<string, string> = {
    question: `The intern asks: ${JSON.stringify(question?.ask)}. Call answer_question with intern_id ${internId} and session_id ${data.session_id}.`,
    steered: 'The prompt was delivered into the run that the session has going: there is no stream here.',
    still_running: `The limit of ${seconds} s passed. The stream was left, which cancels run ${data.run_id}; give a greater limit, or advance_clock.`,
    error: `The run ended with an error: ${seen.error}. explain_request with id ${request_id} says why.`,
  };
  return { data, text: [seen.text, ends[data.ended] ?? `Ended: ${data.ended}.`].filter(Boolean).join('\n\n') };
}

export const chat = tool(
  withZod((z) =>
    z.strictObject({
      prompt: z.string().min(1),
      intern_id: z.string().optional(),
      session_id: z.string().optional(),
      approval_mode: z.enum(['manual', 'self-drive']).optional(),
      limit: limit(),
    }),
  ),
  {
    name: 'chat',
    description:
      'Sends a prompt to an intern and reads its whole stream: the text, then a question, a stop or an error, with session and run. Use it to see what a client would get. A first line "script: NAME" chooses a script. intern_id: default the seed\'s first.',
    output,
    readOnly: false,
    async run({ prompt, intern_id, session_id, approval_mode, limit }, context) {
      const id = intern_id ?? (await targetOf(context.door)).credentials.intern?.id;
      if (id === undefined)
        throw new ToolError('intern_id: missing', 'The seed has no intern: call manage_intern create.');
      const body = {
        stream: true,
        messages: [{ role: 'user', content: prompt }],
        ...(session_id === undefined ? {} : { session_id }),
        ...(approval_mode === undefined ? {} : { approval_mode }),
      };
      return turn(context, id, body, limit);
    },
  },
);

/** The name of the tool call that carries a question; a client may echo any, but this is the right one. */
async function toolNameOf(door: Door): Promise<string> {
  const { profile } = await targetOf(door);
  return (PROFILES[profile as keyof typeof PROFILES] ?? PROFILES.svc).tool_name;
}

export const answerQuestion = tool(
  withZod((z) =>
    z.strictObject({
      intern_id: z.string(),
      session_id: z.string(),
      answer: z.string(),
      limit: limit(),
    }),
  ),
  {
    name: 'answer_question',
    description:
      'Answers the question that a run waits with, as a client must: same session, the echoed tool call, a tool message. Use it after chat ended with a question. answer: an option such as allow_once, or JSON {"action": "accept", "content": {...}}.',
    output,
    readOnly: false,
    async run({ intern_id, session_id, answer, limit }, context) {
      const { door } = context;
      const { data } = await controlJson<{ data: RunView[] }>(
        door,
        'GET',
        `/runs?intern_id=${encodeURIComponent(intern_id)}`,
      );
      const run = data.find((each) => each.session_id === session_id && each.question !== undefined);
      if (!run)
        throw new ToolError(
          `No run of session ${session_id} waits for an answer.`,
          'It was answered, or its deadline passed. Call chat for a new question; list_requests shows what happened.',
        );
      const body = replyTo(run, await toolNameOf(door));
      const [echo] = body.messages;
      const messages = [echo, { role: 'tool', tool_call_id: run.question?.id, content: answer }];
      return turn(context, intern_id, { ...body, messages }, limit);
    },
  },
);
