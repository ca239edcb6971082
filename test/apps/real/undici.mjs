// The example of `undici` for its agent that tries again: it reads its interns.
import { Agent, RetryAgent } from 'undici';

const agent = new RetryAgent(new Agent());
const { statusCode, body } = await agent.request({
  method: 'GET',
  origin: new URL(process.env.INTERN_BASE_URL).origin,
  path: `${new URL(process.env.INTERN_BASE_URL).pathname}/interns`,
  headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}` },
});
if (statusCode !== 200) throw new Error(`${statusCode}`);
const { data } = await body.json();
console.log(data.map(({ name }) => name).join());
