import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, expect, test } from 'vitest';
import { createTestClient } from '../testing/client.js';

const api = createTestClient();
afterAll(() => api.emulator.close());
// biome-ignore lint/suspicious/noExplicitAny: the document is read as JSON
const document = async (): Promise<any> => (await api.get('/_emulator/control-openapi.json')).json;

test('the document of the control interface has every call that is listed, and no other', async () => {
  const { data } = (await api.get('/_emulator')).json as { data: { method: string; path: string; body: unknown }[] };
  const { paths } = await document();
  const named = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations as object).map((method) => `${method.toUpperCase()} /_emulator${path === '/' ? '' : path}`),
  );
  expect(named.sort()).toEqual(data.map(({ method, path }) => `${method} ${path}`).sort());
  const withBody = data.filter(({ body }) => body !== null).map(({ method, path }) => ({ method, path }));
  for (const { method, path } of withBody)
    expect(paths[path.slice('/_emulator'.length) || '/'][method.toLowerCase()], path).toHaveProperty('requestBody');
});

test('it is valid, each reference leads somewhere, and every body but that of the protocol has a schema', async () => {
  const made = await document();
  expect(await new Validator().validate(made)).toEqual({ valid: true });
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(made), config, absoluteRef: 'openapi.json' });
  expect(problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
  const empty = Object.entries(made.components.schemas).filter(
    ([, schema]) => Object.keys(schema as object).length === 0,
  );
  expect(empty).toEqual([]);
});

test.each([
  ['post_clock_body', { advance: '5m' }, { advance: true }],
  ['post_faults_body', [{ operation: 'chat', status: 503 }], { operation: 'chats' }],
  ['put_scripts_name_body', { name: 'hi', turn: [{ say: 'hi' }] }, { turn: 1 }],
  ['post_lab_runs_body', { case: 'sse-one-event', cuts: [3] }, { case: 1 }],
])('%s takes what the call takes, and nothing else', async (name, right, wrong) => {
  const { components } = await document();
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validate = ajv.addSchema({ $id: 'd', components }).getSchema(`d#/components/schemas/${name}`);
  expect(validate?.(right)).toBe(true);
  expect(validate?.(wrong)).toBe(false);
});
