import { runConformance } from '../../conformance/index.js';
import { isRecord } from '../../emulator/contract/record.js';
import type { RunningEmulator } from './emulator.js';
import { Broken } from './law.js';

/** A space that no raw request names. */
const SPACE = 'walked';

/**
 * Walks over the rows of the kit in a space of its own: whatever else the emulator meets meanwhile, every answer is as the rules say.
 *
 * @throws Broken with the smallest walk that shows it
 */
export async function walkIn({ control }: RunningEmulator, seed: number): Promise<void> {
  const made: unknown = await (
    await control('/_emulator/spaces', 'POST', { name: SPACE, clock: 'virtual', seed: `${seed}` })
  ).json();
  const url = isRecord(made) && isRecord(made.target) ? String(made.target.base_url) : '';
  try {
    const { checks } = await runConformance({ url, only: ['walk/interface'], seed: `${seed}`, runs: 1 });
    for (const { finding, error } of checks) {
      if (error !== undefined) throw new Error(error.message);
      if (finding !== undefined)
        throw new Broken(
          'every answer is as the rules say',
          `${finding.what}: expected ${finding.expected}, got ${finding.actual}, after ${finding.property?.counterexample}`,
        );
    }
  } finally {
    await control(`/_emulator/spaces/${SPACE}`, 'DELETE').catch(() => {});
  }
}
