import { createParser } from 'eventsource-parser';
import { createIdleHost } from '../mutants/idle-host.js';
import type { ProgramContext } from './types.js';

export interface Heard {
  readonly text: string;
  readonly whole: boolean;
  readonly finish: string | undefined;
  readonly session: string | undefined;
  readonly call: { readonly id: string } | undefined;
}

/** The acts of a test program, and how they may be wrong. */
export interface TestProgram {
  readonly id: string;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  chat(prompt: string, more?: Record<string, unknown>): Promise<Response>;
  answer(heard: Heard, content: string): Promise<Response>;
}

/** Reads a stream as its format allows. */
export async function hear(response: Response): Promise<Heard> {
  if (!response.ok) throw new Error(`the service answered ${response.status}`);
  let text = '';
  let whole = false;
  let finish: string | undefined;
  let session: string | undefined;
  let call: Heard['call'];
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') {
        whole = true;
        return;
      }
      const chunk = JSON.parse(data);
      if (chunk.error) throw new Error(`the stream ended with ${chunk.error.metadata?.reason}`);
      session = chunk.session_id ?? session;
      const choice = chunk.choices?.[0];
      text += choice?.delta?.content ?? '';
      call = choice?.delta?.tool_calls?.[0] ?? call;
      finish = choice?.finish_reason ?? finish;
    },
  });
  const decoder = new TextDecoder();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  while (!whole) {
    const { done, value } = await reader.read();
    if (done) break;
    parser.feed(decoder.decode(value, { stream: true }));
  }
  return { text, whole, finish, session, call };
}

/** A reply that is complete. */
export async function wholly(response: Response): Promise<Heard> {
  const heard = await hear(response);
  if (!heard.whole || heard.finish === undefined) throw new Error('the stream was cut');
  if (heard.finish === 'length') throw new Error('the reply was cut short');
  return heard;
}

/** Longer than what is harmless holds a write back by the real time, in ms. */
const PAUSES = 600;

/**
 * Runs with an intern that the seed has running, so that a run takes few requests. A request is given up when nothing goes
 * on any more, unless it is `patient`: on a busy machine no time says that.
 */
export function clientOf({ target, fetch }: ProgramContext, patient = false): TestProgram {
  const host = createIdleHost(PAUSES);
  const { api_key, intern } = target.credentials;
  const id = intern?.id ?? '';
  const send: TestProgram['send'] = async (method, path, body, headers = {}) => {
    const over = new AbortController();
    if (!patient) host.later(1, () => over.abort(new Error('nothing came any more')));
    const init = {
      method,
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: over.signal,
    };
    return host.watched(({ url }) => fetch(url, init))(new Request(`${target.base_url}${path}`));
  };
  const turn = (body: Record<string, unknown>) =>
    send('POST', `/interns/${id}/chat/completions`, { stream: true, approval_mode: 'manual', ...body });
  return {
    id,
    send,
    chat: (prompt, more = {}) => turn({ messages: [{ role: 'user', content: prompt }], ...more }),
    answer: ({ session, call }, content) =>
      turn({
        session_id: session,
        messages: [
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: call?.id, content },
        ],
      }),
  };
}
