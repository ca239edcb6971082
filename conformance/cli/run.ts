import { checks } from '../checks/index.js';
import { runChecks } from '../engine/runner.js';
import { atTarget, chosen, concluded, connected } from './engine.js';
import { makeFolders } from './folders.js';
import type { Io } from './io.js';
import { plan } from './plan.js';
import { saveFindings } from './save.js';
import type { Settings } from './settings.js';
import { given } from './values.js';

/** Does a run as requested and returns its exit code. */
export async function runCommand(settings: Settings, io: Io): Promise<number> {
  const selected = chosen(checks, settings);
  if (settings.plan) {
    io.out(
      await connected(settings, io, (driver) => plan({ settings, driver, checks: selected, host: io.host }), {
        look: false,
      }),
    );
    return 0;
  }
  makeFolders(settings);
  return concluded(settings, io, async (options) => {
    const { budget, maxPrompts, path, requirements, runs, seed } = settings;
    const more = { ...options, checks, ...given({ budget, maxPrompts, path, requirements, runs, seed }) };
    const results = await atTarget(settings, io, (target) => runChecks({ ...target, ...more }));
    if (settings.save !== undefined) saveFindings(settings.save, results);
    return results;
  });
}
