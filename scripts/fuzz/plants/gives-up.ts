// A defect for the fuzzers' own test: an answer that is not HTTP ends the process that passes it on.
import { ClientRequest } from 'node:http';
import { die, seesFirst } from './planted.js';

seesFirst(ClientRequest, (name, error) => {
  if (name === 'error' && String(error).includes('Parse Error')) die();
  return false;
});
