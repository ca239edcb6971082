// Runs our strict Ed25519 verification over published vector files, as their projects ship them:
//   npx tsx scripts/check-public-vectors.ts cases.json ed25519vectors.json ed25519_test.json
// - ed25519-speccheck cases.json (Chalkias, Garillot, Nikolaenko): accepted is case 3 and nothing else, as by every
//   strict verifier in that project's table
// - C2SP CCTV ed25519vectors.json: nothing of low order and nothing non-canonical is accepted, nor what needs the cofactor
// - C2SP Wycheproof ed25519_test.json: exactly what it calls valid is accepted
// Exits 1 when one is judged otherwise, or a file is of no known kind.

import { readFileSync } from 'node:fs';
import { importPublicKey, verifyBytes } from '../emulator/signing/verify.js';

interface Judged {
  readonly name: string;
  readonly key: string;
  readonly message: Buffer;
  readonly signature: string;
  readonly accept: boolean;
}

interface Speccheck {
  message: string;
  pub_key: string;
  signature: string;
}
interface Cctv {
  number: number;
  key: string;
  sig: string;
  msg: string;
  flags: string[] | null;
}
interface Wycheproof {
  testGroups: { publicKey: { pk: string }; tests: { tcId: number; msg: string; sig: string; result: string }[] }[];
}

const CCTV_REFUSED = ['low_order_A', 'low_order_R', 'non_canonical_A', 'non_canonical_R', 'low_order_residue'];

function* read(file: string): Generator<Judged> {
  const data = JSON.parse(readFileSync(file, 'utf8')) as Speccheck[] | Cctv[] | Wycheproof;
  if (!Array.isArray(data)) {
    for (const { publicKey, tests } of data.testGroups) {
      for (const { tcId, msg, sig, result } of tests) {
        const message = Buffer.from(msg, 'hex');
        yield { name: `tcId ${tcId}`, key: publicKey.pk, message, signature: sig, accept: result === 'valid' };
      }
    }
    return;
  }
  for (const [index, row] of data.entries()) {
    if ('pub_key' in row) {
      const message = Buffer.from(row.message, 'hex');
      yield { name: `case ${index}`, key: row.pub_key, message, signature: row.signature, accept: index === 3 };
    } else {
      const accept = !(row.flags ?? []).some((flag) => CCTV_REFUSED.includes(flag));
      yield { name: `number ${row.number}`, key: row.key, message: Buffer.from(row.msg), signature: row.sig, accept };
    }
  }
}

let wrong = 0;
for (const file of process.argv.slice(2)) {
  const counts = { accepted: 0, refused: 0, wrong: 0 };
  for (const { name, key, message, signature, accept } of read(file)) {
    const publicKey = importPublicKey(Buffer.from(key, 'hex'));
    const accepted = publicKey !== undefined && verifyBytes(publicKey, message, Buffer.from(signature, 'hex'));
    counts[accepted ? 'accepted' : 'refused']++;
    if (accepted === accept) continue;
    counts.wrong++;
    console.error(`${file}: ${name} was ${accepted ? 'accepted' : 'refused'}`);
  }
  wrong += counts.wrong;
  console.log(`${file}: ${counts.accepted} accepted, ${counts.refused} refused, ${counts.wrong} wrong`);
}
if (wrong > 0 || process.argv.length < 3) process.exitCode = 1;
