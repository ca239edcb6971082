// Writes fixtures/client-cases/*.json from the tables in scripts/client-cases. The output is always the same: a test
// compares the files with it. Run: npm run client-cases
import { writeFileSync } from 'node:fs';
import { readCases } from '../emulator/contract/client-case.js';
import { CLIENT_CASES } from './client-cases/index.js';

for (const { name, cases, text } of CLIENT_CASES) {
  readCases(JSON.parse(text));
  writeFileSync(new URL(`../fixtures/client-cases/${name}`, import.meta.url), text);
  console.log(`fixtures/client-cases/${name}: ${cases.length} cases`);
}
