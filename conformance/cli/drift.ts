import { existsSync, rmSync } from 'node:fs';
import { drift } from '../drift/drift.js';
import { driftPlan } from '../drift/plan.js';
import { readRecordings } from '../drift/recordings.js';
import { connect } from '../drivers/connect.js';
import { UsageError } from '../framework/usage.js';
import { visible } from '../reporters/stream-text.js';
import { readBaseline, writeBaseline } from './baseline.js';
import { folder, makeFolders } from './folders.js';
import { deliver, type Io, ledgerFile } from './run.js';
import type { Settings } from './settings.js';

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
  const { url, readOnly, timeout, bootTimeout, rate, maxRequests } = settings;
  const exchanges = readRecordings(files, (message) => io.err(visible(`${message}\n`)));
  const known = settings.baseline === undefined ? undefined : readBaseline(settings.baseline, settings.updateBaseline);
  if (settings.plan) {
    io.out(visible(driftPlan({ exchanges, url, readOnly })));
    return 0;
  }
  makeFolders(settings);
  const tag = host.tag(4);
  const { driver, close } = await connect({ settings, host, tag, look: true, env: io.env, signal: io.signal });
  try {
    const ledger = url === undefined || readOnly ? undefined : ledgerFile(settings.ledgerDir, tag);
    if (ledger !== undefined) folder(`--ledger-dir ${settings.ledgerDir}`, settings.ledgerDir);
    const results = await drift({
      driver,
      host,
      exchanges,
      tag,
      readOnly,
      ...(timeout === undefined ? {} : { timeout }),
      ...(bootTimeout === undefined ? {} : { bootTimeout }),
      ...(rate === undefined ? {} : { rate }),
      ...(maxRequests === undefined ? {} : { maxRequests }),
      ...(ledger === undefined ? {} : { ledgerPath: ledger }),
      signal: io.signal,
      ...(settings.failOn === undefined ? {} : { failOn: settings.failOn }),
      ...(known === undefined || settings.updateBaseline ? {} : { baseline: known }),
      command: ['intern-conformance drift', ...files, ...(url === undefined ? [] : [url])].join(' '),
    });
    // Nothing is left that a later clean-up would need it for.
    if (ledger !== undefined && results.cleanup.failed.length === 0 && existsSync(ledger)) rmSync(ledger);
    deliver(results, settings, io);
    if (!settings.updateBaseline || settings.baseline === undefined) return results.exit;
    writeBaseline(settings.baseline, known ?? [], results);
    io.err(`baseline written to ${settings.baseline}\n`);
    return results.exit === 1 ? 0 : results.exit;
  } finally {
    await close();
  }
}
