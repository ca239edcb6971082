import nacl from 'tweetnacl';
import { expect, test } from 'vitest';
import { PROFILES } from '../../../emulator/contract/profile.js';
import { Finding } from '../../model/finding.js';
import { type Because, lacking, Skipped } from '../../model/skip.js';
import { proofHeadersOf } from '../../model/target.js';
import type { Answer } from '../../probe/client.js';
import { type Proof, type ProofSubject, sha256, signedBytes } from '../../rules/proofs.js';
import type { Ctx } from '../../run/context.js';
import { holds, proofOf } from './proofs.js';

const pair = nacl.sign.keyPair.fromSeed(new Uint8Array(32));
const profile = PROFILES.svc;
const subject = { internId: 'one', bodySha256: sha256('a'), route: { method: 'POST', path: '/Api' } };

/** A deployment that joins the fields so, and signs the path as `signs` makes it. */
function deployment(separator: string, signs: (path: string) => string, form = (signature: Uint8Array) => signature) {
  const proofFor = (asked: ProofSubject): Proof => {
    const proof = { signature: '', timestamp: '1790000000', user: 'me', signatureV2: '', nonce: 'n' };
    const over =
      asked.route === undefined ? asked : { ...asked, route: { ...asked.route, path: signs(asked.route.path) } };
    const made = (fields: readonly (typeof profile.proof_layout.v2)[number][]) =>
      Buffer.from(form(nacl.sign.detached(signedBytes({ separator }, fields, proof, over), pair.secretKey))).toString(
        'base64',
      );
    return { ...proof, signature: made(profile.proof_layout.v1), signatureV2: made(profile.proof_layout.v2) };
  };
  const names = { signature: 's', timestamp: 't', user: 'u', signatureV2: 's2', nonce: 'n' };
  const ctx = {
    profile,
    proof: names,
    assume(holds: boolean, because: Because<'need'>) {
      if (!holds) throw lacking(because);
    },
    target: { publicKeys: [{ x: Buffer.from(pair.publicKey).toString('base64url') }] },
    api: {
      sign: async (internId: string, body: Omit<ProofSubject, 'internId'>) => {
        const proof = proofFor({ internId, ...body });
        const json = Object.fromEntries(Object.entries(names).map(([key, name]) => [name, proof[key as keyof Proof]]));
        return { status: 200, json, text: '' };
      },
    },
  } as unknown as Ctx;
  return holds(ctx, proofFor(subject), subject);
}

test('a proof in the layout of the profile holds', () =>
  expect(deployment('\n', (path) => path)).resolves.toBeUndefined());

/** The order of the curve's group: added to the second half of a signature, it makes one that strict verifiers refuse. */
const ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;

test('a signature that one of two libraries accepts is called wrong by neither', async () => {
  const unreduced = (signature: Uint8Array): Uint8Array => {
    const half = BigInt(`0x${Buffer.from(signature.slice(32)).reverse().toString('hex')}`) + ORDER;
    const bytes = Buffer.from(half.toString(16).padStart(64, '0'), 'hex').reverse();
    return Uint8Array.from([...signature.slice(0, 32), ...bytes]);
  };
  await expect(deployment('\n', (path) => path, unreduced)).resolves.toBeUndefined();
});

test('another layout than that of a shipped profile is held against nobody', () =>
  expect(deployment('.', (path) => path)).rejects.toBeInstanceOf(Skipped));

test('a proof for another path is, where the plainest proof verifies', () =>
  expect(deployment('\n', (path) => path.toLowerCase())).rejects.toBeInstanceOf(Finding));

test.each([
  ['base64url', `${'A'.repeat(84)}-_`, { characters: 86, base64url: true, padding: false }],
  ['hexadecimal', 'ab'.repeat(64), { characters: 128, base64url: false, padding: false }],
  [
    'broken into lines',
    `${'A'.repeat(76)}\n${'A'.repeat(10)}==`,
    { characters: 89, base64url: false, padding: true, others: '\n' },
  ],
])('a signature in %s is described by its form: reports leave the signature out', (_, signature, described) => {
  const json = { 'x-signature': signature, 'x-timestamp': '1790000000', 'x-user': 'me' };
  const answer = { status: 200, json, text: '' } as unknown as Answer;
  try {
    proofOf({ proof: proofHeadersOf({ ...profile, proof_header_prefix: 'x' }) }, answer, false, 'a proof');
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({
      found: {
        of: 'x-signature of a proof',
        wanted: { rule: { words: 'the Base64 of an Ed25519 signature' } },
        got: described,
      },
    });
  }
});
