import { Unmet } from '../framework/assert.js';
import type { ChatInput, Ctx } from '../framework/context.js';
import { NoAnswer } from '../probe/no-answer.js';
import { createReply } from '../probe/reply.js';
import { acceptable } from './acceptable.js';
import type { RunContext } from './run-context.js';

/** The chat requests of one check: `chat` and `answer` of its context. */
export function createConversation(run: RunContext, check: string, open: Ctx['open']): Pick<Ctx, 'chat' | 'answer'> {
  const { driver, host, obstacles, pool } = run;

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
    const path = `/interns/${encodeURIComponent(id)}/chat/completions`;
    const answer = await open({ ...options, method: 'POST', path, json }).catch((error: unknown) => {
      // Nothing, not even a keepalive: what waits on a stream would wait as long and as vainly.
      if (driver.control === undefined && error instanceof NoAnswer && error.kind === 'timeout')
        obstacles.met('streaming', check, 'a prompt was answered with nothing, not even a keepalive');
      throw error;
    });
    return createReply(answer, {
      toolName: driver.target.profile.tool_name,
      host,
      timeout: run.settings.streamTimeout,
      scripted: driver.control !== undefined,
      trouble: () => obstacles.met('chat', check),
      asked() {
        pool.asked = true;
      },
    });
  };

  return {
    chat,
    async answer(id, asked, content, { approval_mode, ...rest } = {}) {
      const call = asked.toolCalls[0];
      if (call?.id === undefined || asked.sessionId === undefined) {
        const why = `the stream asked nothing that could be answered (finish_reason ${asked.finish})`;
        throw new Unmet('a question', why, 'intern');
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
      return chat(id, { messages, session_id: asked.sessionId, ...mode }, rest);
    },
  };
}
