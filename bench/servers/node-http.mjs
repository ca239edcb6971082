// Bare node:http that answers every request with the given events, each written as it is.
import { createServer } from 'node:http';

const events = JSON.parse(process.argv[2]);
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    for (const event of events) response.write(event);
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })));
