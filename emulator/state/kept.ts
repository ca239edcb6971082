import { type Clock, VIRTUAL_EPOCH } from '../clock/clock.js';
import { hostNow } from '../clock/host.js';
import type { Random } from '../clock/random.js';
import { counted } from '../contract/counted.js';
import type { KeptNonces } from '../daemon/nonces.js';
import { type EmulatorOptions, OptionError } from '../options/options.js';
import { type loadSigningKey, type SigningKey, UnusableKey } from '../signing/keys.js';
import type { Store } from '../store/store.js';
import type { Sealing } from '../vault/sealing.js';

/**
 * The key to sign proofs with; a generated one is kept beside the store. A key that is derived from the seed is also
 * derived from `prefix`, below which a space is, so that a proof of one space is not valid in another with the same
 * seed.
 *
 * @throws UnusableKey for the option, OptionError for the file
 */
export function signingKeyOf(
  options: EmulatorOptions,
  prefix: string,
  store: Store,
  load: typeof loadSigningKey,
): SigningKey {
  const meta = store.collection('meta');
  // Version 1 of the store had the key in the file that people read and check in.
  const inside = meta.get('signing_key')?.value;
  const derived = options.signingKey !== undefined || options.seed !== undefined;
  const beside = derived ? undefined : store.keyFile?.read();
  const stored = beside ?? inside;
  const from = {
    ...(options.signingKey === undefined ? {} : { given: options.signingKey }),
    ...(options.seed === undefined ? {} : { seed: prefix === '' ? options.seed : `${options.seed}\n${prefix}` }),
    ...(typeof stored === 'string' ? { stored } : {}),
  };
  let key: SigningKey;
  try {
    key = load(from);
  } catch (error) {
    if (beside === undefined || !(error instanceof UnusableKey)) throw error;
    throw new OptionError(`signing key ${store.keyFile?.path}: ${error.message}`, { cause: error });
  }
  if (!derived && beside === undefined) store.keyFile?.write(key.pem);
  else if (typeof inside === 'string' && store.keyFile?.read() === undefined) store.keyFile?.write(inside);
  meta.delete('signing_key');
  return key;
}

const VAULT_KEY = /^[0-9a-f]{64}$/;

/**
 * The key that values of secrets are sealed with (VAULT-9). It is made with the first secret and kept beside the store;
 * without a store it is drawn from the seed.
 *
 * @returns a function that has the key. It throws OptionError for a file that holds none, or has been taken away or changed
 *   since
 */
export function vaultKeyOf(store: Store, random: () => Pick<Random, 'bytes'>): () => Buffer {
  const file = store.vaultKeyFile;
  let key: Buffer | undefined;
  const kept = (): Buffer | undefined => {
    const text = file?.read()?.trim();
    if (text === undefined) return undefined;
    if (VAULT_KEY.test(text)) return Buffer.from(text, 'hex');
    throw new OptionError(`vault key ${file?.path}: expected 64 lower-case hex digits`);
  };
  return () => {
    const held = kept();
    if (key && file && !held?.equals(key)) {
      const what = held ? 'it is another one than' : 'it is gone, and was there';
      throw new OptionError(`vault key ${file.path}: ${what} when the emulator began; no secret is stored without it`);
    }
    if (key) return key;
    key = held ?? Buffer.from(random().bytes(32));
    if (!held) file?.write(`${key.toString('hex')}\n`);
    return key;
  };
}

/**
 * Checks the sealed rows of a store against its key, so that a store that lost its key is found out before it is
 * changed.
 *
 * @throws OptionError that names the file
 */
export function checkVaultKey(store: Store, sealing: Pick<Sealing, 'open'>): void {
  const sealed = [...store.collection('secrets').values()].filter((row) => row.sealed !== null);
  const file = store.vaultKeyFile;
  if (sealed.length === 0 || !file) return;
  const count = counted(sealed.length, 'secret');
  const wrong =
    file.read() === undefined
      ? `it is missing, and the store holds ${count} sealed with it`
      : sealed.every((row) => sealing.open(row.id, row.sealed ?? '') !== undefined)
        ? undefined
        : `it does not open ${count} of the store`;
  if (wrong !== undefined)
    throw new OptionError(`vault key ${file.path}: ${wrong}; restore the file that was beside the store`);
}

/**
 * Used nonces in the store. A used proof stays used after a restart (SIGN-7), and is unused again if an earlier state
 * is restored. Without a file the memory begins with the emulator: an earlier one with the same key may have accepted
 * what was signed before. On a virtual clock time starts anew, too: earlier proofs look like new ones, and none is refused.
 */
export function keptNonces(options: EmulatorOptions, clock: Pick<Clock, 'now'>, store: Store): KeptNonces {
  const meta = store.collection('meta');
  const real = (options.clock ?? 'real') === 'real';
  const sameKey = options.signingKey !== undefined || options.seed !== undefined;
  const forgetful = options.data === undefined && real && sameKey;
  const began = forgetful ? Math.floor(clock.now() / 1_000) : Number.NEGATIVE_INFINITY;
  return {
    rows: store.collection('nonces'),
    since: {
      get() {
        const since = meta.get('nonces_since')?.value;
        return typeof since === 'number' ? Math.max(since, began) : began;
      },
      set: (value) => meta.put({ id: 'nonces_since', value }),
    },
    commit: () => store.commit(),
    earliest: options.data === undefined ? clock.now : real ? hostNow : () => VIRTUAL_EPOCH,
  };
}
