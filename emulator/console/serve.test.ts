import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createTestClient } from '../testing/client.harness.js';

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('a browser is led to the page, a program is not', async () => {
  const api = createTestClient();
  for (const path of ['/', '/_emulator']) {
    const led = await api.emulator.fetch(new URL(path, api.emulator.target.base_url), {
      headers: html,
      redirect: 'manual',
    });
    expect([led.status, led.headers.get('location')]).toEqual([303, '/_emulator/']);
  }
  const page = await api.get('/_emulator/', { headers: html, as: null });
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const listing = await api.get('/_emulator/', { headers: { accept: '*/*' } });
  expect(listing.json.data.length).toBeGreaterThan(10);
  const root = await api.emulator.fetch(new URL('/', api.emulator.target.base_url));
  expect(root.status).toBe(404);
});

test('the page runs only what it brings along, and nobody frames it', async () => {
  const api = createTestClient();
  const page = await api.get('/_emulator/', { headers: html });
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types',
  ]);
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  expect(page.headers.get('x-frame-options')).toBe('DENY');
  expect(page.text).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|style=/);
  expect(page.text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
});

test('all of it together is below 80 KB, compressed', async () => {
  const api = createTestClient();
  const page = await api.get('/_emulator/', { headers: html });
  const names = [...new Set([...page.text.matchAll(/(?:src|href)="(console\/[^"]+)"/g)].map(([, name]) => name ?? ''))];
  expect(names).toHaveLength(3);
  let bytes = gzipSync(page.text).length;
  for (const name of [...names, 'console/requirements.json']) {
    const file = await api.get(`/_emulator/${name}`);
    expect(file.status, name).toBe(200);
    expect(file.headers.get('content-security-policy')).toContain("default-src 'none'");
    bytes += gzipSync(file.text).length;
  }
  expect(bytes).toBeLessThan(80 * 1024);
});

test('files with a hash in their name are kept, others asked for again; unknown ones are 404', async () => {
  const api = createTestClient();
  const page = await api.get('/_emulator/', { headers: html });
  const script = /src="(console\/[^"]+)"/.exec(page.text)?.[1];
  expect((await api.get(`/_emulator/${script}`)).headers.get('cache-control')).toContain('immutable');
  expect(page.headers.get('cache-control')).toBe('no-cache');
  for (const name of ['nothing.js', '../package.json', '%2e%2e/index.js', ''])
    expect((await api.get(`/_emulator/console/${name}`)).status, name).toBe(404);
});

test('where the control interface is closed the page is; a token is asked for by the page, not for it', async () => {
  const api = createTestClient({ controlToken: 'let-me-in-please' });
  expect((await api.get('/_emulator/', { headers: html, as: null })).status).toBe(200);
  for (const headers of [{ host: 'rebound.example.com' }, { origin: 'https://example.com' }])
    expect((await api.get('/_emulator/', { headers: { ...html, ...headers }, as: null })).status).not.toBe(200);
});
