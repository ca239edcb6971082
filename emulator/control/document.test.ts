import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, expect, test } from 'vitest';
import { validateControl } from '../testing/answers.harness.js';
import { createTestClient } from '../testing/client.harness.js';
import { QUICK } from '../testing/quick.harness.js';
import { ANSWERS } from './answers.js';

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
  const answered = Object.keys(ANSWERS).map((row) => row.replace(/:(\w+)/g, '{$1}').replace(/ \/$/, ' '));
  expect(answered.sort()).toEqual(
    data.map(({ method, path }) => `${method} ${path.slice('/_emulator'.length)}`).sort(),
  );
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
  const ajv = new Ajv2020({ ...QUICK, validateFormats: false });
  const validate = ajv.addSchema({ $id: 'd', components }).getSchema(`d#/components/schemas/${name}`);
  expect(validate?.(right)).toBe(true);
  expect(validate?.(wrong)).toBe(false);
});

const answered = (method: string, path: string, body: unknown, status = 200) =>
  validateControl({
    method,
    url: `http://127.0.0.1/spaces/a/_emulator${path}`,
    status,
    headers: new Headers(body === null ? {} : { 'content-type': 'application/json' }),
    text: JSON.stringify(body),
  });

const CLOCK = { now: '2026-01-01T00:00:00.000Z', mode: 'virtual' };
test.each([
  ['as it is', answered('GET', '/clock?a=b', CLOCK), []],
  ['with a field too many', answered('GET', '/clock', { ...CLOCK, more: 1 }), [expect.stringContaining('additional')]],
  ['without a field', answered('GET', '/clock', { now: CLOCK.now }), [expect.stringContaining('mode')]],
  ['with another status', answered('GET', '/clock', CLOCK, 201), ['status 201, expected 200']],
  ['without a body', answered('GET', '/clock', null), ['content type: missing']],
  ['refused', answered('GET', '/clock', { error: {} }, 400), []],
  ['of a list', answered('GET', '/runs', { data: [{}] }), expect.arrayContaining([expect.stringContaining('/data/0')])],
  ['of nothing', answered('DELETE', '/journal', null, 204), []],
])('an answer %s is held against the document, as every test client does', (_, problems, said) => {
  expect(problems).toEqual(said);
});

test('a call that answers JSON has a schema of its answer, and runs of a client are held against it too', async () => {
  const { paths } = await document();
  const without = Object.entries(ANSWERS).filter(([, { content }]) =>
    Object.values(content).some(({ schema }) => Object.keys(schema).length === 0),
  );
  expect(without.map(([row]) => row)).toEqual(['POST /mcp']);
  expect(paths['/clock'].get.responses).toMatchObject({
    200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Clock' } } } },
  });
});
