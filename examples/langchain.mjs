import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { concat } from '@langchain/core/utils/stream';
import { ChatOpenAI } from '@langchain/openai';

const session = `langchain-${Date.now()}`; // a session of your own naming: LangChain hands out no chunk that has one
const model = (options) =>
  new ChatOpenAI({
    model: 'any',
    apiKey: process.env.INTERN_API_KEY,
    configuration: { baseURL: `${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}` },
    streaming: true, // replies are streamed only; without it, `invoke` is refused with 400
    maxRetries: 0,
    modelKwargs: { session_id: session, ...options },
  });

const prompt = new HumanMessage('script: ask-permission');
let asked;
for await (const chunk of await model({ approval_mode: 'manual' }).stream([prompt]))
  asked = asked === undefined ? chunk : concat(asked, chunk);
const [call] = asked.tool_calls;
console.log(asked.content, `\n${call.args.operation}? ${call.args.options.join(', ')}`);

const answer = new ToolMessage({ tool_call_id: call.id, content: 'allow_once' });
for await (const chunk of await model({}).stream([prompt, asked, answer])) process.stdout.write(chunk.content);
