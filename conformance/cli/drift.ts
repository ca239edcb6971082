import { visible } from '../../emulator/contract/visible.js';
import { drift, scenariosOf } from '../drift/drift.js';
import { readRecordings } from '../drift/recordings.js';
import { UsageError } from '../framework/usage.js';
import { driftPlan } from './drift-plan.js';
import { atTarget, chosen, commandOf, concluded } from './engine.js';
import { makeFolders } from './folders.js';
import type { Io } from './io.js';
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
  const exchanges = readRecordings(files, (message) => io.err(visible(`${message}\n`)));
  const scenarios = chosen(scenariosOf(exchanges), settings, 'scenario').map(({ scenario }) => scenario);
  if (settings.plan) {
    io.out(visible(driftPlan({ scenarios, url: settings.url, readOnly: settings.readOnly })));
    return 0;
  }
  makeFolders(settings);
  const command = commandOf(settings, ['drift', ...files]);
  return concluded(settings, io, (options) =>
    atTarget(settings, io, (target) => drift({ ...target, ...options, exchanges, command })),
  );
}
