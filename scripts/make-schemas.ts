// Writes the published JSON Schemas from the zod schemas that judge the same files: `npm run schemas`.
import { writeFileSync } from 'node:fs';
import { format } from 'node:path';
import { SCHEMAS } from './schemas.js';

for (const { name, json } of SCHEMAS) {
  const file = format({ dir: 'schemas', base: `${name}.schema.json` });
  writeFileSync(file, json());
  console.log(file);
}
