import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

const IV = 12;
const TAG = 16;

/**
 * Keeps values so that the rows alone reveal nothing of them (VAULT-4, VAULT-9): AES-256-GCM under `key`, 32 bytes,
 * asked for on first use and before each sealing, so that nothing is sealed by a key that is gone. The initialization
 * vector is made of row and value (as RFC 5297 does). A state that goes back to a snapshot draws the same randomness
 * again, and a vector that came twice over two values would reveal both.
 */
export function createSealing(key: () => Buffer) {
  const derived = new Map<string, Buffer>();
  const keyFor = (purpose: string): Buffer => {
    const known = derived.get(purpose);
    if (known) return known;
    const made = createHmac('sha256', key()).update(`intern-emulator ${purpose}`).digest();
    derived.set(purpose, made);
    return made;
  };
  const digest = (by: Buffer, ...parts: string[]) => {
    const hmac = createHmac('sha256', by);
    for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:`).update(part);
    return hmac.digest();
  };

  return {
    /** A value as it is kept in the row `id`, in hex. In another row, it does not open. */
    seal(id: string, value: string): string {
      key();
      const iv = digest(keyFor('vector'), id, value).subarray(0, IV);
      const cipher = createCipheriv('aes-256-gcm', keyFor('sealing'), iv).setAAD(Buffer.from(id));
      const sealed = Buffer.concat([iv, cipher.update(value, 'utf8'), cipher.final()]);
      return Buffer.concat([sealed, cipher.getAuthTag()]).toString('hex');
    },
    /** The value; undefined if it was sealed by another key, for another row, or is damaged. */
    open(id: string, text: string): string | undefined {
      const bytes = Buffer.from(text, 'hex');
      if (bytes.length < IV + TAG || bytes.length * 2 !== text.length) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', keyFor('sealing'), bytes.subarray(0, IV), {
        authTagLength: TAG,
      })
        .setAAD(Buffer.from(id))
        .setAuthTag(bytes.subarray(-TAG));
      try {
        return decipher.update(bytes.subarray(IV, -TAG), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        return undefined;
      }
    },
    /**
     * HMAC-SHA-256 under the vault's own key: equal in one vault exactly where values are equal. Hex. The key is not
     * kept, since a hundred thousand vaults may come and go.
     */
    fingerprint: (vault: string, value: string) => digest(digest(keyFor('fingerprints'), vault), value).toString('hex'),
  };
}

export type Sealing = ReturnType<typeof createSealing>;
