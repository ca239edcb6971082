// Seen: what every signed webhook meets: the digest of JSON that was written again, and not of the bytes that are sent (SIGN-2).
import { join } from 'node:path';
import { inTheLab } from './tools.mjs';

export const judge = (folder) =>
  inTheLab(join(folder, 'client.py'), [
    'sign-json',
    'sign-reserialised',
    'sign-non-ascii',
    'sign-trailing-lf',
    'sign-binary',
    'sign-empty',
    'sign-query',
  ]);

export const solution = {
  'client.py': [
    [
      `    text = json.dumps(json.loads(body), separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
`,
      `    return hashlib.sha256(body).hexdigest()
`,
    ],
  ],
};
