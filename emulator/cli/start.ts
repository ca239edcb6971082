import { UsageError } from '../../conformance/cli/arguments.js';
import { textOfFile } from '../contract/file.js';
import { given as defined } from '../contract/given.js';
import { inWords } from '../contract/system-error.js';
import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  OptionError,
  ScriptInvalid,
  StoreError,
  UnusableKey,
} from '../index.js';
import type { ListenAt } from '../serving/listening.js';
import { isKeyText } from '../signing/keys.js';
import type { GivenFlags } from './flags.js';

export interface Started {
  emulator: Emulator;
  at: ListenAt;
}

const readKey = (given: string): string => (isKeyText(given) ? given : textOfFile(given, `signing key ${given}`));

/** @throws UsageError for a flag that would do nothing, because another is missing */
function refuseIdle({ pace, replay, replayElse, data, fsync }: GivenFlags): void {
  const idle = [
    [pace === 'recorded' && !replay, '--pace recorded: only --replay has a recorded pace'],
    [replayElse && !replay, '--replay-else: only --replay has requests that were not recorded'],
    [fsync && !data, '--fsync: only --data writes to a disk'],
  ].find(([is]) => is);
  if (idle) throw new UsageError(String(idle[1]));
}

export function optionsOf(
  given: GivenFlags,
  observers: Pick<EmulatorOptions, 'log' | 'onRequest' | 'judge'>,
): EmulatorOptions {
  refuseIdle(given);
  const settings = {
    turns_per_minute: given.turnsPerMinute,
    interaction_deadline: given.interactionDeadline,
    execution_deadline: given.executionDeadline,
    keepalive: given.keepalive,
    proof_window: given.proofWindow,
    // A replay has a pace of its own, by default the recorded one.
    pace: given.pace === 'recorded' ? undefined : given.pace,
  };
  return defined({
    data: given.data,
    fsync: given.fsync,
    seedFile: given.seedFile,
    seed: given.seed,
    profile: given.profile,
    clock: given.clock,
    scriptFiles: given.scripts,
    regionalHosts: given.regionalHost,
    allowHosts: given.allowHost,
    cors: given.cors,
    publicUrl: given.publicUrl,
    publicDaemonUrl: given.publicDaemonUrl,
    settings: defined(settings),
    controlToken: given.controlToken,
    signingKey: given.signingKey === undefined ? undefined : readKey(given.signingKey),
    oidcIssuer: given.oidcIssuer,
    oidcAudience: given.oidcAudience,
    requireV2: given.requireV2,
    matches: given.matches,
    chaos: given.chaos,
    spaceIdle: given.spaceIdle,
    maxSpaces: given.maxSpaces,
    replay: given.replay && {
      files: given.replay,
      ...(given.replayElse === undefined ? {} : { otherwise: given.replayElse }),
      ...(given.pace === undefined ? {} : { pace: given.pace }),
    },
    agentsMayRun: given.agentsMayRun,
    checks: async () => (await import('../../conformance/cli/checks.js')).CHECKS,
    disturbances: async () => (await import('../../conformance/habits/harmless/index.js')).HARMLESS,
    ...observers,
  });
}

/**
 * Errors whose message is for the person who chose the settings. Any other error is our mistake and is shown in full.
 */
const SETTING_ERRORS = [OptionError, StoreError, ScriptInvalid];

function explained(error: unknown, given: GivenFlags): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof UnusableKey)
    return new UsageError(`signing key ${given.signingKey}: ${error.message}`, { cause: error });
  if (SETTING_ERRORS.some((kind) => error instanceof kind)) return new UsageError(error.message, { cause: error });
  const { syscall, code } = error as NodeJS.ErrnoException;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo' && code !== 'ERR_SOCKET_BAD_PORT') return error;
  const forDaemons = (error as { listener?: string }).listener === 'daemons';
  const { port = given.port ?? 4683 } = error as { port?: number };
  const flag = forDaemons ? '--daemon-port' : '--port';
  if (code === 'EADDRINUSE') {
    const purpose = forDaemons ? 'the intern daemons' : 'the interface';
    return new UsageError(`Port ${port} is in use (needed for ${purpose}). Choose another with ${flag}.`, {
      cause: error,
    });
  }
  const where = `${given.host ?? '127.0.0.1'} port ${port}`;
  return new UsageError(`cannot listen on ${where}: ${inWords(error)}; see --host and ${flag}`, { cause: error });
}

/**
 * Makes an emulator of the settings and lets it listen.
 *
 * @throws UsageError for a setting that cannot be used
 */
export async function start(given: GivenFlags, logging: Pick<EmulatorOptions, 'log' | 'onRequest'>): Promise<Started> {
  let emulator: Emulator | undefined;
  try {
    const judge = given.judge === true ? (await import('../../conformance/cli/checks.js')).createTraffic : undefined;
    emulator = createEmulator(optionsOf(given, defined({ ...logging, judge })));
    const place = defined({ host: given.host, port: given.port, daemonPort: given.daemonPort, tls: given.tls });
    return { emulator, at: await emulator.listen({ ...place, replaceGlobals: true }) };
  } catch (error) {
    await emulator?.close();
    throw explained(error, given);
  }
}
