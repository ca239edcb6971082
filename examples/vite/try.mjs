// What a page does through the proxy of vite.config.mjs, and across origins without it.
import assert from 'node:assert/strict';
import { createServer } from 'vite';

const server = await createServer({ root: import.meta.dirname, server: { port: 0 }, logLevel: 'error' });
await server.listen();
const { port } = server.httpServer.address();
const origin = `http://localhost:${port}`;

const list = await (await fetch(`${origin}/api/v1/interns`)).json();
assert.equal(list.data[0].name, 'first-intern');

const reply = await fetch(`${origin}/api/v1/interns/${process.env.INTERN_INTERN_ID}/chat/completions`, {
  method: 'POST',
  body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: long' }] }),
});
let text = '';
for await (const piece of reply.body.pipeThrough(new TextDecoderStream())) text += piece;
assert.match(text, /data: \[DONE\]\n\n$/);

const direct = await fetch(`${process.env.INTERN_BASE_URL}/interns`, {
  headers: { origin, authorization: `Bearer ${process.env.INTERN_API_KEY}` },
});
assert.equal(direct.headers.get('access-control-allow-origin'), origin);

await server.close();
console.log('through the proxy, streamed, and across origins');
