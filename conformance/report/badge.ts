import type { Results } from '../run/results.js';
import { headlineOf } from './words/coverage.js';

/** The JSON that shields.io reads from an endpoint (https://shields.io/badges/endpoint-badge). */
interface Badge {
  readonly schemaVersion: 1;
  readonly label: string;
  readonly message: string;
  readonly color: string;
  readonly isError?: true;
}

const COLOURS = { pass: 'brightgreen', fail: 'red', incomplete: 'yellow' } as const;

/** The verdict as a badge: an endpoint of shields.io (KIT-13). */
export function badge(results: Results): string {
  const { options, target, verdict } = results;
  const { checked, of, verdict: said } = headlineOf(results);
  const what = target.kind === 'client' ? 'client lab' : 'interns interface';
  const content: Badge = {
    schemaVersion: 1,
    label: options.requirements === undefined ? what : `${what} ${options.requirements}`,
    message: `${said}, ${checked} of ${of} checked`,
    color: COLOURS[verdict],
    ...(verdict === 'fail' ? { isError: true } : {}),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
