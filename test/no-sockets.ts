import net from 'node:net';

/**
 * The setup of the project `unit`: a test that opens a socket fails. Such a test belongs to the project `socket`, as
 * does one that starts processes, and its file is named `*.socket.test.ts`.
 */
function refused(what: string): never {
  throw new Error(`a unit test ${what}: name its file *.socket.test.ts`);
}

net.Server.prototype.listen = () => refused('listens');
net.Socket.prototype.connect = () => refused('connects');
