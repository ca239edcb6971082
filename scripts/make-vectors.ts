// Writes fixtures/vectors/*.json. The output is always the same: a test compares the files with it. Run: npx tsx
// scripts/make-vectors.ts

import { writeFileSync } from 'node:fs';
import { signatureVectors } from './vectors/ed25519.js';
import { proofVectors } from './vectors/proofs.js';

const write = (name: string, value: unknown) => {
  writeFileSync(new URL(`../fixtures/vectors/${name}`, import.meta.url), `${JSON.stringify(value, null, 2)}\n`);
};

write('proofs.json', proofVectors());
write('ed25519.json', {
  format: 'intern-emulator signature vectors',
  version: 1,
  vectors: signatureVectors(),
});
