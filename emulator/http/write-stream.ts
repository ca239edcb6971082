import type { ServerResponse } from 'node:http';
import type { EventStream } from '../sse/stream.js';

/**
 * Writes a stream to a response whose head was written. The opening leaves with the head, so that a client learns at
 * once that it is answered. The rest follows when requests that came meanwhile have had their turn. The connection's
 * end is the client's disconnect.
 */
export function writeStream(stream: EventStream, response: ServerResponse): void {
  let opened = false;
  const want = () => {
    try {
      flow.want();
    } catch (error) {
      response.destroy(error as Error);
    }
  };
  const flow = stream.open({
    opensAlone: true,
    write(written) {
      const room = response.write(written);
      if (!room) response.once('drain', want);
      else if (!opened) setImmediate(want);
      const goesOn = room && opened;
      opened = true;
      return goesOn;
    },
    end: () => void response.end(),
    fail: (error) => void response.destroy(error as Error),
  });
  if (response.destroyed) return void flow.gone();
  response.once('close', () => flow.gone());
  want();
  if (!opened) response.flushHeaders();
}
