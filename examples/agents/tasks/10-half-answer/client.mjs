/** Sends one prompt, and answers the reply. Throws an error that has the status of a refusal. */
export async function ask({ base, key, body, signal }) {
  const response = await fetch(`${base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw Object.assign(new Error(`refused: ${await response.text()}`), { status: response.status });
  const reply = { content: '', finish_reason: null, usage: null };
  let rest = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split(/\r?\n/);
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith('data:')) continue;
      const data = line.slice('data:'.length).trim();
      if (data === '[DONE]') return reply;
      const chunk = JSON.parse(data);
      reply.usage = chunk.usage ?? reply.usage;
      reply.session_id = chunk.session_id ?? reply.session_id;
      for (const { delta, finish_reason } of chunk.choices ?? []) {
        reply.content += delta?.content ?? '';
        reply.finish_reason = finish_reason ?? reply.finish_reason;
      }
    }
  }
  return reply;
}
