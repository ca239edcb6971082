import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Notices disconnects that Node does not report. A client that closes its half of the connection gets the plain answers
 * it waits for. It has left a stream, since it cannot be distinguished from a client that is gone altogether.
 */
export function createDepartures() {
  const streaming = new WeakSet<Socket>();
  const waiting = new WeakMap<Socket, Set<ServerResponse>>();
  return {
    streams(socket: Socket, response: ServerResponse) {
      if (socket.readableEnded) return void socket.destroy();
      streaming.add(socket);
      response.once('close', () => streaming.delete(socket));
    },
    connected(socket: Socket) {
      socket.once('end', () => {
        if (streaming.has(socket)) socket.destroy();
      });
    },
    /** An answer that waits behind another one learns here that the connection has ended: Node does not tell it. */
    queued(socket: Socket, response: ServerResponse) {
      let responses = waiting.get(socket);
      if (!responses) {
        responses = new Set();
        waiting.set(socket, responses);
        const left = responses;
        socket.once('close', () => {
          // Node does the same to the answer that is being sent.
          for (const one of left) Object.assign(one, { destroyed: true }).emit('close');
        });
      }
      responses.add(response);
      response.once('close', () => waiting.get(socket)?.delete(response));
    },
  };
}
