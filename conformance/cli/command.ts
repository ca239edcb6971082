import { readFileSync } from 'node:fs';
import type { Argv } from 'yargs';
import yargs from 'yargs';
import { suggestion } from '../../emulator/contract/nearest.js';
import { inWords } from '../../emulator/contract/system-error.js';
import { CREDENTIAL_NAMES, type CredentialName } from '../probe/request.js';
import { REPORT_KINDS } from '../reporters/index.js';
import { readResults } from '../reporters/json.js';
import { visible } from '../reporters/stream-text.js';
import { MergeError, merge } from '../run/merge.js';
import { UsageError } from '../run/usage.js';
import { KIT_VERSION } from '../run/version.js';
import { cleanupCommand } from './cleanup.js';
import { driftCommand, driftTargets } from './drift.js';
import { FACTS, type Fact } from './files.js';
import { deliver, type Io, runCommand } from './run.js';
import { readSettings } from './settings.js';

const dashed = (name: string) => name.replaceAll('_', '-');

/** What the kit may be told of a target, for the help. */
const GIVEN: Readonly<Record<CredentialName | Fact, string>> = {
  api_key: 'API key that the kit works with',
  peer_api_key: 'API key of another caller of that workspace',
  foreign_api_key: 'API key of a caller of another workspace',
  outsider_api_key: 'API key of a caller outside the programme',
  management_key: 'key for SCIM',
  oauth_token: 'OAuth token with vault:read, of the same person as the API key',
  oauth_interns_only_token: 'OAuth token without vault:read',
  peer_oauth_token: 'OAuth token with vault:read of the other caller',
  own_key: "an intern's own API key",
  workspace_id: 'workspace to create interns in',
  foreign_workspace_id: 'another workspace',
  oauth_subject: 'user that proofs name',
  peer_oauth_subject: 'the same of the other caller',
  scim_mapping_id: 'a SCIM group mapping that is there',
  own_intern_id: 'intern that the own key is of',
  regional_host: 'hostname that is refused as regional',
};

const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;
const list = (describe: string) => ({ type: 'string', array: true, nargs: 1, requiresArg: true, describe }) as const;

/** Flags of whatever sends to a target. Kept as text, so that one place judges them, wherever they come from. */
function targetFlags(argv: Argv): Argv {
  for (const name of [...CREDENTIAL_NAMES, ...(Object.keys(FACTS) as Fact[])])
    argv.option(dashed(name), {
      ...text(`${GIVEN[name]}; INTERN_${name.toUpperCase()}`),
      group: 'Credentials and facts:',
    });
  return argv
    .option('public-keys', { ...text('JWK set that proofs are verified with'), group: 'Credentials and facts:' })
    .option('control-token', { ...text("token of an emulator's control interface"), group: 'Credentials and facts:' })
    .option('config', text('JSON file with any of these settings, in snake_case, and prompts'))
    .option('profile', text('svc, openrouter, or a profile file'))
    .option('read-only', { type: 'boolean', describe: 'create, change and delete nothing' })
    .option('rate', text('requests per second, 0 for no limit (5 without a control interface)'))
    .option('max-requests', text('stop after so many'))
    .option('timeout', text('longest wait for an answer (10s; at a deployment at least 40s after a write or a prompt)'))
    .option('boot-timeout', text('longest wait for an intern to run (120s)'))
    .option('baseline', text('file of checks that are known to fail; entries that no longer do fail the run'))
    .option('update-baseline', { type: 'boolean', describe: 'write what fails now into --baseline' })
    .option('plan', { type: 'boolean', describe: 'say what would be sent, written and skipped, and send nothing' })
    .option('report', list(`${REPORT_KINDS.join(', ')}, each with =FILE or to standard output; may be repeated`))
    .option('control', {
      type: 'boolean',
      default: undefined,
      describe: "use an emulator's control interface where there is one (--no-control: treat it as a deployment)",
    })
    .option('ledger-dir', text('where ledgers of created interns are kept (.intern-conformance)'));
}

/** Flags of a run of checks. */
const flags = (argv: Argv): Argv =>
  targetFlags(argv)
    .option('only', list('ids of checks or requirements, * for anything; may be repeated'))
    .option('skip', list('the same, left out'))
    .option('level', list('stated, published, chosen'))
    .option('runs', text('runs of each property (100 with a control interface, 1 without)'))
    .option('seed', text('seed of everything generated'))
    .option('path', text('NAME:PATH of a counterexample, as a finding tells it'))
    .option('slow', text('longest real wait, such as 90s or 6m (default none)'))
    .option('concurrency', text('checks done at a time (4; always 1 with a control interface, whose clock they share)'))
    .option('max-time', text('stop after so long, such as 10m'))
    .option('shard', text('i/n: the i-th of n parts'))
    .option('min-coverage', text('percent of the checks that have to come to a verdict, else exit 3'))
    .option('save', text('folder for a script per finding that sends its requests again'));

/** Flags under their names in snake case, without yargs' own spellings. */
function given(args: Record<string, unknown>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    if (value !== undefined && !/[A-Z$]/.test(name) && name !== '_') found[name.replaceAll('-', '_')] = value;
  }
  return found;
}

const textOf = (file: string) => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`report ${file} cannot be read: ${inWords(error)}`);
  }
};

const readReport = (file: string) => {
  const text = textOf(file);
  try {
    return readResults(text, file);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

/** yargs' words for a flag that is not there, with the nearest of those that its help names. */
function improved(message: string, args: readonly string[], help: string): string {
  if (/^Not enough non-option/.test(message)) {
    if (args[0] === 'cleanup') return 'cleanup: name the run, as its end or its ledger does, as in: cleanup k3v9';
    return 'report merge: name the reports to merge, as in: report merge shards/*.json';
  }
  const without = /^Not enough arguments following: (.+)/.exec(message)?.[1];
  if (without !== undefined) return `--${without}: expected a value after it`;
  const unknown = /^Unknown arguments?: ([^,]+)/.exec(message)?.[1];
  if (unknown === undefined) return message;
  if (args.includes(unknown)) {
    const commands = [...help.matchAll(/^ {2}intern-\w+(?: conformance)? ([a-z]+)/gm)].map(([, word = '']) => word);
    // A misspelt command is taken for the address of a target: the word after it is the first that is in the way.
    const [first = unknown] = args.filter((arg) => !arg.startsWith('-'));
    const word = suggestion(first, commands) === '' ? unknown : first;
    return `there is no command ${JSON.stringify(word)}${suggestion(word, commands)}`;
  }
  const flags = [...help.matchAll(/^ +(?:-\w, )?--([a-z][a-z-]*)/gm)].map(([, flag = '']) => flag);
  return `there is no flag --${unknown}${suggestion(unknown, flags, (flag) => `--${flag}`)}`;
}

/**
 * The command line of the kit: a run, `report merge`, `cleanup`. Answers the exit code: 0 conforms, 1 does not, 2 called
 * wrongly, 3 incomplete. `name` is how it was called.
 */
export async function conformance(words: readonly string[], io: Io, name = 'intern-conformance'): Promise<number> {
  let exit = 0;
  // What stands after `--` is the command of an adapter, and none of ours to parse.
  const dashes = words.indexOf('--');
  const args = dashes === -1 ? words : words.slice(0, dashes);
  const adapter = dashes === -1 ? [] : words.slice(dashes + 1);
  const parser = yargs([...args])
    .scriptName(name)
    .usage(
      '$0 [url]\n\nTells whether a deployment keeps the interface. Without a URL: the emulator, on a virtual clock.',
    )
    .command(
      '$0 [url]',
      false,
      (argv) => flags(argv).positional('url', { type: 'string', describe: 'base address, ending in /api/v1' }),
      async (found) => {
        exit = await runCommand(readSettings(given(found), io.env), io);
      },
    )
    .command('report', 'work with JSON reports', (argv) =>
      argv
        .command(
          'merge <files..>',
          'one report out of those of the shards of a run',
          (inner) =>
            inner
              .positional('files', { type: 'string', array: true })
              .option('report', { type: 'string', array: true, nargs: 1 }),
          (found) => {
            const settings = readSettings({ report: found.report }, {});
            const merged = merge((found.files ?? []).map(readReport));
            deliver(merged, settings, io);
            exit = merged.exit;
          },
        )
        .demandCommand(1, 'report: expected merge'),
    )
    .command(
      'drift [words..]',
      'compare a target with recordings of another: drift FILE… [URL]',
      (argv) =>
        targetFlags(argv).positional('words', {
          type: 'string',
          array: true,
          describe: 'recordings, and a base address',
        }),
      async (found) => {
        const { words, ...rest } = found;
        const { files, url } = driftTargets((words ?? []).map(String));
        exit = await driftCommand(files, readSettings(given({ ...rest, url }), io.env), io);
      },
    )
    .command(
      'client',
      'run a client through the cases of the lab: client [options] -- COMMAND of its adapter (docs/lab.md)',
      (argv) =>
        argv
          .option('only', {
            type: 'string',
            array: true,
            nargs: 1,
            requiresArg: true,
            describe: 'ids of cases, * for anything; may be repeated',
          })
          .option('skip', { type: 'string', array: true, nargs: 1, requiresArg: true, describe: 'the same, left out' })
          .option('cuts', {
            type: 'string',
            requiresArg: true,
            describe: 'few (default), all or none: where bodies are divided',
          })
          .option('seed', { type: 'string', requiresArg: true, describe: 'seed of the cuts left to chance' })
          .option('shard', { type: 'string', requiresArg: true, describe: 'i/n: the i-th of n parts' })
          .option('baseline', { type: 'string', requiresArg: true, describe: 'file of cases that are known to fail' })
          .option('update-baseline', { type: 'boolean', describe: 'write what fails now into --baseline' })
          .option('report', {
            type: 'string',
            array: true,
            nargs: 1,
            requiresArg: true,
            describe: `${REPORT_KINDS.join(', ')}, each with =FILE or to standard output; may be repeated`,
          }),
      async (found) => {
        const { cuts, ...rest } = given(found);
        const { clientCommand } = await import('./client.js');
        exit = await clientCommand(readSettings(rest, {}), cuts, adapter, io);
      },
    )
    .command(
      'cleanup <run>',
      'take away what a run left behind',
      (argv) =>
        flags(argv).positional('run', { type: 'string' }).option('url', {
          type: 'string',
          describe:
            'address of the run, or another one; a credential is sent to no address that the ledger alone names',
        }),
      async (found) => {
        const { run, ...rest } = found;
        exit = await cleanupCommand(
          String(run),
          readSettings(given(rest), { ...io.env, INTERN_BASE_URL: undefined }),
          io,
        );
      },
    )
    .parserConfiguration({
      'duplicate-arguments-array': true,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .strict()
    .version(KIT_VERSION)
    .help()
    .locale('en')
    .wrap(Math.min(110, io.width))
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new UsageError(message);
    });
  try {
    let printed = '';
    await parser.parseAsync([...args], {}, (_error, _found, output) => {
      printed = output;
    });
    if (printed !== '') io.out(`${printed}\n`);
    return exit;
  } catch (error) {
    if (
      error instanceof UsageError ||
      error instanceof MergeError ||
      (error instanceof Error && error.name === 'YError')
    ) {
      const help = await parser.getHelp();
      const said = improved(error.message, args, help);
      io.err(`${name}: ${visible(said).replace(/\s*\n\s*/g, ' ')}\n`);
      return 2;
    }
    io.err(`${name}: ${visible(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`);
    return 3;
  }
}
