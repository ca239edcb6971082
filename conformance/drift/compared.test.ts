import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COMPARED_HEADERS, COMPARED_VALUES, OF_THE_HOUR, PASSED_OVER, WRITTEN_SETTINGS } from './compared.js';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/recordings.md'), 'utf8');

test('docs/recordings.md shows what is compared, and what is not', () => {
  for (const [key, why] of Object.entries(COMPARED_VALUES)) expect(page).toContain(`| \`${key}\` | ${why} |`);
  for (const [what, why] of PASSED_OVER) expect(page).toContain(`| ${what} | ${why} |`);
  for (const name of Object.keys(COMPARED_HEADERS)) expect(page).toContain(`\`${name}\``);
  expect(page).toContain(Object.keys(OF_THE_HOUR).join(', '));
  expect(WRITTEN_SETTINGS).toEqual(['name', 'description', 'instructions', 'model']);
});
