import type { Random } from '../clock/random.js';
import { HIDDEN, type State } from '../contract/state.js';
import { DAEMON_TOKEN_PREFIX, OWN_KEY_PREFIX } from '../credentials/redaction.js';

/**
 * An export without credentials (AUTH-9): without own keys and daemon tokens, and without credentials that callers
 * wrote into other texts. The signing key is in no export.
 */
export function hideCredentials(state: State, redact: (text: string) => string): State {
  const hidden: State = {
    ...state,
    interns: state.interns.map((row) => ({
      ...row,
      api_key: HIDDEN,
      daemon_token: row.daemon_token === null ? null : HIDDEN,
    })),
  };
  const clean = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value), (_key, item) => (typeof item === 'string' ? redact(item) : item));
  // Sealed values hold nothing to be read, and are long.
  const secrets = state.secrets.map(({ sealed, ...row }) => ({ ...clean(row), sealed }));
  return { ...clean({ ...hidden, secrets: [] }), secrets };
}

/** Single values that belong to an emulator, whatever it imports. */
const OWN: ReadonlySet<string> = new Set(['openings', 'seeded', 'nonces_since']);

/**
 * Makes an imported state usable: hidden credentials become those the same intern has now, or new ones; the single
 * values that belong to this emulator stay. `adopt` makes a daemon token of another emulator one of this one's.
 */
export function completeImport(
  imported: State,
  present: State,
  random: Random,
  adopt: (daemonToken: string) => string = (token) => token,
): State {
  const known = new Map(present.interns.map((row) => [row.id, row]));
  // An older export may carry the signing key of its emulator.
  const meta = new Map(
    imported.meta.filter((row) => !OWN.has(row.id) && row.id !== 'signing_key').map((row) => [row.id, row]),
  );
  for (const row of present.meta) if (OWN.has(row.id)) meta.set(row.id, row);
  const seq = Math.max(0, ...imported.interns.map((row) => row.seq));
  const counted = meta.get('seq')?.value;
  meta.set('seq', { id: 'seq', value: Math.max(seq, typeof counted === 'number' ? counted : 0) });
  return {
    ...imported,
    meta: [...meta.values()],
    // A used nonce stays used.
    nonces: [...new Map([...imported.nonces, ...present.nonces].map((row) => [row.id, row])).values()],
    interns: imported.interns.map((row) => ({
      ...row,
      api_key: row.api_key === HIDDEN ? (known.get(row.id)?.api_key ?? random.token(OWN_KEY_PREFIX)) : row.api_key,
      daemon_token:
        row.daemon_token === HIDDEN
          ? (known.get(row.id)?.daemon_token ?? random.token(DAEMON_TOKEN_PREFIX))
          : row.daemon_token && adopt(row.daemon_token),
    })),
  };
}
