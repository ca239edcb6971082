// Bare Hono routes on @hono/node-server: one makes two Ed25519 signatures, one verifies two. They check nothing else.
import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const privateKey = createPrivateKey(JSON.parse(process.argv[2]));
const publicKey = createPublicKey(privateKey);
const app = new Hono();

app.post('/sign', async (c) => {
  const { bodySha256, route } = await c.req.json();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = createHash('sha256').update(bodySha256).digest('base64url').slice(0, 22);
  const v1 = ['intern', timestamp, 'user', bodySha256].join('\n');
  const v2 = ['intern', timestamp, nonce, 'user', route.method, route.path, bodySha256].join('\n');
  return c.json({
    'x-svc-invoke-signature': sign(null, Buffer.from(v1), privateKey).toString('base64'),
    'x-svc-invoke-timestamp': timestamp,
    'x-svc-invoke-user': 'user',
    'x-svc-invoke-signature-v2': sign(null, Buffer.from(v2), privateKey).toString('base64'),
    'x-svc-invoke-nonce': nonce,
  });
});

app.post('/api/invoke', async (c) => {
  const body_sha256 = createHash('sha256')
    .update(Buffer.from(await c.req.arrayBuffer()))
    .digest('hex');
  const [intern, timestamp, user, nonce] = [
    'x-intern',
    'x-svc-invoke-timestamp',
    'x-svc-invoke-user',
    'x-svc-invoke-nonce',
  ].map((name) => c.req.header(name));
  const v1 = [intern, timestamp, user, body_sha256].join('\n');
  const v2 = [intern, timestamp, nonce, user, 'POST', '/api/invoke', body_sha256].join('\n');
  const ok =
    verify(null, Buffer.from(v1), publicKey, Buffer.from(c.req.header('x-svc-invoke-signature'), 'base64')) &&
    verify(null, Buffer.from(v2), publicKey, Buffer.from(c.req.header('x-svc-invoke-signature-v2'), 'base64'));
  return ok
    ? c.json({ ok: true, verified: { intern, timestamp, user, nonce, body_sha256 } })
    : c.json({ ok: false }, 401);
});

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (at) => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${at.port}` }));
});
