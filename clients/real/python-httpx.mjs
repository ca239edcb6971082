// Debian's python3-httpx (its AsyncClient), its stream read with eventsource-parser.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { withParser } from './by-fetch.mjs';
import { bySocket } from './by-socket.mjs';

const PYTHON = '/usr/bin/python3';

export const client = {
  title: 'httpx (Python)',
  versions: ['installed'],
  version: [PYTHON, '-c', 'import httpx; print(httpx.__version__)'],
  with: withParser,
  layers: ['sse', 'chat'],
  abilities: ['idle', 'abort', 'h2'],
  note: 'Ran on a busy machine: `abort-twice` failed in one of three runs, `abort-h2` in all of them.',
  needs: { command: [PYTHON, '-c', 'import httpx, h2'], get: 'apt-get install python3-httpx python3-h2' },
};

export default async () => {
  const script = new URL('../../../clients/real/read_httpx.py', import.meta.url).pathname;
  const server = spawn(PYTHON, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = Number(await once(server.stdout, 'data'));
  return bySocket(port);
};
