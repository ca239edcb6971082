// A defect for the fuzzers' own test: an answer that is not HTTP ends the process that passes it on.
import { ClientRequest } from 'node:http';

const emit = ClientRequest.prototype.emit;
ClientRequest.prototype.emit = function (this: ClientRequest, ...given: Parameters<typeof emit>) {
  const [name, error] = given as unknown[];
  if (name === 'error' && String(error).includes('Parse Error'))
    setImmediate(() => {
      throw new Error('planted');
    });
  return emit.apply(this, given);
} as typeof emit;
