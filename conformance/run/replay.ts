import { commandLine, curlParts, folded, shellWord } from '../../emulator/contract/pasted.js';
import { variable } from '../model/target.js';
import type { ShownExchange } from '../probe/evidence.js';
import type { CredentialName } from '../probe/request.js';

/** A command of this package that a reader can copy: a project that has it installed finds it by `npx` alone. */
export const ownCommand = (name: 'intern-conformance' | 'intern-emulator', words: readonly string[] = []): string =>
  commandLine(['npx', name, ...words]);

/** A request as a curl command, with environment variables for credentials. */
export function curl({ request }: ShownExchange): string {
  const { authorization = '', ...headers } = request.headers;
  const as = /^Bearer \[([a-z_]+)\]$/.exec(authorization)?.[1];
  const credential = as === undefined || as === 'redacted' ? undefined : variable(as as CredentialName);
  const sent = { ...request, headers: credential === undefined ? request.headers : headers, credential };
  return folded(curlParts(sent, ['-i', '-N']));
}

/** The command line that repeats one check. */
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
    shellWord(options.id),
    '--seed',
    shellWord(options.seed),
    '--runs',
    String(options.runs),
  ];
  if (options.path !== undefined) parts.push('--path', shellWord(`${options.path.name}:${options.path.path}`));
  return parts.join(' ');
}
