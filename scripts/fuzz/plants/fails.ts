// A defect for the fuzzers' own test: calls of snapshots fail.
import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { seesFirst } from './planted.js';

seesFirst(Server, (name, request, response) => {
  if (name !== 'request' || !(request as IncomingMessage).url?.startsWith('/_emulator/snapshots')) return false;
  (response as ServerResponse).writeHead(500).end('{"error":{"code":500,"message":"planted"}}');
  return true;
});
