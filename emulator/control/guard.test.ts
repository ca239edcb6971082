import { describe, expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { createTestClient } from '../testing/client.harness.js';

async function start() {
  const api = createTestClient();
  closing(api.emulator);
  await api.post('/_emulator/spaces', { name: 'one' });
  const ask = async (path: string, headers: Record<string, string>, method = 'GET') => {
    const url = new URL(path, api.emulator.target.base_url);
    const response = await api.emulator.fetch(url, { method, headers, redirect: 'manual' });
    await response.body?.cancel();
    return response;
  };
  return { api, ask, status: async (...args: Parameters<typeof ask>) => (await ask(...args)).status };
}

/** The headers of a browser when a page of another site makes it ask without an `Origin`. */
const FOREIGN: Record<string, Record<string, string>> = {
  'an image of another site': {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'no-cors',
    'sec-fetch-dest': 'image',
  },
  'an image of another port': { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  'a fetch of another site': { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
  'a frame of another site': {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'iframe',
    accept: 'text/html',
  },
  'a kind of site that is not known yet': { 'sec-fetch-site': 'some-site', 'sec-fetch-mode': 'no-cors' },
};
const OWN: Record<string, Record<string, string>> = {
  'a program': {},
  'a program by fetch': { 'sec-fetch-mode': 'cors' },
  'a person by the address': { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
  'the console': { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
};
const LINK = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  accept: 'text/html',
};
const CONTROL = [
  '/_emulator/target',
  '/_emulator/events',
  '/_emulator/health',
  '/_emulator/state?credentials=1',
  '/spaces/one/_emulator/target',
];

describe('the control interface', () => {
  test.each(Object.entries(FOREIGN))('refuses %s, though it has no Origin', async (_, headers) => {
    const { status } = await start();
    for (const path of [...CONTROL, '/_emulator/', '/_emulator/console/requirements.json'])
      expect(await status(path, headers), path).toBe(403);
    expect(await status('/_emulator/reset', headers, 'POST')).toBe(403);
  });

  test.each(Object.entries(OWN))('answers %s', async (_, headers) => {
    const { status } = await start();
    for (const path of CONTROL) expect(await status(path, headers), path).toBe(200);
    expect(await status('/_emulator/reset', headers, 'POST')).toBe(200);
  });

  test('a link from another site leads to the console alone', async () => {
    const { ask, status } = await start();
    expect(await status('/_emulator/', LINK)).toBe(200);
    expect(await status('/spaces/one/_emulator/', LINK)).toBe(200);
    expect((await ask('/', LINK)).headers.get('location')).toBe('/_emulator/');
    for (const path of CONTROL) expect(await status(path, LINK), path).toBe(403);
    expect(await status('/_emulator/', { ...LINK, host: 'rebound.example.com' })).toBe(403);
    expect(await status('/_emulator/', { ...LINK, origin: 'null' }, 'POST')).toBe(403);
  });
});

test('an unknown call of 8,000 characters is compared with no other, which takes minutes', async () => {
  const { api } = await start();
  for (const path of ['x'.repeat(8_000), `scripts/${'x'.repeat(4_000)}/${'y'.repeat(4_000)}`, 'a/'.repeat(4_000)]) {
    const { status, json } = await api.get(`/_emulator/${path}`);
    expect(status).toBe(404);
    expect(json.error.message).not.toContain('the nearest');
    expect(json.error.message.length).toBeLessThan(400);
  }
});
