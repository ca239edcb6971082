// A defect for the fuzzers' own test: no list has an intern.
import { Server, type ServerResponse } from 'node:http';

const emit = Server.prototype.emit;
Server.prototype.emit = function (this: Server, ...given: Parameters<typeof emit>) {
  const [name, request, response] = given as unknown[];
  const { method, url } = (request ?? {}) as { method?: string; url?: string };
  if (name !== 'request' || method !== 'GET' || !/walked\/api\/v1\/interns(\?|$)/.test(String(url)))
    return emit.apply(this, given);
  (response as ServerResponse)
    .writeHead(200, { 'content-type': 'application/json' })
    .end('{"data":[],"has_more":false}');
  return true;
} as typeof emit;
