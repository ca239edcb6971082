// Writes schemas/script.schema.json from the schema that validates scripts: `npx tsx scripts/make-script-schema.ts`,
// then `npx biome check --write schemas`.

import { writeFileSync } from 'node:fs';
import { scriptJsonSchema } from '../emulator/scripts/schema.js';

writeFileSync('schemas/script.schema.json', `${JSON.stringify(scriptJsonSchema(), null, 2)}\n`);
