// Writes a published set of checks: `npm run publish-set -- 2026-11`. A set that exists is left as it is, for it never changes;
// one that was never released may be written anew with --replace.
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { digestOf } from '../conformance/mutants/digest.js';
import { checks } from '../conformance/scenarios/index.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { replace: { type: 'boolean', default: false } },
});
const [name = ''] = positionals;
const file = resolve(import.meta.dirname, '../conformance/requirements/sets', `${name}.json`);
const refuse = (why: string): never => {
  console.error(`publish-set: ${why}`);
  process.exit(2);
};
if (!/^\d{4}-\d\d$/.test(name)) refuse(`expected a month such as 2026-11, got ${JSON.stringify(name)}`);
if (existsSync(file) && !values.replace) refuse(`${file} is published, and never changes; publish another month`);
const rows: Record<string, string> = {};
for (const check of checks) rows[check.id] = await digestOf(check);
writeFileSync(file, `${JSON.stringify({ name, checks: rows }, null, 2)}\n`);
console.log(`${Object.keys(rows).length} checks in ${join('conformance/requirements/sets', `${name}.json`)}`);
console.log('Name the set in conformance/requirements/sets/index.ts.');
