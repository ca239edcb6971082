import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Notices disconnects that Node does not report. A client that closes only its half of the connection still gets plain
 * answers. Its stream ends, because such a client looks the same as one that is gone.
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
    /** Tells an answer that waits behind another one when the connection ends. Node does not. */
    queued(socket: Socket, response: ServerResponse) {
      let responses = waiting.get(socket);
      if (!responses) {
        responses = new Set();
        waiting.set(socket, responses);
        const left = responses;
        socket.once('close', () => {
          // Node does this only to the answer that is being sent.
          for (const one of left) Object.assign(one, { destroyed: true }).emit('close');
        });
      }
      responses.add(response);
      response.once('close', () => waiting.get(socket)?.delete(response));
    },
  };
}
