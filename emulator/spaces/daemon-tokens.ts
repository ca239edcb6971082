import type { Random } from '../clock/random.js';
import { DAEMON_TOKEN_PREFIX } from '../credentials/redaction.js';

/** How daemon tokens say which emulator they belong to, if emulators share a listener for their daemons. */
export interface DaemonTokens {
  /** A source of ids that makes such tokens. */
  of(random: Random): Random;
  /** Such a token, made from one of another emulator. */
  adopt(token: string): string;
}

/** Tokens of an emulator that has its listener to itself. */
export const plainTokens: DaemonTokens = { of: (random) => random, adopt: (token) => token };

/** How many characters a tag has. */
export const TAG = 8;

/** Daemon tokens that end in a tag. Their rest, and everything else, is as without. */
export const taggedTokens = (tag: string): DaemonTokens => {
  const adopt = (token: string) => token.slice(0, -TAG) + tag;
  return {
    adopt,
    of: (random) => ({
      ...random,
      get seed() {
        return random.seed;
      },
      token: (prefix) => (prefix === DAEMON_TOKEN_PREFIX ? adopt(random.token(prefix)) : random.token(prefix)),
    }),
  };
};
