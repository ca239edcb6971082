// Bare node:http that answers every request with the given events, chunk by chunk. With "turns" each write leaves by
// itself, as from a source that yields one event after another. Without, all are written in one turn of the event loop,
// and Node gathers them into one system call.
import { createServer } from 'node:http';

const { events, turns } = JSON.parse(process.argv[2]);
const turn = () => new Promise((resolve) => setImmediate(resolve));
const server = createServer((request, response) => {
  request.resume();
  request.on('end', async () => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    for (const event of events) {
      response.write(event);
      if (turns) await turn();
    }
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })));
