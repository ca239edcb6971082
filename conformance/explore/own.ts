import type { Journaled } from '../../emulator/contract/journal-entry.js';
import { SHIPPED } from '../framework/profile.js';
import { createTraffic } from '../judge/traffic.js';

/**
 * Holds what the emulator of a run answered against the rules.
 *
 * @throws Error for a breach: it is a defect of ours, and no app is blamed by it
 */
export function keepsRules(entries: readonly Journaled[], profile: string): void {
  const named = SHIPPED[profile];
  if (named === undefined) return;
  const judge = createTraffic(named, true);
  for (const entry of entries) {
    const [breach] = judge(entry).broken;
    // The effect of a fault says nothing of the emulator.
    if (breach === undefined || entry.injected !== undefined) continue;
    const { rule, what, expected, actual } = breach;
    const { method, url } = entry.request;
    throw new Error(
      `the emulator broke ${rule}: ${what} of ${method} ${new URL(url).pathname}: ${actual}, not ${expected}`,
    );
  }
}
