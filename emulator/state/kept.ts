import { type Clock, VIRTUAL_EPOCH } from '../clock/clock.js';
import { hostNow } from '../clock/host.js';
import type { KeptNonces } from '../daemon/nonces.js';
import { type EmulatorOptions, OptionError } from '../options/options.js';
import { type loadSigningKey, type SigningKey, UnusableKey } from '../signing/keys.js';
import type { Store } from '../store/store.js';

/**
 * The key to sign proofs with; one that had to be generated is kept beside the store. One that is derived from the seed is
 * also derived from `prefix`, below which a space is: a proof of one space is none of another's with the same seed.
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
  // Where version 1 of the store had it: in the file that people look at and check in.
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

/**
 * Used nonces in the store, so that a proof that was used stays used after a restart (SIGN-7), and is unused again where
 * the state is one of before.
 */
export function keptNonces(options: EmulatorOptions, clock: Pick<Clock, 'now'>, store: Store): KeptNonces {
  const meta = store.collection('meta');
  return {
    rows: store.collection('nonces'),
    since: {
      get() {
        const since = meta.get('nonces_since')?.value;
        return typeof since === 'number' ? since : undefined;
      },
      set: (value) => meta.put({ id: 'nonces_since', value }),
    },
    commit: () => store.commit(),
    earliest:
      options.data === undefined ? clock.now : (options.clock ?? 'real') === 'real' ? hostNow : () => VIRTUAL_EPOCH,
  };
}
