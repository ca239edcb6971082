import { OpenRouter } from '@openrouter/sdk';

const sdk = new OpenRouter({
  serverURL: process.env.INTERN_BASE_URL,
  apiKey: process.env.INTERN_API_KEY,
  retryConfig: { strategy: 'none' }, // by default it repeats a 5xx for up to an hour
});
const { data } = await sdk.interns.listInterns({});
console.log(data.map((intern) => `${intern.name}: ${intern.status}`).join('\n'));
