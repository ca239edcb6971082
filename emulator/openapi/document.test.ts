import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, describe, expect, test } from 'vitest';
import { openApiText } from '../../scripts/openapi.js';
import { ERRORS, type ErrorKey } from '../contract/errors.js';
import { createTestClient } from '../testing/client.harness.js';
import { TEXTS } from './operations.js';

const svc = createTestClient();
const openrouter = createTestClient({ profile: 'openrouter' });
afterAll(() => Promise.all([svc.emulator.close(), openrouter.emulator.close()]));

interface Described {
  operationId: string;
  deprecated?: boolean;
  security: object[];
  parameters: { name?: string; in?: string }[];
  responses: Record<string, { $ref: string } | { description: string; headers: object; content: object }>;
}
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
type Any = any;
const documentOf = async (api: typeof svc): Promise<Any> => (await api.get('/_emulator/openapi.json')).json;
const operationsOf = (document: Any): Described[] =>
  Object.values(document.paths).flatMap((path) => Object.values(path as object)) as Described[];

test('schemas/openapi.json says what the emulator answers; else: npm run schemas', async () => {
  const stored = readFileSync(new URL('../../schemas/openapi.json', import.meta.url), 'utf8');
  expect(JSON.parse(stored)).toEqual(JSON.parse(await openApiText()));
});

describe.each([
  ['svc', svc],
  ['openrouter', openrouter],
])('the document of profile %s', (_, api) => {
  test('is valid by @seriousme/openapi-schema-validator, which rejects it without its title', async () => {
    const document = await documentOf(api);
    expect(await new Validator().validate(document)).toEqual({ valid: true });
    const { title: _title, ...info } = document.info;
    expect((await new Validator().validate({ ...document, info })).valid).toBe(false);
  });

  test('is valid by @redocly/openapi-core, which finds a reference that leads nowhere', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = async (text: string) =>
      (await lintFromString({ source: text, config, absoluteRef: 'openapi.json' }))
        .filter(({ severity }) => severity === 'error')
        .map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
    const text = JSON.stringify(await documentOf(api));
    expect(await problems(text)).toEqual([]);
    expect(await problems(text.replace('schemas/InternListResponse"', 'schemas/Nowhere"'))).not.toEqual([]);
  });
});

test('describes every operation once, and each deprecated alias', async () => {
  const operations = operationsOf(await documentOf(svc));
  const wanted = TEXTS.flatMap(({ id, aliasId }) => [id, ...(aliasId ? [aliasId] : [])]);
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(wanted.sort());
  expect(operations.filter(({ deprecated }) => deprecated).map(({ operationId }) => operationId)).toEqual([
    'get_intern_daemon_access',
    'sign_intern_daemon_access_request',
  ]);
  expect(wanted.length).toBe(13 + 7 + 8);
});

/** Answered where no operation is asked for, or within a stream. */
const ELSEWHERE: readonly ErrorKey[] = ['path_not_found', 'method_not_allowed', 'run_ended', 'stream_severed'];

test('describes every refusal of the error table', async () => {
  const { components } = await documentOf(svc);
  const described = new Set(Object.keys(components.schemas));
  const nameOf = (key: string) =>
    `${key
      .split('_')
      .map((word) => word[0]?.toUpperCase() + word.slice(1))
      .join('')}Error`;
  const missing = (Object.keys(ERRORS) as ErrorKey[]).filter((key) => !described.has(nameOf(key)));
  expect(missing.sort()).toEqual([...ELSEWHERE].sort());
});

test('carries the names of the profile', async () => {
  const [one, other] = [JSON.stringify(await documentOf(svc)), JSON.stringify(await documentOf(openrouter))];
  for (const name of ['service.provide_input', 'x-svc-invoke-signature-v2']) {
    expect(one).toContain(`"${name}"`);
    expect(other).not.toContain(name);
  }
  for (const name of ['openrouter.provide_input', 'x-ori-invoke-signature-v2']) expect(other).toContain(`"${name}"`);
});

test('says which credential, parameters and headers an operation has', async () => {
  const { components, paths } = await documentOf(svc);
  const refusal = ({ $ref }: { $ref: string }) => components.responses[$ref.split('/').at(-1) ?? ''];
  expect(paths['/interns'].get.security).toEqual([{ apiKey: [] }, { oauth: ['interns'] }]);
  expect(paths['/interns/{internId}/daemon/sign'].post.security).toEqual([{ oauth: ['interns', 'vault:read'] }]);
  expect(paths['/scim/group-mappings/{id}'].get.security).toEqual([{ managementKey: [] }]);
  expect(paths['/interns'].post.parameters).toContainEqual(
    expect.objectContaining({ name: 'Idempotency-Key', in: 'header' }),
  );
  expect(paths['/interns/{internId}/daemon-access'].get.responses['200'].headers).toMatchObject({
    deprecation: expect.anything(),
    link: expect.anything(),
    'cache-control': expect.anything(),
    'x-request-id': expect.anything(),
  });
  const chat = paths['/interns/{internId}/chat/completions'].post.responses;
  expect(refusal(chat['429']).headers).toHaveProperty('retry-after');
  expect(refusal(chat['409']).description).toContain('`interaction_not_pending`');
  expect(chat['200'].content).toEqual({
    'text/event-stream': { schema: { $ref: '#/components/schemas/ChatCompletionChunk' } },
  });
});
