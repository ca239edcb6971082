interface Chunk {
  choices?: { delta?: Delta | null; finish_reason?: string | null }[];
  usage?: unknown;
  session_id?: string;
}
interface Delta {
  content?: string | null;
  tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: string } }[];
}

/** Joins chunks as the user of an SDK does who gets only chunks; calls count once the answer has finished. */
export function accumulate() {
  const chat = {
    content: '',
    finish_reason: null as string | null,
    usage: null as unknown,
    session_id: undefined as string | undefined,
  };
  const calls = new Map<number, { id: string | null; name: string | null; arguments: string }>();
  return {
    add(given: unknown): void {
      const chunk = given as Chunk;
      chat.usage = chunk.usage ?? chat.usage;
      chat.session_id = chunk.session_id ?? chat.session_id;
      const choice = chunk.choices?.[0];
      chat.content += choice?.delta?.content ?? '';
      chat.finish_reason = choice?.finish_reason ?? chat.finish_reason;
      for (const delta of choice?.delta?.tool_calls ?? []) {
        const call = calls.get(delta.index ?? 0) ?? { id: null, name: null, arguments: '' };
        calls.set(delta.index ?? 0, call);
        call.id = delta.id || call.id;
        call.name = delta.function?.name || call.name;
        call.arguments += delta.function?.arguments ?? '';
      }
    },
    chat: () => ({
      ...chat,
      tool_calls: chat.finish_reason === null ? [] : [...calls].sort(([a], [b]) => a - b).map(([, call]) => call),
    }),
  };
}
