import type { webcrypto } from 'node:crypto';
import { createServer, type OutgoingHttpHeaders, type RequestOptions, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { closing } from '../../test/closing.js';
import { bind } from '../contract/bind.js';
import { createEmulator, type Emulator, type EmulatorOptions } from '../index.js';
import { listening } from '../testing/listening.harness.js';
import { createOutside } from './outside.js';
import { TERMINAL_CLIENT } from './provider.js';

const start = async (options: EmulatorOptions = {}) => (await listening(options)).emulator;

/** A browser, as far as a login needs one: follows redirects within the emulator, keeps cookies, submits forms. */
function createBrowser() {
  const jar = new Map<string, string>();
  const visit = async (
    url: string,
    form?: Record<string, string>,
  ): Promise<{ url: string; html: string; status: number }> => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) return { url, html: await response.text(), status: response.status };
    const next = new URL(location, url);
    // The terminal's own address: nobody listens there in this test.
    if (next.port === '1') return { url: next.href, html: '', status: response.status };
    return visit(next.href);
  };
  const submit = (page: { url: string; html: string }, fields: Record<string, string>) => {
    const action = /<form[^>]* action="([^"]*)"/.exec(page.html)?.[1] ?? '';
    const hidden = [...page.html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
      ([, name, value]) => [name, value] as const,
    );
    return visit(new URL(action, page.url).href, { ...Object.fromEntries(hidden), ...fields });
  };
  return { visit, submit };
}

const discover = (emulator: Emulator, client = TERMINAL_CLIENT) =>
  oidc.discovery(new URL('/oidc', emulator.target.base_url), client, undefined, oidc.None(), {
    execute: [oidc.allowInsecureRequests],
  });

const SCOPE = 'openid profile interns vault:read';
const REDIRECT = 'http://127.0.0.1:1/callback';

async function logIn(emulator: Emulator, choice: Record<string, string>, scope = SCOPE) {
  const config = await discover(emulator);
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope,
    state,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const browser = createBrowser();
  const page = await browser.visit(url.href);
  const end = await browser.submit(page, { decision: 'allow', ...choice });
  const exchange = () =>
    oidc.authorizationCodeGrant(config, new URL(end.url), { pkceCodeVerifier: verifier, expectedState: state });
  return { config, page, exchange };
}

const call = (emulator: Emulator, token: string, path: string, body?: unknown) =>
  fetch(`${emulator.target.base_url}/interns/${emulator.target.credentials.intern?.id}${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
const SIGN = { bodySha256: '0'.repeat(64) };

describe('authorization code with PKCE', () => {
  it('logs in, and signs at once as the person chosen', async () => {
    const emulator = await start();
    const { page, exchange } = await logIn(emulator, { member: 'bob', grant: 'full' });
    for (const name of ['Alice', 'Bob', 'Carol']) expect(page.html).toContain(name);
    const tokens = await exchange();
    expect(tokens.claims()?.sub).toBe('user_bob');
    const signed = await call(emulator, tokens.access_token, '/daemon/sign', SIGN);
    expect(signed.status).toBe(200);
    expect(await signed.json()).toMatchObject({ 'x-svc-invoke-user': 'user_bob' });
    expect((await call(emulator, tokens.access_token, '/daemon')).status).toBe(200);
    // AUTH-9: such a token is never shown, just like a seeded one, even where a request quotes it.
    await call(emulator, tokens.access_token, `/nowhere?quoted=${tokens.access_token}`);
    const journal = await (await emulator.fetch('/_emulator/journal')).text();
    expect(journal).toContain('quoted=[redacted]');
    expect(journal).not.toContain(tokens.access_token);
  });

  it('with the interns-only grant reads the daemon, and does not sign', async () => {
    const emulator = await start();
    const tokens = await (await logIn(emulator, { member: 'alice', grant: 'interns' })).exchange();
    expect(tokens.scope?.split(' ')).not.toContain('vault:read');
    expect((await call(emulator, tokens.access_token, '/daemon')).status).toBe(200);
    const refused = await call(emulator, tokens.access_token, '/daemon/sign', SIGN);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: { metadata: { reason: 'personal_identity_required' } } });
  });

  it('never grants what was not asked for', async () => {
    const emulator = await start();
    const { page, exchange } = await logIn(emulator, { member: 'alice', grant: 'full' }, 'openid interns');
    expect(page.html).not.toContain('value="full"');
    const tokens = await exchange();
    expect((await call(emulator, tokens.access_token, '/daemon/sign', SIGN)).status).toBe(403);
    const nothing = await (await logIn(emulator, { member: 'alice', grant: 'full' }, 'openid')).exchange();
    expect((await call(emulator, nothing.access_token, '/daemon')).status).toBe(401);
  });

  it('can be denied', async () => {
    const emulator = await start();
    const { exchange } = await logIn(emulator, { decision: 'deny' });
    await expect(exchange()).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('refuses a code without its verifier, and a second time', async () => {
    const emulator = await start();
    const { exchange } = await logIn(emulator, { member: 'alice', grant: 'full' });
    const tokens = await exchange();
    await expect(exchange()).rejects.toMatchObject({ error: 'invalid_grant' });
    // A client that sends a code twice may have stolen it: the tokens made from it are void.
    expect((await call(emulator, tokens.access_token, '/daemon')).status).toBe(401);
  });

  it('refreshes and revokes', async () => {
    const emulator = await start();
    const { config, exchange } = await logIn(emulator, { member: 'alice', grant: 'full' });
    const first = await exchange();
    const second = await oidc.refreshTokenGrant(config, first.refresh_token ?? '');
    expect(second.access_token).not.toBe(first.access_token);
    expect((await call(emulator, second.access_token, '/daemon/sign', SIGN)).status).toBe(200);
    await oidc.tokenRevocation(config, second.access_token);
    expect((await call(emulator, second.access_token, '/daemon/sign', SIGN)).status).toBe(401);
  });

  it('is forgotten by a reset', async () => {
    const emulator = await start();
    const tokens = await (await logIn(emulator, { member: 'alice', grant: 'full' })).exchange();
    expect((await call(emulator, tokens.access_token, '/daemon')).status).toBe(200);
    await emulator.reset();
    expect((await call(emulator, tokens.access_token, '/daemon')).status).toBe(401);
  });
});

it('device flow waits for the person, then signs', async () => {
  const emulator = await start();
  const config = await discover(emulator);
  const device = await oidc.initiateDeviceAuthorization(config, { scope: SCOPE });
  const browser = createBrowser();
  const prompt = await browser.visit(device.verification_uri);
  const confirm = await browser.submit(prompt, { user_code: device.user_code });
  expect(confirm.html).toContain(device.user_code);
  const page = await browser.submit(confirm, { confirm: 'yes' });
  const done = await browser.submit(page, { decision: 'allow', member: 'alice', grant: 'full' });
  expect(done.html).toContain('The terminal is logged in');
  const tokens = await oidc.pollDeviceAuthorizationGrant(config, { ...device, interval: 0.01 });
  const signed = await call(emulator, tokens.access_token, '/daemon/sign', SIGN);
  expect(await signed.json()).toMatchObject({ 'x-svc-invoke-user': 'user_alice' });
});

describe('clients', () => {
  const register = (emulator: Emulator, more: object = {}) =>
    oidc.dynamicClientRegistration(
      new URL('/oidc', emulator.target.base_url),
      {
        redirect_uris: ['http://127.0.0.1/mine'],
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        ...more,
      },
      oidc.None(),
      { execute: [oidc.allowInsecureRequests] },
    );

  it('may register themselves, and are shown as text, whatever they call themselves', async () => {
    const config = await register(await start(), { client_name: '<script>alert(1)</script>' });
    expect(config.clientMetadata().client_id).toBeTruthy();
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: 'http://127.0.0.1:1/mine',
      scope: 'openid',
      code_challenge: await oidc.calculatePKCECodeChallenge(oidc.randomPKCECodeVerifier()),
      code_challenge_method: 'S256',
    });
    const { html } = await createBrowser().visit(url.href);
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toContain('<script>');
  });

  it('without PKCE are refused', async () => {
    const emulator = await start();
    const config = await discover(emulator);
    const url = oidc.buildAuthorizationUrl(config, { redirect_uri: REDIRECT, scope: SCOPE });
    const end = await createBrowser().visit(url.href);
    expect(new URL(end.url).searchParams.get('error')).toBe('invalid_request');
  });
});

describe('an outside issuer', () => {
  const NOW = Date.UTC(2026, 0, 1) / 1_000;

  async function startIssuer() {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }];
    const server: Server = createServer((request, response) => {
      const metadata = { issuer, jwks_uri: `${issuer}/keys` };
      const body = request.url === '/keys' ? { keys } : metadata;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    const issuer = `http://127.0.0.1:${await bind(server)}`;
    closing(server);
    /** A token of this type; undefined means none. */
    const typed = (
      typ: string | undefined,
      claims: Record<string, unknown> = {},
      key: webcrypto.CryptoKey = privateKey,
    ) =>
      new SignJWT({ iss: issuer, sub: 'user_alice', exp: NOW + 60, scope: 'interns vault:read', ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'one', ...(typ === undefined ? {} : { typ }) })
        .sign(key);
    const token = (claims: Record<string, unknown>, key?: webcrypto.CryptoKey) => typed('at+jwt', claims, key);
    return { issuer, token, typed };
  }

  it('is trusted for who it says and what it grants, and nothing else', async () => {
    const { issuer, token } = await startIssuer();
    const emulator = await start({ oidcIssuer: issuer, clock: 'virtual' });
    const status = async (claims: Record<string, unknown>, key?: webcrypto.CryptoKey) =>
      (await call(emulator, await token(claims, key), '/daemon/sign', SIGN)).status;
    expect(await status({})).toBe(200);
    expect(await status({ scope: undefined, scp: ['interns', 'vault:read'] })).toBe(200);
    expect(await status({ scope: 'interns' })).toBe(403);
    for (const scope of [undefined, '', 'vault:read', 'openid profile', 'internship'])
      expect([scope, await status({ scope })]).toEqual([scope, 401]);
    expect(await status({ sub: 'somebody_else' })).toBe(401);
    expect(await status({ iss: 'http://127.0.0.1:9' })).toBe(401);
    expect(await status({ exp: NOW - 1 })).toBe(401);
    expect(await status({ exp: undefined })).toBe(401);
    expect(await status({}, (await generateKeyPair('ES256')).privateKey)).toBe(401);
    expect((await call(emulator, 'a.b.c', '/daemon/sign', SIGN)).status).toBe(401);
    // No provider of our own beside it.
    expect((await fetch(new URL('/oidc/.well-known/openid-configuration', emulator.target.base_url))).status).toBe(404);
  });

  it('is trusted for its access tokens, never for an ID or a logout token', async () => {
    const { issuer, typed } = await startIssuer();
    const emulator = await start({ oidcIssuer: issuer, clock: 'virtual' });
    const status = async (typ: string | undefined, claims?: Record<string, unknown>) =>
      (await call(emulator, await typed(typ, claims), '/daemon')).status;
    for (const typ of ['at+jwt', 'application/AT+JWT', 'JWT', undefined])
      expect([typ, await status(typ)]).toEqual([typ, 200]);
    for (const typ of ['logout+jwt', 'secevent+jwt', 'dpop+jwt', 'id+jwt'])
      expect([typ, await status(typ)]).toEqual([typ, 401]);
    expect(await status('JWT', { typ: 'Bearer', token_use: 'access' })).toBe(200);
    const others = [
      { nonce: 'n' },
      { at_hash: 'x' },
      { c_hash: 'x' },
      { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
      { typ: 'ID' },
      { typ: 'Logout' },
      { typ: 'Refresh' },
      { token_use: 'id' },
    ];
    for (const claims of others) expect([claims, await status('JWT', claims)]).toEqual([claims, 401]);
  });

  it('has its audience checked where one is given', async () => {
    const { issuer, token } = await startIssuer();
    const emulator = await start({ oidcIssuer: issuer, oidcAudience: 'https://interns.test', clock: 'virtual' });
    const status = async (aud: unknown) => (await call(emulator, await token({ aud }), '/daemon')).status;
    expect(await status('https://interns.test')).toBe(200);
    expect(await status(['other', 'https://interns.test'])).toBe(200);
    for (const aud of ['other', ['other'], undefined]) expect([aud, await status(aud)]).toEqual([aud, 401]);
    expect(() => createEmulator({ oidcAudience: 'x' })).toThrow(/issuer/);
  });

  it('that never answers holds nobody up for long', async () => {
    const mute = createServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      mute.closeAllConnections();
      mute.close();
    });
    const logged: unknown[] = [];
    const resolve = createOutside(
      {
        clock: { now: () => 0 },
        random: { bytes: () => Buffer.alloc(0) },
        members: [],
        issuer: () => '',
        log: (record) => void logged.push(record),
      },
      `http://127.0.0.1:${(mute.address() as AddressInfo).port}`,
      20,
    );
    expect(await resolve('a.b.c')).toBeUndefined();
    expect(logged).toMatchObject([{ event: 'login_refused' }]);
  });

  it('that cannot be reached makes tokens worth nothing, until it can', async () => {
    const emulator = await start({ oidcIssuer: 'http://127.0.0.1:1' });
    const { token } = await startIssuer();
    expect((await call(emulator, await token({}), '/daemon')).status).toBe(401);
  });
});

describe('the provider is guarded as the control interface is', () => {
  /** Sends what fetch would not: a Host, an Origin. */
  const send = (port: number, host: string, path: string, options: RequestOptions = {}) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = { host, ...options.headers } as OutgoingHttpHeaders;
      const sent = request({ ...options, port, host: '127.0.0.1', path, headers }, async (response) =>
        resolve({ status: response.statusCode ?? 0, text: await text(response) }),
      );
      sent.once('error', reject);
      sent.end();
    });
  const DISCOVERY = '/oidc/.well-known/openid-configuration';

  it('by Host, and by Origin on what changes something', async () => {
    const emulator = await start({ allowHosts: ['app.test'] });
    const port = Number(new URL(emulator.target.base_url).port);
    expect((await send(port, `localhost:${port}`, DISCOVERY)).status).toBe(200);
    const foreign = await send(port, 'app.test', DISCOVERY);
    expect([foreign.status, JSON.parse(foreign.text).error]).toEqual([403, 'access_denied']);
    const post = (origin: string) =>
      send(port, `localhost:${port}`, '/oidc/reg', { method: 'POST', headers: { origin } });
    expect((await post('http://evil.example')).status).toBe(403);
    expect((await post('null')).status).toBe(403);
    expect((await post(`http://localhost:${port}`)).status).toBe(400);
    const read = { headers: { origin: 'http://evil.example' } };
    expect((await send(port, `localhost:${port}`, DISCOVERY, read)).status).toBe(200);
  });

  it('by the site that a browser names, but for those that navigate to it and pages that are let in', async () => {
    const emulator = await start();
    const port = Number(new URL(emulator.target.base_url).port);
    const status = async (path: string, mode: string, headers: Record<string, string> = {}) =>
      (
        await send(port, `localhost:${port}`, path, {
          headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, ...headers },
        })
      ).status;
    const authorize = `/oidc/auth?client_id=${TERMINAL_CLIENT}`;
    expect(await status(authorize, 'no-cors')).toBe(403);
    expect(await status(authorize, 'navigate')).not.toBe(403);
    expect(await status('/oidc/jwks', 'no-cors')).toBe(403);
    expect(await status('/oidc/jwks', 'cors', { origin: 'https://app.test' })).toBe(403);
    expect(await status('/oidc/jwks', 'cors', { origin: 'http://localhost:3000' })).toBe(200);
  });

  it('by the control token where it listens beyond loopback', async () => {
    const { at } = await listening({ controlToken: 'sesame' }, { host: '0.0.0.0' });
    const port = Number(new URL(at.url).port);
    const get = (authorization?: string) =>
      send(port, 'box.test', DISCOVERY, authorization === undefined ? {} : { headers: { authorization } });
    expect((await get()).status).toBe(403);
    expect((await get('Bearer wrong')).status).toBe(403);
    expect((await get('Bearer sesame')).status).toBe(200);
  });

  it('answers errors in its own form, with no stack, to the client or on standard error', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const emulator = await start();
    const post = (headers: Record<string, string> = {}) =>
      fetch(new URL('/oidc/device', emulator.target.base_url), {
        method: 'POST',
        headers,
        body: new URLSearchParams({ xsrf: 'x', user_code: 'AAAA' }),
      });
    for (const cookie of ['', '_session=unknown', '_session=%ff; _session.sig=x']) {
      const answer = await post({ cookie });
      expect([cookie, answer.status]).toEqual([cookie, 400]);
      expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
    }
    const page = await post({ accept: 'text/html' });
    expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    for (const path of ['/oidc/device/auth', '/oidc/Device/Auth/']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await fetch(new URL(path, emulator.target.base_url), { method });
        expect([method, path, answer.status, answer.headers.get('allow')]).toEqual([
          method,
          path,
          405,
          'POST, OPTIONS',
        ]);
        if (method === 'GET') expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
      }
    }
    for (const path of ['/oidc/device/unknown', '/oidc/auth/unknown', '/oidc/DEVICE/unknown/']) {
      const answer = await fetch(new URL(path, emulator.target.base_url));
      expect([path, answer.status]).toEqual([path, 400]);
    }
    const nowhere = await fetch(new URL('/oidc/nowhere', emulator.target.base_url));
    expect(nowhere.status).toBe(404);
    expect(nowhere.headers.get('x-request-id')).toMatch(/^[\w-]+$/);
    expect(await nowhere.json()).toMatchObject({ error: 'invalid_request' });
    expect(logged).not.toHaveBeenCalled();
    logged.mockRestore();
  });

  it('is not there in process', async () => {
    expect((await closing(createEmulator()).fetch(DISCOVERY)).status).toBe(404);
  });
});
