import { variable } from '../framework/needs.js';
import type { Exchange } from '../probe/exchange.js';
import type { CredentialName } from '../probe/request.js';

/** A word of a command line as a shell takes it. */
export const quote = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Words of a command line as a shell takes them. */
export const commandLine = (words: readonly string[]): string => words.map(quote).join(' ');

/** A command of this package that a reader can copy: a project that has it installed finds it by `npx` alone. */
export const ownCommand = (name: 'intern-conformance' | 'intern-emulator', words: readonly string[] = []): string =>
  commandLine(['npx', name, ...words]);

/** A request as a curl command; credentials stand as their environment variables. */
export function curl(exchange: Exchange): string {
  const { method, url, headers, body } = exchange.request;
  const parts = ['curl', '-i', '-N'];
  if (method === 'HEAD') parts.push('--head');
  else if (method !== 'GET' || body !== undefined) parts.push('-X', method);
  for (const [name, value] of Object.entries(headers)) {
    const as = /^Bearer \[([a-z_]+)\]$/.exec(value)?.[1];
    if (name === 'authorization' && as !== undefined && as !== 'redacted') {
      parts.push('-H', `"authorization: Bearer $${variable(as as CredentialName)}"`);
    } else parts.push('-H', quote(`${name}: ${value}`));
  }
  // Else curl says that it is a form.
  if (body !== undefined && !Object.keys(headers).some((name) => name.toLowerCase() === 'content-type'))
    parts.push('-H', 'content-type:');
  if (body !== undefined) parts.push('--data-raw', quote(body));
  parts.push(quote(url));
  return parts.join(' ');
}

/** The command line that does one check again. */
export function replayCommand(options: {
  readonly command: string;
  readonly id: string;
  readonly seed: string;
  readonly runs: number;
  readonly path?: { readonly name: string; readonly path: string };
}): string {
  const parts = [
    options.command,
    '--only',
    quote(options.id),
    '--seed',
    quote(options.seed),
    '--runs',
    String(options.runs),
  ];
  if (options.path !== undefined) parts.push('--path', quote(`${options.path.name}:${options.path.path}`));
  return parts.join(' ');
}
