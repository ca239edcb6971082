import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { mustStream, readEvents, requestOf } from './by-fetch.mjs';

/**
 * A client in another language, in one process that serves all calls at a port of this machine. A call is a connection: a
 * line of JSON goes there (the request, and `ca`, a file, where the lab speaks TLS), and lines come back: `status` and
 * `type`, `bytes` in base64, `error`. An abort closes the connection.
 */
export const bySocket = (port) => async (run, answer, _, limits) => {
  limits.signal.throwIfAborted();
  if (run.ca !== undefined) writeFileSync('ca.pem', run.ca);
  const socket = connect({ host: '127.0.0.1', port, signal: limits.signal });
  socket.write(`${JSON.stringify({ ...requestOf(run), ...(run.ca === undefined ? {} : { ca: 'ca.pem' }) })}\n`);
  const body = async function* () {
    for await (const line of createInterface(socket)) {
      const { bytes, error, status, type } = JSON.parse(line);
      if (error !== undefined) throw new Error(error);
      if (status !== undefined) mustStream(status, type);
      limits.alive();
      if (bytes !== undefined) yield Buffer.from(bytes, 'base64');
    }
    limits.signal.throwIfAborted();
  };
  try {
    await readEvents(body(), run, answer, limits);
  } finally {
    socket.destroy();
  }
};
