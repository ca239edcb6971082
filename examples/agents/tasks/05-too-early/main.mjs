// Makes an intern, and gives it its first prompt: node main.mjs NAME "a prompt"
import { randomUUID } from 'node:crypto';

const { INTERN_BASE_URL: base, INTERN_API_KEY: key, INTERN_WORKSPACE_ID: workspace_id } = process.env;
const [, , name, prompt] = process.argv;

async function send(path, body, headers = {}) {
  const response = await fetch(`${base}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response;
}

const create = await send('/interns', { name, workspace_id, provision: true }, { 'idempotency-key': randomUUID() });
const { id } = await create.json();
const reply = await send(`/interns/${id}/chat/completions`, {
  stream: true,
  messages: [{ role: 'user', content: prompt }],
});
for (const line of (await reply.text()).split('\n'))
  if (line.startsWith('data: {'))
    for (const { delta } of JSON.parse(line.slice('data: '.length)).choices) process.stdout.write(delta.content ?? '');
console.log();
