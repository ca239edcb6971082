import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { jsonSchema, streamText, tool } from 'ai';

const interns = createOpenAICompatible({
  name: 'interns',
  baseURL: `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}`,
  apiKey: process.env.INTERN_API_KEY,
});

/** One turn. What goes into `providerOptions.interns` goes into the body: `session_id`, `approval_mode`. */
async function turn(messages, options) {
  const result = streamText({
    model: interns('any'),
    messages,
    maxRetries: 0,
    // Without `execute`: the call is yours to answer.
    tools: { 'service.provide_input': tool({ inputSchema: jsonSchema({ type: 'object' }) }) },
    providerOptions: { interns: options },
    includeRawChunks: true, // `session_id` is on no part of the SDK's own
  });
  let asked;
  let session;
  for await (const part of result.fullStream) {
    if (part.type === 'text-delta') process.stdout.write(part.text);
    if (part.type === 'tool-call') asked = part;
    if (part.type === 'raw') session = part.rawValue.session_id ?? session;
    if (part.type === 'error') throw part.error;
  }
  return { asked, session, reply: (await result.response).messages };
}

const prompt = { role: 'user', content: 'script: ask-permission' };
const { asked, session, reply } = await turn([prompt], { approval_mode: 'manual' });
console.log(`\n${asked.input.operation}? ${asked.input.options.join(', ')}`);

const { toolCallId, toolName } = asked;
const answer = { type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: 'allow_once' } };
await turn([prompt, ...reply, { role: 'tool', content: [answer] }], { session_id: session });
