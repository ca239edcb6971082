// Writes the published JSON Schemas from the zod schemas that validate the same files, and the OpenAPI document: `npm
// run schemas`.
import { writeFileSync } from 'node:fs';
import { format } from 'node:path';
import { openApiText } from './openapi.js';
import { SCHEMAS } from './schemas.js';

for (const { name, json } of SCHEMAS) {
  const file = format({ dir: 'schemas', base: `${name}.schema.json` });
  writeFileSync(file, json());
  console.log(file);
}

writeFileSync('schemas/openapi.json', await openApiText());
console.log('schemas/openapi.json');
