// LangChain's ChatOpenAI.
export const client = {
  package: '@langchain/openai',
  versions: ['0.6.17', '1.6.0'],
  with: { '@langchain/core': '1' },
  layers: ['chat'],
  abilities: ['abort'],
  note: 'It cannot send a body of the lab’s.',
};

export default async () => {
  const { HumanMessage } = await import('@langchain/core/messages');
  const { ChatOpenAI } = await import('@langchain/openai');
  return async (run, answer, tell, { aborted, signal }) => {
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
        tool_calls: calls.map(({ id, name, args }) => ({
          id: id ?? null,
          name: name ?? null,
          arguments: typeof args === 'object' ? JSON.stringify(args) : (args ?? ''),
        })),
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
      for await (const chunk of await model.stream([new HumanMessage('hello')], { signal })) {
        whole = whole === undefined ? chunk : whole.concat(chunk);
        tell({});
        if (++chunks === run.stop_after) break;
      }
      if (aborted()) throw new Error('aborted');
    } finally {
      put();
    }
  };
};
