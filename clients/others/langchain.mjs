// LangChain's ChatOpenAI.
import { HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { adapt } from '../adapters/adapter.ts';
import { versionOf } from './version.mjs';

await adapt(
  { adapter: '@langchain/openai', version: versionOf('@langchain/openai'), layers: ['chat'] },
  async (run, answer, tell) => {
    const model = new ChatOpenAI({
      model: 'lab/model',
      apiKey: run.headers.authorization.replace('Bearer ', ''),
      configuration: { baseURL: run.base_url },
      timeout: run.timeout,
      streaming: true,
      streamUsage: true,
      ...(run.retries === 0 ? { maxRetries: 0 } : {}),
    });
    let whole;
    const put = () => {
      const calls = whole?.response_metadata?.finish_reason ? (whole?.tool_call_chunks ?? []) : [];
      const usage = whole?.usage_metadata;
      answer.chat = {
        content: typeof whole?.content === 'string' ? whole.content : '',
        tool_calls: calls.map(({ id, name, args }) => ({ id: id ?? null, name: name ?? null, arguments: args ?? '' })),
        finish_reason: whole?.response_metadata?.finish_reason ?? null,
        usage: usage
          ? {
              prompt_tokens: usage.input_tokens,
              completion_tokens: usage.output_tokens,
              total_tokens: usage.total_tokens,
            }
          : null,
      };
    };
    let chunks = 0;
    try {
      for await (const chunk of await model.stream([new HumanMessage('hello')])) {
        whole = whole === undefined ? chunk : whole.concat(chunk);
        tell({});
        if (++chunks === run.stop_after) break;
      }
    } finally {
      put();
    }
  },
);
