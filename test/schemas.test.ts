import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { QUICK } from '../emulator/testing/quick.harness.js';
import { SCHEMAS } from '../scripts/schemas.js';

const ROOT = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** One validator per schema. The formats that the schemas name are validated by their patterns. */
const validators = new Map(
  SCHEMAS.map(({ name }) => [
    name,
    new Ajv2020.default({ ...QUICK, validateFormats: false }).compile(JSON.parse(read(`schemas/${name}.schema.json`))),
  ]),
);
const validator = (name: string) => {
  const found = validators.get(name);
  if (!found) throw new Error(`there is no schema ${name}`);
  return found;
};

test.each(SCHEMAS)('schemas/$name.schema.json says what the code says; else: npm run schemas', ({ name, json }) => {
  expect(JSON.parse(read(`schemas/${name}.schema.json`))).toEqual(JSON.parse(json()));
});

describe('what ships is valid by its published schema', () => {
  const cases = [
    ['profiles', 'profile'],
    ['scripts', 'script'],
    ['seeds', 'seed'],
  ].flatMap(([folder, name]) =>
    readdirSync(join(ROOT, 'fixtures', folder ?? '')).map(
      (file) => [`fixtures/${folder}/${file}`, name ?? ''] as const,
    ),
  );
  test.each(cases)('%s', (file, name) => {
    const valid = validator(name);
    expect(valid(JSON.parse(read(file))), JSON.stringify(valid.errors)).toBe(true);
  });
});

test('a config with an unknown key or a wrong value is not valid by its published schema', () => {
  const valid = validator('config');
  expect(valid({ port: 4683, keepalive: '5s', scripts: ['a.json'], clock: 'virtual' })).toBe(true);
  expect(valid({ prot: 4683 })).toBe(false);
  expect(valid({ keepalive: 'soon' })).toBe(false);
  expect(valid({ port: 70_000 })).toBe(false);
});

test('every $schema of a fixture leads to a published schema', () => {
  for (const folder of ['profiles', 'scripts', 'seeds']) {
    for (const file of readdirSync(join(ROOT, 'fixtures', folder))) {
      const { $schema } = JSON.parse(read(`fixtures/${folder}/${file}`)) as { $schema?: string };
      if ($schema) expect(existsSync(join(ROOT, 'fixtures', folder, $schema)), `${file}: ${$schema}`).toBe(true);
    }
  }
});
