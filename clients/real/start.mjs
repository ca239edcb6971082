// The start of a client of this folder: bundled with its file into the folder where its package is installed.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { adapt } from '../adapters/adapter.ts';

function versionOf({ package: name, version }) {
  if (name !== undefined) return JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version;
  if (version === undefined) return process.version;
  const [command, ...args] = version;
  return /\d+\.\d+[\w.-]*/.exec(execFileSync(command, args, { encoding: 'utf8' }))[0];
}

/** Answers the kit with a client of this folder (docs/clients.md, "Your own client"). */
export async function start({ client, name, load }) {
  const version = versionOf(client);
  const { layers, abilities = [] } = client;
  await adapt({ adapter: client.title ?? name, version, layers, abilities }, await load());
}
