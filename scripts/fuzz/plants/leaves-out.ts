// A defect for the fuzzers' own test: no list has an intern.
import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { seesFirst } from './planted.js';

seesFirst(Server, (name, request, response) => {
  const { method, url = '', headers } = name === 'request' ? (request as IncomingMessage) : {};
  if (method !== 'GET' || !/walked\/api\/v1\/interns(\?|$)/.test(url)) return false;
  const id = String(headers?.['x-request-id'] ?? '');
  (response as ServerResponse)
    .writeHead(200, {
      'content-type': 'application/json',
      'x-request-id': /^[\w.:-]{1,128}$/.test(id) ? id : 'planted',
    })
    .end('{"data":[],"has_more":false}');
  return true;
});
