/** Vercel's AI SDK with one of its providers: `provider` makes the model of a run. */
export const byAi = (streamText, provider) => async (run, answer, tell, limits) => {
  const chat = { content: '', tool_calls: [], finish_reason: null, usage: null };
  answer.chat = chat;
  const { fullStream } = streamText({
    model: provider(run.base_url, run.headers.authorization.replace('Bearer ', '')),
    prompt: 'hello',
    abortSignal: limits.signal,
    // Each chunk as it came, beside what is made of it.
    includeRawChunks: true,
    ...(run.retries === 0 ? { maxRetries: 0 } : {}),
    // The log of the library is returned as the answer.
    onError: () => {},
  });
  let chunks = 0;
  for await (const part of fullStream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') throw new Error('aborted');
    if (part.type === 'tool-call') {
      const text = part.invalid && typeof part.input === 'string' ? part.input : JSON.stringify(part.input);
      chat.tool_calls.push({ id: part.toolCallId, name: part.toolName, arguments: text });
    }
    if (part.type === 'finish') {
      const reason = part.rawFinishReason ?? part.finishReason;
      const names = { 'tool-calls': 'tool_calls', 'content-filter': 'content_filter' };
      chat.finish_reason = ['unknown', 'other'].includes(reason) ? null : (names[reason] ?? reason);
      const { inputTokens, outputTokens, totalTokens } = part.totalUsage;
      if (inputTokens !== undefined)
        chat.usage = { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: totalTokens };
    }
    if (part.type === 'text-delta') chat.content += part.text;
    if (part.type !== 'raw') continue;
    tell({});
    if (++chunks === run.stop_after) break;
  }
};
