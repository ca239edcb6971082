// A defect for the fuzzers' own test: a request for a path with two dots ends the process.
import { Server } from 'node:http';

const emit = Server.prototype.emit;
Server.prototype.emit = function (this: Server, ...given: Parameters<typeof emit>) {
  const [name, request] = given as unknown[];
  if (name === 'request' && String((request as { url?: string }).url).includes('..'))
    setImmediate(() => {
      throw new Error('planted');
    });
  return emit.apply(this, given);
} as typeof emit;
