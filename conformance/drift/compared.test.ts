import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COMPARED_HEADERS, COMPARED_VALUES, OF_THE_HOUR, WRITTEN_SETTINGS } from './compared.js';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/recordings.md'), 'utf8');

test('docs/recordings.md names what is compared', () => {
  expect(page).toContain(`| values of | ${[...COMPARED_VALUES].map((key) => `\`${key}\``).join(', ')} |`);
  for (const name of Object.keys(COMPARED_HEADERS)) expect(page).toContain(`\`${name}\``);
  expect(page).toContain(Object.keys(OF_THE_HOUR).join(', '));
  expect(WRITTEN_SETTINGS).toEqual(['name', 'description', 'instructions', 'model']);
});
