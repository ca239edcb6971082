import { OpenRouter } from '@openrouter/sdk';

const sdk = new OpenRouter({
  serverURL: process.env.INTERN_BASE_URL,
  apiKey: process.env.INTERN_API_KEY,
  retryConfig: { strategy: 'none' }, // by default it repeats a 5xx for up to an hour
});
const { data } = await sdk.interns.listInterns({});
console.log(data.map((intern) => `${intern.name}: ${intern.status}`).join('\n'));

/** Prints what the intern says; returns what it asks, if anything, and the session to answer in. */
async function send(body) {
  const { result } = await sdk.interns.chat({
    internId: process.env.INTERN_INTERN_ID,
    internChatCompletionRequest: { stream: true, ...body },
  });
  let asked;
  let session;
  for await (const chunk of result) {
    const delta = chunk.choices[0]?.delta;
    process.stdout.write(delta?.content ?? '');
    asked = delta?.toolCalls?.[0] ?? asked;
    session = chunk.sessionId ?? session; // on the final chunk, which has no choices
  }
  return { asked, session };
}

const prompt = { role: 'user', content: 'script: ask-permission' };
const { asked, session } = await send({ messages: [prompt], approvalMode: 'manual' });
console.log(`\n${asked.function.name}: ${asked.function.arguments}`);

await send({
  sessionId: session,
  messages: [
    prompt,
    { role: 'assistant', content: null, toolCalls: [asked] },
    { role: 'tool', toolCallId: asked.id, content: 'allow_once' },
  ],
});
