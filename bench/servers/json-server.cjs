// json-server 0.17 over the same intern, with its defaults but for the request log, which it writes to the terminal.
const jsonServer = require('json-server');

const intern = JSON.parse(process.argv[2]);
const server = jsonServer.create();
server.use(jsonServer.defaults({ logger: false }));
server.use(jsonServer.router({ interns: [intern] }));
const listening = server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${listening.address().port}` }));
});
