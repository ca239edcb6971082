// Go's net/http, its stream read with eventsource-parser.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { byCommand } from './by-command.mjs';
import { requestOf, withParser } from './by-fetch.mjs';

export const client = {
  title: "Go's net/http",
  versions: ['installed'],
  version: ['go', 'env', 'GOVERSION'],
  with: withParser,
  layers: ['sse', 'chat'],
  abilities: ['idle', 'abort', 'h2'],
  needs: { command: ['go', 'version'], get: 'apt-get install golang-go' },
};

export default async () => {
  const source = new URL('../../../clients/real/net_http.go', import.meta.url).pathname;
  execFileSync('go', ['build', '-o', 'client', source]);
  return byCommand((run) => {
    const { url, headers } = requestOf(run);
    if (run.ca !== undefined) writeFileSync('ca.pem', run.ca);
    return ['./client', url, JSON.stringify(headers), ...(run.ca === undefined ? [] : ['ca.pem'])];
  });
};
