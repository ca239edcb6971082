import { ask } from './client.mjs';

const { INTERN_BASE_URL: origin, INTERN_INTERN_ID: id, INTERN_API_KEY: key } = process.env;
const body = { stream: true, messages: [{ role: 'user', content: process.argv[2] }] };
const { content } = await ask({ base: `${origin}/interns/${id}`, key, body, signal: AbortSignal.timeout(10_000) });
console.log(content);
