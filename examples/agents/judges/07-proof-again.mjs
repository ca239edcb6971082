// Seen: acmephp/acmephp#211, publishlab/node-acme-client#103: what is good for one attempt was sent with the next.
import { join } from 'node:path';
import { inTheLab } from './tools.mjs';

export const judge = (folder) =>
  inTheLab(join(folder, 'client.mjs'), ['sign-json', 'sign-query', 'sign-no-retry-401', 'sign-retry-503']);

export const solution = {
  'client.mjs': [
    [
      `  const proof = await proofFor({ signUrl, key, request });
  for (let attempt = 1; ; attempt++) {
`,
      `  for (let attempt = 1; ; attempt++) {
    const proof = await proofFor({ signUrl, key, request });
`,
    ],
  ],
};
