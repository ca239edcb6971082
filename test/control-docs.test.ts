import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { withCalls } from '../scripts/control-docs.js';

test('docs/control.md lists the calls that there are; else: npm run docs', async () => {
  const page = readFileSync(resolve(import.meta.dirname, '..', 'docs/control.md'), 'utf8');
  expect(page).toBe(await withCalls(page));
  expect(page).toContain('`POST /_emulator/clock`');
});
