import type { Journaled } from '../../emulator/contract/journal-entry.js';
import { shippedProfile } from '../../emulator/contract/profile.js';
import { createTraffic } from '../judge/traffic.js';

/** When an answer ended; of a request without one, when it came: it may have been done from then on. */
const endOf = ({ at, closed, ms }: Journaled): number =>
  closed === undefined ? Date.parse(at) + (ms ?? 0) : Date.parse(closed.at);

/**
 * Holds what the emulator of a run answered against the rules. The journal has requests as they came, and the rules judge answers as
 * they ended.
 *
 * @throws Error for a breach: it is a defect of ours, and no app is blamed by it
 */
export function keepsRules(entries: readonly Journaled[], profile: string): void {
  const named = shippedProfile(profile);
  if (named === undefined) return;
  let judge = createTraffic(named, true);
  for (const entry of entries.toSorted((one, other) => endOf(one) - endOf(other))) {
    // A disturbance may have changed the intern, or what was shown of it: nothing is known any more.
    if (entry.injected?.disturb !== undefined) {
      judge = createTraffic(named, true);
      continue;
    }
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
