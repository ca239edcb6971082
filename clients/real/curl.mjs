// curl -N, its stream read with eventsource-parser.
import { writeFileSync } from 'node:fs';
import { byCommand } from './by-command.mjs';
import { requestOf, withParser } from './by-fetch.mjs';

export const client = {
  versions: ['installed'],
  version: ['curl', '--version'],
  with: withParser,
  layers: ['sse', 'chat'],
  abilities: ['idle', 'abort', 'h2', 'br'],
  needs: { command: ['curl', '--version'], get: 'apt-get install curl' },
};

export default async () =>
  byCommand((run) => {
    const { url, headers } = requestOf(run);
    if (run.ca !== undefined) writeFileSync('ca.pem', run.ca);
    return [
      ...['curl', '-sSN', '--compressed', '--data-binary', '@-'],
      '-i',
      ...(run.ca === undefined ? [] : ['--cacert', 'ca.pem']),
      ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
      url,
    ];
  });
