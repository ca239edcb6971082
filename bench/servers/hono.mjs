// A bare Hono route on @hono/node-server that answers the same intern, and nothing else.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const intern = JSON.parse(process.argv[2]);
const app = new Hono();
app.get('/interns/:id', (c) => c.json(intern));
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (at) => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${at.port}` }));
});
