import net from 'node:net';

/**
 * What the tests of the project `unit` run with: one that opens a socket fails. Such a test is of the project `socket`, as is
 * one that starts processes, and its file is named `*.socket.test.ts`.
 */
function refused(what: string): never {
  throw new Error(`a unit test ${what}: name its file *.socket.test.ts`);
}

net.Server.prototype.listen = () => refused('listens');
net.Socket.prototype.connect = () => refused('connects');
