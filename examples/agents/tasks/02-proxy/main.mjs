import { read } from './client.mjs';

const { INTERN_BASE_URL: base, INTERN_INTERN_ID: id, INTERN_API_KEY: key } = process.env;
const body = { stream: true, messages: [{ role: 'user', content: process.argv[2] }] };
for await (const data of read({ url: `${base}/interns/${id}/chat/completions`, key, body })) {
  if (data === '[DONE]') break;
  for (const { delta } of JSON.parse(data).choices) process.stdout.write(delta.content ?? '');
}
console.log();
