// Debian's python3-httpx, its stream read with eventsource-parser.
import { writeFileSync } from 'node:fs';
import { byCommand } from './by-command.mjs';
import { requestOf, withParser } from './by-fetch.mjs';

const PYTHON = '/usr/bin/python3';

export const client = {
  title: 'httpx (Python)',
  versions: ['installed'],
  version: [PYTHON, '-c', 'import httpx; print(httpx.__version__)'],
  with: withParser,
  layers: ['sse', 'chat'],
  abilities: ['idle', 'abort', 'h2'],
  needs: { command: [PYTHON, '-c', 'import httpx, h2'], get: 'apt-get install python3-httpx python3-h2' },
};

export default async () =>
  byCommand((run) => {
    const { url, headers } = requestOf(run);
    if (run.ca !== undefined) writeFileSync('ca.pem', run.ca);
    const script = new URL('../../../clients/real/read_httpx.py', import.meta.url).pathname;
    return [PYTHON, script, url, JSON.stringify(headers), ...(run.ca === undefined ? [] : ['ca.pem'])];
  });
