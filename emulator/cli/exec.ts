import { readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { MOST_USED, toggle, UsageError } from '../../conformance/cli/arguments.js';
import { spawn } from '../contract/spawn.js';
import { inWords } from '../contract/system-error.js';
import type { Target } from '../index.js';
import type { ListenAt } from '../serving/listening.js';
import type { CommandModule } from './command.js';
import { createLogging, flushAtEnd } from './logging.js';
import { parentGone } from './parent.js';
import { flagTable, resolveSettings } from './settings.js';
import { start } from './start.js';
import { warmUp } from './warm-up.js';

/** The flag of commands that run another one. */
export const ALL_VARIABLES = {
  all: toggle("All INTERN_ variables, those of SCIM and of others' workspaces too"),
};

/** The names of variables that only tests of other people's credentials and of SCIM need. */
const RARE = /^INTERN_(?:PEER_OAUTH|OAUTH_INTERNS_ONLY|FOREIGN_(?!API_KEY)|SCIM)/;

/** The variables of a command that runs beside an emulator: `all` of them, or those that most commands need. */
export function environmentOf(target: Target, at: ListenAt, all = false): Record<string, string> {
  const { intern, ...credentials } = target.credentials;
  const values: Record<string, string | undefined> = {
    INTERN_BASE_URL: at.baseUrl,
    INTERN_CONTROL_URL: at.controlUrl,
    INTERN_DAEMON_ORIGIN: at.daemonOrigin,
    INTERN_CA_FILE: at.caFile,
    INTERN_PROFILE: target.profile,
    INTERN_CLOCK: target.clock,
    INTERN_WORKSPACE_ID: target.workspace_id,
    INTERN_FOREIGN_WORKSPACE_ID: target.foreign_workspace_id,
    INTERN_OAUTH_SUBJECT: target.oauth_subject,
    INTERN_PEER_OAUTH_SUBJECT: target.peer_oauth_subject,
    INTERN_SCIM_MAPPING_ID: target.scim_mapping_id,
    INTERN_SCIM_GROUP_ID: target.scim_group_id,
    INTERN_FOREIGN_ORGANIZATION_WORKSPACE_ID: target.foreign_organization_workspace_id,
    INTERN_FOREIGN_SCIM_GROUP_ID: target.foreign_scim_group_id,
    INTERN_FOREIGN_SCIM_MAPPING_ID: target.foreign_scim_mapping_id,
    INTERN_INTERN_ID: intern?.id,
    INTERN_OWN_KEY: intern?.api_key,
  };
  for (const [name, value] of Object.entries(credentials)) values[`INTERN_${name.toUpperCase()}`] = value;
  return Object.fromEntries(
    Object.entries(values).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && (all || !RARE.test(entry[0])),
    ),
  );
}

/** The variable that lets a command of Node's trust the emulator, beside the authorities that it trusts already. */
function trusting(caFile: string | undefined, { NODE_EXTRA_CA_CERTS: others }: NodeJS.ProcessEnv) {
  if (caFile === undefined) return {};
  if (others === undefined) return { NODE_EXTRA_CA_CERTS: caFile };
  // In the folder of the authority's own file, and gone with it.
  const both = caFile.replace(/ca\.pem$/, 'ca-and-others.pem');
  try {
    writeFileSync(both, `${readFileSync(others, 'utf8')}\n${readFileSync(caFile, 'utf8')}`);
  } catch {
    // Node only warns of a file that it cannot read.
    return { NODE_EXTRA_CA_CERTS: caFile };
  }
  return { NODE_EXTRA_CA_CERTS: both };
}

/** Signals that are meant for the command. A Ctrl-C at a terminal reaches it without us. */
const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGINT'] as const;

/** Runs a command to its end, or until `gone`. Resolves with its exit status, as a shell would report it. */
function runCommand(
  command: readonly string[],
  gone: Promise<void> | undefined,
  env: NodeJS.ProcessEnv,
  stderr: (text: string) => void,
): Promise<number> {
  const [file = '', ...args] = command;
  return new Promise((resolve) => {
    // Before the command starts: it may announce itself, and a signal may follow before we go on.
    for (const signal of PASSED_ON) {
      process.on(signal, () => {
        if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
      });
    }
    const child = spawn(file, args, { stdio: 'inherit', env });
    // The process that started it is gone.
    void gone?.then(() => child.kill('SIGTERM'));
    child.once('error', (error: NodeJS.ErrnoException) => {
      const what = error.code === 'ENOENT' ? 'command not found' : inWords(error);
      stderr(`intern-emulator: ${file}: ${what}\n`);
      resolve(error.code === 'ENOENT' ? 127 : 126);
    });
    child.once('exit', (status, signal) => {
      resolve(status ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

/** `intern-emulator exec -- <command>`: an emulator for as long as a command runs. */
const exec: CommandModule = {
  flags: {
    ...flagTable({ port: 'a free one', daemonPort: 'a free one', clock: 'auto' }),
    all: { ...ALL_VARIABLES.all, group: MOST_USED },
  },
  async run({ argv, rest, io }) {
    if (rest.length === 0) throw new UsageError('exec: give the command after --, as in: exec -- npm test');
    const given = { port: 0, clock: 'auto' as const, ...resolveSettings(argv, io) };
    // Standard error belongs to the command, unless the log is requested. It only gets what may keep the command
    // waiting.
    const least = given.logFormat === undefined && given.quiet !== true ? 'warn' : undefined;
    const logging = createLogging(io, given, least);
    flushAtEnd(logging);
    const { emulator, at } = await start(given, logging.options);
    try {
      const token = given.controlToken === undefined ? {} : { INTERN_CONTROL_TOKEN: given.controlToken };
      const gone = parentGone(given.exitWithParent, io);
      void warmUp();
      const own = environmentOf(emulator.target, at, argv.all === true);
      return await runCommand(rest, gone, { ...io.env, ...trusting(at.caFile, io.env), ...own, ...token }, io.err);
    } finally {
      await emulator.close();
      logging.flush();
    }
  },
};

export default exec;
