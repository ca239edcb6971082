import type { Clock } from '../../clock/clock.js';
import type { Random } from '../../clock/random.js';
import type { Bindings } from '../template.js';

export interface ValuesDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<Random, 'uuid' | 'token' | 'bytes'>;
  /** The origin of the emulator's own daemons. */
  daemonOrigin(): string;
}

/** How the values of an alias look here, by its kind. Any other is a UUID. */
const MADE: Readonly<Record<string, (deps: ValuesDeps) => string>> = {
  completion: ({ random }) => `chatcmpl-${random.uuid()}`,
  cursor: ({ random }) => random.bytes(12).toString('base64url'),
  daemon_origin: (deps) => deps.daemonOrigin(),
  fingerprint: ({ random }) => random.bytes(32).toString('hex'),
  hostname: ({ random }) => `intern-${random.uuid().slice(0, 8)}.interns.localhost`,
  key: ({ random }) => random.token('key-'),
  question: ({ random }) => `call_${random.uuid()}`,
  secret: ({ random }) => `secret_${random.bytes(4).toString('hex')}`,
  subject: ({ random }) => `subject-${random.uuid()}`,
  token: ({ random }) => random.token('tok-'),
};

/** The live value of an alias: the bound one, else a new one, which is bound from now on. */
export function liveValue(deps: ValuesDeps, bindings: Bindings, alias: string): string {
  if (alias === 'time') return new Date(deps.clock.now()).toISOString();
  if (alias === 'unix') return String(Math.floor(deps.clock.now() / 1_000));
  const present = bindings.get(alias);
  if (present !== undefined) return present;
  const kind = alias.replace(/\.\d+$/, '');
  const made = MADE[kind]?.(deps) ?? deps.random.uuid();
  bindings.bind(alias, made);
  return made;
}
