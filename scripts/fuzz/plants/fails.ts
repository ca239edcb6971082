// A defect for the fuzzers' own test: calls of snapshots fail.
import { Server, type ServerResponse } from 'node:http';

const emit = Server.prototype.emit;
Server.prototype.emit = function (this: Server, ...given: Parameters<typeof emit>) {
  const [name, request, response] = given as unknown[];
  if (name !== 'request' || !String((request as { url?: string }).url).startsWith('/_emulator/snapshots'))
    return emit.apply(this, given);
  (response as ServerResponse).writeHead(500).end('{"error":{"code":500,"message":"planted"}}');
  return true;
} as typeof emit;
