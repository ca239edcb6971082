// A defect for the fuzzers' own test: a request for a path with two dots ends the process.
import { type IncomingMessage, Server } from 'node:http';
import { die, seesFirst } from './planted.js';

seesFirst(Server, (name, request) => {
  if (name === 'request' && (request as IncomingMessage).url?.includes('..')) die();
  return false;
});
