// A backend with the proxy helper of Hono, on the port that is its own in each run, and a front end that asks it.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { proxy } from 'hono/proxy';

const app = new Hono();
app.post('/chat', async (c) =>
  proxy(`${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: await c.req.text() }] }),
  }),
);
const server = serve({ fetch: app.fetch, port: 37_871 });
const response = await fetch('http://localhost:37871/chat', { method: 'POST', body: 'one two three' });
if (!response.ok) throw new Error(`${response.status}`);
const text = await response.text();
if (!text.includes('"finish_reason":"stop"')) throw new Error('the reply was cut');
server.close();
