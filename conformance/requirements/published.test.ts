import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REQUIREMENTS } from './index.js';
import { PUBLISHED } from './published.js';

const SDK = new URL('../../node_modules/@openrouter/sdk/', import.meta.url);

test.each(Object.entries(PUBLISHED))('%s is quoted as the published client has it', (id, { quote, where }) => {
  const { version } = JSON.parse(readFileSync(new URL('package.json', SDK), 'utf8')) as { version: string };
  const [named = '', file = ''] = where.split(', ');
  expect(named).toBe(`@openrouter/sdk ${version}`);
  expect(readFileSync(new URL(file, SDK), 'utf8')).toContain(quote);
  expect(REQUIREMENTS.find((row) => row.id === id)?.level).toBe('P');
});
