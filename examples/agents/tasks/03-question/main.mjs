// Talks to an intern, and allows what it asks for: node main.mjs "a prompt"
const { INTERN_BASE_URL: base, INTERN_INTERN_ID: id, INTERN_API_KEY: key } = process.env;

/** Sends messages and prints what comes back; the question that the intern asks, if it asks one. */
async function talk(messages, session) {
  const response = await fetch(`${base}/interns/${id}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, approval_mode: 'manual', session_id: session, messages }),
  });
  if (!response.ok) throw new Error(`the service says ${response.status}`);
  let call;
  let rest = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      const chunk = JSON.parse(line.slice('data: '.length));
      session = chunk.session_id ?? session;
      for (const { delta, finish_reason } of chunk.choices) {
        process.stdout.write(delta.content ?? '');
        for (const part of delta.tool_calls ?? []) {
          call ??= { id: part.id, type: 'function', function: { name: part.function.name, arguments: '' } };
          call.function.arguments += part.function.arguments ?? '';
        }
        if (finish_reason === 'tool_calls') return { call, session };
      }
    }
  }
}

let asked = await talk([{ role: 'user', content: process.argv[2] }]);
while (asked) {
  const { call, session } = asked;
  const answer = { role: 'tool', tool_call_id: call.id, content: 'allow_once' };
  asked = await talk([{ role: 'assistant', content: null, tool_calls: [call] }, answer], session);
}
console.log();
