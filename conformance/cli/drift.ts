import { drift } from '../drift/drift.js';
import { connect } from '../drivers/connect.js';
import { UsageError } from '../run/usage.js';
import { knownOn, readBaseline, writeBaseline } from './baseline.js';
import { makeFolders } from './folders.js';
import { deliver, type Io } from './run.js';
import type { Settings } from './settings.js';

/** ms until the head of an answer has to be there, and that a repeated read may take. */
const TIMEOUT = 10_000;
const BOOT_TIMEOUT = 120_000;

/** The recordings and the address out of what was typed. */
export function driftTargets(words: readonly string[]): { files: string[]; url: string | undefined } {
  const urls = words.filter((word) => /^https?:\/\//.test(word));
  const files = words.filter((word) => !urls.includes(word));
  if (urls.length > 1) throw new UsageError(`drift: expected one URL, got ${urls.join(' and ')}`);
  if (files.length === 0)
    throw new UsageError('drift: name the recordings to compare with, as in: drift staging.jsonl');
  return { files, url: urls[0] };
}

/** `intern-conformance drift FILE… [URL]`: compares a target with recordings of another. Answers the exit code. */
export async function driftCommand(files: readonly string[], settings: Settings, io: Io): Promise<number> {
  const { host } = io;
  const known = settings.baseline === undefined ? undefined : readBaseline(settings.baseline, settings.updateBaseline);
  makeFolders(settings);
  const { driver, close } = await connect({
    settings,
    host,
    tag: host.tag(4),
    look: true,
    env: io.env,
    signal: io.signal,
  });
  try {
    const results = await drift({
      driver,
      host,
      files,
      timeout: settings.timeout ?? TIMEOUT,
      bootTimeout: settings.bootTimeout ?? BOOT_TIMEOUT,
      signal: io.signal,
      ...(known === undefined || settings.updateBaseline ? {} : { baseline: knownOn(known, io.host.now()) }),
      command: ['intern-conformance drift', ...files, ...(settings.url === undefined ? [] : [settings.url])].join(' '),
      warn: (message) => io.err(`${message}\n`),
    });
    deliver(results, settings, io);
    if (!settings.updateBaseline || settings.baseline === undefined) return results.exit;
    writeBaseline(settings.baseline, known ?? [], results);
    io.err(`baseline written to ${settings.baseline}\n`);
    return results.exit === 1 ? 0 : results.exit;
  } finally {
    await close();
  }
}
