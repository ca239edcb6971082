import { expect, test } from 'vitest';
import { isSecretHeader, isSecretName, isSecretParameter } from './names.js';

test.each([
  ...[
    'token',
    'accessToken',
    'access_token',
    'access-token',
    'ACCESS_TOKEN',
    'AccessToken',
    'accesstoken',
    'oAuthToken',
  ],
  ...[
    'tokens',
    'refreshTokens',
    'clientSecret',
    'client_secret',
    'CLIENT-SECRET',
    'apiKey',
    'APIKey',
    'api_key',
    'apikey',
  ],
  ...['x-api-key', 'key', 'keys', 'token1', 'password', 'userPassword', 'credentials', 'authorization', 'codeVerifier'],
  ...['device_code', 'client_assertion', 'jwt', 'auth.token'],
])('%s names a credential, in JSON, forms and queries', (name) => {
  expect([isSecretName(name), isSecretParameter(name)]).toEqual([true, true]);
});

test.each([
  ...['name', 'monkey', 'tokenizer', 'token_type', 'key_id', 'keyboard', 'secretary', 'passwordless', 'status_code'],
  ...['errorCode', 'postal_code', 'completion_tokens_details', 'x'.repeat(1_000), ''],
])('%.20s names none', (name) => {
  expect([isSecretName(name), isSecretParameter(name)]).toEqual([false, false]);
});

test('a code is one in a query, where nothing else goes by that name', () => {
  expect(['code', 'sig'].map(isSecretName)).toEqual([false, false]);
  expect(['code', 'sig', 'tokens[]', 'credentials[0][value]', 'token.value'].every(isSecretParameter)).toBe(true);
});

test('headers', () => {
  const secret = ['authorization', 'proxy-authorization', 'x-api-key', 'api-key', 'cookie', 'set-cookie', 'x-token-v2'];
  expect(secret.every(isSecretHeader)).toBe(true);
  const plain = ['idempotency-key', 'x-idempotency-key', 'content-type', 'accept', 'x-request-id', 'cookie-policy'];
  expect(plain.some(isSecretHeader)).toBe(false);
});
