import type { Driver } from '../drivers/driver.js';
import { startEmulator } from '../drivers/emulator.js';
import { runChecks } from '../engine/runner.js';
import type { Check } from '../framework/check.js';
import type { Need } from '../framework/needs.js';
import type { Host } from '../probe/time.js';
import { counted } from '../reporters/counted.js';
import { lackText } from '../reporters/words/need.js';
import type { Settings } from './settings.js';

export interface PlanOptions {
  readonly settings: Settings;
  readonly driver: Driver;
  readonly checks: readonly Check[];
  readonly host: Host;
}

/**
 * What a run would send, write and skip. The numbers come from a rehearsal: the same checks, with the needs that the
 * target meets, against an emulator in this process. Nothing is sent to the target.
 */
export async function plan({ settings, driver, checks, host }: PlanOptions): Promise<string> {
  const rehearsal = await startEmulator({
    host,
    tag: host.tag(4),
    readOnly: settings.readOnly,
    profile: driver.target.profile,
  });
  const controlled = driver.control !== undefined;
  try {
    const results = await runChecks({
      driver: { ...rehearsal.driver, lacks: (need) => driver.lacks(need) ?? rehearsal.driver.lacks(need) },
      checks,
      runs: settings.runs ?? (controlled ? 100 : 1),
      rate: 0,
      readOnly: settings.readOnly,
      ...(settings.seed === undefined ? {} : { seed: settings.seed }),
      host,
    });
    const sent = new Map(results.checks.map((check) => [check.id, check.requests]));
    const rate = settings.rate ?? (controlled ? 0 : 5);
    const lines = [
      `Plan for ${driver.target.baseUrl} (${driver.target.kind}, profile ${driver.target.profile.name})`,
      '',
    ];
    const missing = new Map<Need, { why: string; ids: string[] }>();
    for (const check of checks) {
      const needs = check.level === 'C' ? (['control', ...check.needs] as const) : check.needs;
      const lacking = needs.map((need) => driver.lacks(need)).find((lack) => lack !== undefined);
      if (lacking === undefined) {
        const writes = check.needs.some((need) => need === 'write' || need === 'running' || need === 'own_key');
        lines.push(
          `  run   ${check.id}  ${check.requirement} ${check.level}  about ${sent.get(check.id) ?? 0} requests${writes ? ', writes' : ''}`,
        );
      } else {
        const entry = missing.get(lacking.need) ?? { why: lackText(lacking), ids: [] };
        entry.ids.push(check.id);
        missing.set(lacking.need, entry);
      }
    }
    for (const [need, { why, ids }] of missing) {
      lines.push('', `  skip  ${ids.length} that need ${need}: ${why}`, ...ids.map((id) => `        ${id}`));
    }
    const pace = rate > 0 ? `, at ${rate} a second ${Math.ceil(results.requests / rate)} s` : '';
    lines.push(
      '',
      `About ${counted(results.requests, 'request')}${pace}. Creates and deletes about ${counted(results.cleanup.created, 'intern')}, whose names begin with k, four characters and a hyphen.`,
      'The numbers are of a rehearsal against an emulator in this process; boots and waits of a deployment come on top.',
      'Nothing was sent to the target.',
      '',
    );
    return lines.join('\n');
  } finally {
    await rehearsal.close();
  }
}
