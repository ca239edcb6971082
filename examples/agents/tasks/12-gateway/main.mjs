// A gateway before the service, on a free port: it passes each request on, and prints its address first.
import { createServer } from 'node:http';

const { origin, pathname } = new URL(process.env.INTERN_BASE_URL);
const OWN = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect']);

const server = createServer(async (request, response) => {
  try {
    const body = [];
    for await (const piece of request) body.push(piece);
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !OWN.has(name)));
    const answer = await fetch(origin + request.url, {
      method: request.method,
      headers,
      redirect: 'manual',
      ...(body.length > 0 && { body: Buffer.concat(body) }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
    response.flushHeaders();
    for await (const piece of answer.body ?? []) response.write(piece);
    response.end();
  } catch {
    response.destroy();
  }
});

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}${pathname}`));
