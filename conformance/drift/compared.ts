import { MOMENTS } from '../../emulator/recording/template.js';

/**
 * The parts of an answer that drift compares: docs/recordings.md names them too. Of a field that is not listed here, only the type is
 * compared.
 */

/** Keys whose values must be equal, anywhere in a body. `a.b` is the key `b` directly below the key `a`. */
export const COMPARED_VALUES: ReadonlySet<string> = new Set([
  'code',
  'reason',
  'retryable',
  'object',
  'finish_reason',
  'type',
  'function.name',
  'kind',
  'operation',
  'options',
  'hosts',
  'status',
  'role',
  'deleting',
  'provisioning',
  'suspended',
  'deleted',
]);

/** Keys of an intern's record that the requests wrote: what was written must be read. */
export const WRITTEN_SETTINGS: readonly string[] = ['name', 'description', 'instructions', 'model'];

/**
 * The parts of an intern's record that change by themselves: a read that differs in nothing else is sent again. So is one that misses a
 * member of a list, or still finds an intern that is torn down.
 */
export const MENDED_BY_TIME: ReadonlySet<string> = new Set(['status', 'progress', 'hostname']);

/** The statuses of a boot. How long it stays in each is not compared. */
const ON_THE_WAY: ReadonlySet<unknown> = new Set(['queued', 'provisioning']);
const OF_A_BOOT: ReadonlySet<unknown> = new Set(['queued', 'provisioning', 'running', 'failed']);

/** Whether the live status may stand for the recorded one: both belong to the same boot. */
export const isSameBoot = (recorded: unknown, live: unknown): boolean =>
  ON_THE_WAY.has(recorded) && OF_A_BOOT.has(live);

const MADE_ANEW: ReadonlySet<string> = new Set(['key', 'token', 'signature']);

/**
 * Whether an alias is a credential: a service may make it anew for each answer, and it is never shown. Credentials that
 * a variable names have no number.
 */
export function isSecret(alias: string): boolean {
  const [kind = '', number] = alias.split('.');
  return number === undefined ? !MOMENTS.has(kind) : MADE_ANEW.has(kind);
}

/** How a header of the contract is compared, and of which answers. */
interface ComparedHeader {
  /** `value`: whole; `media-type`: without parameters; `present`: whether it is there. */
  readonly how: 'value' | 'media-type' | 'present';
  readonly of: 'all' | 'successes';
}

export const COMPARED_HEADERS: Readonly<Record<string, ComparedHeader>> = {
  'content-type': { how: 'media-type', of: 'all' },
  'cache-control': { how: 'value', of: 'successes' },
  'retry-after': { how: 'present', of: 'all' },
  allow: { how: 'present', of: 'all' },
  deprecation: { how: 'present', of: 'all' },
  link: { how: 'present', of: 'all' },
};

/**
 * Answers that come from the deployment's condition at that moment, not from its rules. An emulator is never in that
 * condition.
 */
export const OF_THE_HOUR: Readonly<Record<number, string>> = {
  408: 'it took too long',
  429: 'its limiter was full',
  500: 'it failed',
  503: 'it was busy',
  504: 'an intern took too long',
};

/** Reasons of a state that counts, with any status. */
const OF_A_STATE = /"reason":"(?:intern_|interaction_|not_|invalid_|bad_|name_|idempotency_)/;

/** The deployment's condition that an answer reports, or undefined if it comes from its rules. */
export const ofTheHour = ({
  status,
  body,
}: {
  readonly status: number;
  readonly body?: unknown;
}): string | undefined => (OF_A_STATE.test(JSON.stringify(body ?? '')) ? undefined : OF_THE_HOUR[status]);
