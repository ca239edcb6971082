// Bare node:http that opens a response to everything, writes one event, and leaves it open.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('data: {}\n\n');
});
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })));
