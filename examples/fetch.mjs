const { INTERN_BASE_URL: base, INTERN_INTERN_ID: id, INTERN_API_KEY: key } = process.env;

/** One turn of a chat, without a library: the chunks as they come. */
async function* chat(body) {
  const response = await fetch(`${base}/interns/${id}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, ...body }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  let text = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (text + piece).split('\n\n');
    text = events.pop(); // the rest of it comes with the next piece
    for (const event of events) {
      // `: keepalive` is a comment. Read on to [DONE]: leaving earlier cancels the run.
      if (event.startsWith('data: {')) yield JSON.parse(event.slice('data: '.length));
    }
  }
}

let asked;
let session;
for await (const chunk of chat({ messages: [{ role: 'user', content: 'script: ask-question' }] })) {
  const delta = chunk.choices[0]?.delta;
  process.stdout.write(delta?.content ?? '');
  asked = delta?.tool_calls?.[0] ?? asked;
  session = chunk.session_id ?? session;
}
const { message, fields } = JSON.parse(asked.function.arguments);
console.log(`\n${message} ${JSON.stringify(fields)}`);

const content = JSON.stringify({ action: 'accept', content: { [fields[0].name]: fields[0].options?.[0] ?? 'blue' } });
const answer = [
  { role: 'assistant', content: null, tool_calls: [asked] },
  { role: 'tool', tool_call_id: asked.id, content },
];
for await (const chunk of chat({ session_id: session, messages: answer }))
  process.stdout.write(chunk.choices[0]?.delta.content ?? '');
