import { text, UsageError } from '../../conformance/cli/arguments.js';
import { createClock } from '../clock/clock.js';
import { createRandom } from '../clock/random.js';
import { shellWord } from '../contract/pasted.js';
import { proofAsHeaders, proofHeaders } from '../contract/profile.js';
import { ROUTE_PATH } from '../contract/signing.js';
import { UnsignableField } from '../signing/canonical.js';
import { loadSigningKey, readPrivateKey } from '../signing/keys.js';
import { createSigner } from '../signing/signer.js';
import type { CommandModule } from './command.js';
import { given, needed, readKeyFlag, readProfile, readRequestBody, requestOptions, seconds } from './proof-flags.js';

const FORMATS = ['json', 'headers', 'curl'] as const;

/** `intern-emulator sign`: makes a proof as the signing route would, from a given key. With --path it carries v2. */
const sign: CommandModule = {
  flags: {
    key: text('Private Ed25519 key: PEM or JWK, or a file with one'),
    seed: text('Instead of --key: the key of an emulator with this seed'),
    user: text('OAuth subject that the proof names'),
    timestamp: text('Unix seconds (default: now)'),
    nonce: text('Nonce of the v2 proof (default: a random one)'),
    format: text(`How to print it: ${FORMATS.join(', ')} (default: json)`),
    ...requestOptions,
  },
  async run({ argv, io }) {
    const profile = readProfile(argv, io);
    const format = given(argv, 'format') ?? 'json';
    if (!FORMATS.some((known) => known === format)) throw new UsageError(`--format: expected ${FORMATS.join(', ')}`);
    const keyText = given(argv, 'key');
    const seed = given(argv, 'seed');
    if ((keyText === undefined) === (seed === undefined)) throw new UsageError('give either --key or --seed');
    const key =
      keyText === undefined
        ? loadSigningKey(seed === undefined ? {} : { seed })
        : readKeyFlag('key', keyText, io, readPrivateKey);
    const path = given(argv, 'path');
    if (path === undefined && (given(argv, 'method') ?? given(argv, 'nonce')) !== undefined) {
      throw new UsageError('--method and --nonce are for v2: give --path too');
    }
    if (path !== undefined && !ROUTE_PATH.test(path)) {
      throw new UsageError('--path: expected a percent-encoded path that starts with one slash, without query');
    }
    const now = seconds(argv, 'timestamp') ?? createClock('real').now() / 1_000;
    try {
      const proof = createSigner(key, profile.proof_layout).sign({
        internId: needed(argv, 'intern'),
        timestamp: Math.floor(now),
        user: needed(argv, 'user'),
        bodySha256: readRequestBody(argv, io).sha256,
        ...(path !== undefined && {
          route: {
            method: given(argv, 'method') ?? 'POST',
            path,
            nonce: given(argv, 'nonce') ?? createRandom().bytes(16).toString('base64url'),
          },
        }),
      });
      const headers = proofAsHeaders(proofHeaders(profile), proof);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      if (format === 'json') io.out(`${JSON.stringify(headers, null, 2)}\n`);
      else if (format === 'headers') io.out(`${lines.join('\n')}\n`);
      else io.out(`${lines.map((line) => `-H ${shellWord(line)}`).join(' \\\n')}\n`);
      return 0;
    } catch (error) {
      if (error instanceof UnsignableField) throw new UsageError(error.message);
      throw error;
    }
  },
};

export default sign;
