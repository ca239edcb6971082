import { hash, type KeyObject } from 'node:crypto';
import type { Random } from '../clock/random.js';
import { suggestion } from '../contract/nearest.js';
import { proofHeaders } from '../contract/profile.js';
import type { ForgeBody, ForgedRequest, ForgeList, Forgery } from '../contract/signing-lab.js';
import type { InternRow } from '../contract/state.js';
import { canonicalise, type ProofFields } from '../signing/canonical.js';
import { type SigningKey, signingKeyFromSecret } from '../signing/keys.js';
import { signBytes } from '../signing/sign.js';
import { PROOF_USER } from '../signing/signer.js';
import type { DaemonDeps } from './daemon.js';
import type { Defect, HeaderMap, Workshop } from './defect.js';
import { DEFECTS } from './defects.js';

export interface ForgeDeps
  extends Pick<DaemonDeps, 'clock' | 'interns' | 'issued' | 'profile' | 'settings' | 'subjects'> {
  readonly random: Pick<Random, 'bytes' | 'uuid'>;
  readonly signingKey: SigningKey;
  daemonOrigin(): string;
  /** Seconds for which a forgery keeps its defect, since it may take a while until it is sent. Default: an hour. */
  readonly delay?: number;
}

/** A forgery that cannot be made; the message says why. */
export class ForgeError extends Error {
  override readonly name = 'ForgeError';
  constructor(
    readonly field: 'defect' | 'intern_id' | 'user',
    message: string,
  ) {
    super(message);
  }
}

const expectation = (defect: Defect): Forgery['expected'] => ({
  status: 401,
  reason: defect.reason,
  hint: defect.hint ?? null,
});

export const listDefects = (): ForgeList => ({
  data: DEFECTS.map((defect) => ({
    defect: defect.name,
    description: defect.description,
    expected: expectation(defect),
  })),
});

const isRunning = (row: InternRow): row is InternRow & { daemon_token: string } =>
  row.record.status === 'running' && row.daemon_token !== null;

/** Makes proofs with exactly one defect each, for testing a verifier with. */
export function createForge(deps: ForgeDeps): (body: ForgeBody) => Forgery {
  const { profile, signingKey, random, interns } = deps;
  const layout = profile.proof_layout;
  const names = proofHeaders(profile);
  let foreign: KeyObject | undefined;

  const internFor = (id: string | undefined) => {
    const rows = id === undefined ? [...interns.values()] : [interns.get(id)];
    const row = rows.find((candidate) => candidate !== undefined && isRunning(candidate));
    if (row && isRunning(row)) return row;
    throw new ForgeError('intern_id', id === undefined ? 'no intern is running' : 'no running intern has this id');
  };

  return ({ defect: name, intern_id, user: wantedUser, method, path, body }) => {
    const defect = DEFECTS.find((row) => row.name === name);
    if (!defect) {
      const known = DEFECTS.map((row) => row.name);
      throw new ForgeError('defect', `unknown${suggestion(name, known)}; known are: ${known.join(', ')}`);
    }
    const intern = internFor(intern_id);
    if (wantedUser !== undefined && !PROOF_USER.test(wantedUser)) {
      throw new ForgeError(
        'user',
        'expected 1 to 255 visible ASCII characters without a comma, as a header carries them',
      );
    }
    const users = [...deps.subjects()];
    const user = wantedUser ?? users[0] ?? 'user';
    const now = deps.clock.now() / 1_000;

    const sign: Workshop['sign'] = (version, fields) => {
      const signature = signBytes(signingKey.privateKey, canonicalise(layout, version, fields));
      const signed = Object.fromEntries(layout[version].map((field) => [field, fields[field]])) as ProofFields;
      deps.issued.add(signature, signed);
      return signature;
    };
    const shop: Workshop = {
      names,
      layout,
      now,
      window: deps.settings().proof_window / 1_000,
      delay: deps.delay ?? 3_600,
      fresh: (changes) => ({
        intern_id: intern.id,
        timestamp: String(Math.floor(now)),
        nonce: random.bytes(16).toString('base64url'),
        user,
        method,
        path,
        body_sha256: hash('sha256', body, 'hex'),
        ...changes,
      }),
      sign,
      signRaw: (bytes) => signBytes(signingKey.privateKey, bytes),
      signForeign(version, fields) {
        foreign ??= signingKeyFromSecret(random.bytes(32)).privateKey;
        return signBytes(foreign, canonicalise(layout, version, fields));
      },
      headers: (fields, signatures = {}) => ({
        [names.signature]: signatures.v1 ?? sign('v1', fields),
        [names.timestamp]: fields.timestamp ?? '',
        [names.user]: fields.user ?? '',
        [names.signatureV2]: signatures.v2 ?? sign('v2', fields),
        [names.nonce]: fields.nonce ?? '',
      }),
      otherUser: users.find((candidate) => candidate !== user) ?? `${user}-other`,
      otherInternId: [...interns.values()].find((row) => row.id !== intern.id)?.id ?? random.uuid(),
      digest: (content) => hash('sha256', content, 'hex'),
    };
    const request = (headers: HeaderMap, token: string = intern.daemon_token): ForgedRequest => ({
      method,
      url: deps.daemonOrigin() + path,
      headers: { authorization: `Bearer ${token}`, ...headers },
      body,
    });
    const made = defect.make(shop);
    if (!made) throw new ForgeError('defect', 'with this method and body the proof would be right');
    return {
      defect: defect.name,
      description: defect.description,
      expected: expectation(defect),
      intern_id: intern.id,
      prior: (made.prior ?? []).map((headers) => request(headers)),
      request: request(made.headers, made.token),
      twin: request(shop.headers(shop.fresh())),
    };
  };
}
