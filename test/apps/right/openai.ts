import OpenAI from 'openai';
import type { ChatCompletionCreateParamsStreaming, ChatCompletionMessageFunctionToolCall } from 'openai/resources';
import type { App } from '../app.js';
import { APPROVAL, approveWith, IDLE, limited, type Turn } from './sdk.js';

type Call = ChatCompletionMessageFunctionToolCall;

/**
 * `openai`. It sends a request twice more by itself, one that got no answer too, and a prompt may have been acted on:
 * `maxRetries: 0`. A stream that ends early ends without an error: the reply is looked at. Events of types that it does
 * not know are passed on as chunks: `choices` may be missing.
 */
export const OPENAI: readonly App[] = [
  {
    id: 'openai',
    what: 'answers a question with the client of OpenAI',
    run(context) {
      const { target, fetch, signal } = context;
      const client = new OpenAI({
        baseURL: `${target.base_url}/interns/${target.credentials.intern?.id}`,
        apiKey: target.credentials.api_key,
        maxRetries: 0,
        timeout: IDLE,
        fetch,
      });
      return approveWith<Call>(context, async (question) => {
        const body = {
          model: 'any',
          stream: true,
          ...(question === undefined
            ? { messages: [{ role: 'user', content: APPROVAL }], approval_mode: 'manual' }
            : {
                session_id: question.session,
                messages: [
                  { role: 'assistant', content: null, tool_calls: [question.asked] },
                  { role: 'tool', tool_call_id: question.asked.id, content: 'allow_once' },
                ],
              }),
        } as ChatCompletionCreateParamsStreaming;
        const stream = await client.chat.completions.create(body, { signal });
        const turn: Turn<Call> = { text: '' };
        for await (const chunk of limited(stream, () => stream.controller.abort())) {
          const choice = chunk.choices?.[0];
          turn.text += choice?.delta.content ?? '';
          turn.finish = choice?.finish_reason ?? turn.finish;
          turn.asked = (choice?.delta.tool_calls?.[0] as Call | undefined) ?? turn.asked;
          turn.session = (chunk as { session_id?: string }).session_id ?? turn.session;
        }
        return turn;
      });
    },
  },
];
