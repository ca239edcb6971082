import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}`,
  apiKey: process.env.INTERN_API_KEY,
  maxRetries: 0, // by default it repeats 408, 409, 429 and 5xx twice
});

/** Prints what the intern says; returns what it asks, if anything, and the session to answer in. */
async function send(body) {
  const stream = await client.chat.completions.create({ model: 'any', stream: true, ...body });
  let asked;
  let session;
  for await (const chunk of stream) {
    const delta = chunk.choices?.[0]?.delta; // an event of an unknown type has no choices
    process.stdout.write(delta?.content ?? '');
    asked = delta?.tool_calls?.[0] ?? asked;
    session = chunk.session_id ?? session; // on the final chunk, which has no choices
  }
  return { asked, session };
}

const prompt = { role: 'user', content: 'script: ask-permission' };
const { asked, session } = await send({ messages: [prompt], approval_mode: 'manual' });
const { operation, options } = JSON.parse(asked.function.arguments);
console.log(`\n${operation}? ${options.join(', ')}`);

await send({
  session_id: session,
  messages: [
    prompt,
    { role: 'assistant', content: null, tool_calls: [asked] },
    { role: 'tool', tool_call_id: asked.id, content: 'allow_once' },
  ],
});
