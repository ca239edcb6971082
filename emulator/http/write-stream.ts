import type { ServerResponse } from 'node:http';
import type { EventStream } from '../sse/stream.js';

/**
 * Writes a stream to a response whose head was written: at once what is there, the head alone where nothing is. The
 * connection's end is the client's disconnect.
 */
export function writeStream(stream: EventStream, response: ServerResponse): void {
  let begun = false;
  const flow = stream.open({
    write(written) {
      begun = true;
      const room = response.write(written);
      if (!room) response.once('drain', want);
      return room;
    },
    end: () => void response.end(),
    fail: (error) => void response.destroy(error as Error),
  });
  const want = () => {
    try {
      flow.want();
    } catch (error) {
      response.destroy(error as Error);
    }
  };
  if (response.destroyed) return void flow.gone();
  response.once('close', () => flow.gone());
  want();
  if (!begun) response.flushHeaders();
}
