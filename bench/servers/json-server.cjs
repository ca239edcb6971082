// json-server 0.17 over the same intern, with the defaults of its command: among them a line of log per request, which is
// written here to nowhere.
const { createWriteStream } = require('node:fs');
const jsonServer = require('json-server');
const morgan = require('morgan');

const intern = JSON.parse(process.argv[2]);
const server = jsonServer.create();
server.use(morgan('dev', { stream: createWriteStream('/dev/null') }));
server.use(jsonServer.defaults({ logger: false }));
server.use(jsonServer.router({ interns: [intern] }));
const listening = server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${listening.address().port}` }));
});
