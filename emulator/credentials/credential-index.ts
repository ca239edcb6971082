import { hash } from 'node:crypto';

/**
 * The owners of credentials, by keyed digests only. The time of a look-up reveals something of the digest, which
 * nobody can choose, and nothing of how much of a guess was right (AUTH-9). `key` is any secret: 32 random bytes.
 */
export function createCredentialIndex<T>(key: Uint8Array) {
  const entries = new Map<string, T>();
  const salt = Buffer.from(key).toString('hex');
  const digest = (credential: string) => hash('sha256', salt + credential, 'hex');
  return {
    get: (credential: string): T | undefined => entries.get(digest(credential)),
    set: (credential: string, value: T): void => void entries.set(digest(credential), value),
    delete: (credential: string): boolean => entries.delete(digest(credential)),
    /** Forgets the entries whose values pass a test. */
    deleteWhere(test: (value: T) => boolean): void {
      for (const [key, value] of entries) if (test(value)) entries.delete(key);
    },
    get size(): number {
      return entries.size;
    },
  };
}
