import { describe, expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { createEmulator } from '../emulator.js';
import type { EmulatorOptions } from '../options/options.js';
import { listening } from '../testing/listening.harness.js';

function start(options: EmulatorOptions = {}) {
  const emulator = closing(createEmulator({ clock: 'virtual', ...options }));
  const { base_url, credentials, daemon_origin } = emulator.target;
  const authorization = `Bearer ${credentials.api_key}`;
  const preflight = (origin: string | null, headers: Record<string, string> = {}, path = '/interns') =>
    emulator.fetch(base_url + path, {
      method: 'OPTIONS',
      headers: { ...(origin === null ? {} : { origin }), 'access-control-request-method': 'POST', ...headers },
    });
  const get = (origin: string | null, path = '/interns') =>
    emulator.fetch(base_url + path, { headers: { authorization, ...(origin === null ? {} : { origin }) } });
  return { emulator, preflight, get, base_url, authorization, daemon_origin };
}

const cors = (response: Response) =>
  Object.fromEntries([...response.headers].filter(([name]) => name.startsWith('access-control-')));

const LOOPBACK = [
  'http://localhost:3000',
  'http://127.0.0.1:5173',
  'https://app.localhost',
  'http://[::1]:8080',
  'http://127.8.9.10',
];
const FOREIGN = [
  'https://example.com',
  'http://localhost.example.com',
  'http://127.0.0.1.example.com',
  'null',
  'file://localhost',
  'no origin',
];

describe('WEB-1: preflights, before the credential is looked at', () => {
  test.each(LOOPBACK)('%s may, with the headers that it asks for', async (origin) => {
    const { preflight } = start();
    const asked = { 'access-control-request-headers': 'authorization,content-type,x-stainless-os' };
    const response = await preflight(origin, asked);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(cors(response)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': expect.stringMatching(/GET.*POST.*PATCH.*DELETE/),
      'access-control-allow-headers': 'authorization,content-type,x-stainless-os',
      'access-control-max-age': '600',
      'access-control-expose-headers': expect.any(String),
    });
    expect(response.headers.get('vary')).toBe('Origin');
    expect(response.headers.get('x-request-id')).toBeTruthy();
  });

  test('BASE-6: one to a daemon, or to a space that does not exist, carries a request id too', async () => {
    const { emulator, base_url, daemon_origin } = start();
    const headers = { origin: LOOPBACK[0] ?? '', 'access-control-request-method': 'POST' };
    const ask = (given = {}) => ({ method: 'OPTIONS', headers: { ...headers, ...given } });
    const space = base_url.replace('/api/v1', '/spaces/none/api/v1/interns');
    const [own, mine, nowhere] = await Promise.all([
      emulator.daemon.fetch(`${daemon_origin}/x`, ask()),
      emulator.daemon.fetch(`${daemon_origin}/x`, ask({ 'x-request-id': 'mine' })),
      emulator.fetch(space, ask()),
    ]);
    expect([own.status, mine.status, nowhere.status]).toEqual([204, 204, 204]);
    expect(own.headers.get('x-request-id')).toBeTruthy();
    expect(mine.headers.get('x-request-id')).toBe('mine');
    expect(nowhere.headers.get('x-request-id')).toBeTruthy();
  });

  test('one that asks for no headers gets the usual ones, proofs of the profile among them', async () => {
    const { preflight } = start({ profile: 'openrouter' });
    const allowed = (await preflight('http://localhost:3000')).headers.get('access-control-allow-headers');
    expect(allowed?.split(', ')).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'idempotency-key',
        'x-request-id',
        'x-ori-invoke-signature',
        'x-ori-invoke-nonce',
      ]),
    );
  });

  test('private networks are let in where they are asked for', async () => {
    const { preflight } = start();
    const name = 'access-control-allow-private-network';
    const asked = { 'access-control-request-private-network': 'true' };
    expect((await preflight('http://localhost:1', asked)).headers.get(name)).toBe('true');
    expect((await preflight('http://localhost:1')).headers.has(name)).toBe(false);
  });

  test.each(FOREIGN)('%s is answered 204 without any of it, and says what to do', async (origin) => {
    const { preflight, get, emulator } = start();
    const response = await preflight(origin, { 'access-control-request-private-network': 'true' });
    expect([response.status, cors(response)]).toEqual([204, {}]);
    expect(response.headers.get('x-emulator-detail')).toContain(`start with --cors ${origin}`);
    expect(cors(await get(origin))).toEqual({});
    const journal = (await (await emulator.fetch('/_emulator/journal')).json()) as { data: { wrong: string | null }[] };
    expect(journal.data[0]?.wrong).toContain(`--cors ${origin}`);
  });

  test('also of unknown paths, and of a caller who may not see them', async () => {
    const { preflight } = start();
    for (const path of ['/interns/unknown', '/nothing', '/scim/group-mappings/1'])
      expect((await preflight('http://localhost:1', {}, path)).status).toBe(204);
  });

  test('a bare OPTIONS is BASE-5 as ever: it needs the credential', async () => {
    const { emulator, base_url, authorization } = start();
    const origin = 'http://localhost:3000';
    const bare = (headers: Record<string, string>) =>
      emulator.fetch(`${base_url}/interns`, { method: 'OPTIONS', headers: { origin, ...headers } });
    expect((await bare({})).status).toBe(401);
    const answered = await bare({ authorization });
    expect([answered.status, answered.headers.get('allow')]).toEqual([204, 'GET, POST, HEAD, OPTIONS']);
  });

  test('a regional host is refused before anything else', async () => {
    const { emulator } = start();
    const headers = { origin: 'http://localhost:1', 'access-control-request-method': 'GET' };
    const response = await emulator.fetch('http://eu.localhost/api/v1/interns', { method: 'OPTIONS', headers });
    expect(response.status).toBe(403);
  });
});

describe('WEB-1: answers', () => {
  test('carry what a page may read, errors and streams too', async () => {
    const { emulator, get, base_url, authorization } = start();
    const origin = 'http://localhost:3000';
    const exposed = 'x-request-id, retry-after, x-emulator-detail, deprecation, link, location';
    const expected = { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed };
    expect(cors(await get(origin))).toEqual(expected);
    expect(cors(await get(origin, '/interns/unknown'))).toEqual(expected);
    const refused = await emulator.fetch(`${base_url}/interns`, { headers: { origin } });
    expect([refused.status, cors(refused)]).toEqual([401, expected]);
    const stream = await emulator.fetch(
      `${base_url}/interns/${emulator.target.credentials.intern?.id}/chat/completions`,
      {
        method: 'POST',
        headers: { origin, authorization },
        body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: silent' }] }),
      },
    );
    expect([stream.status, cors(stream)]).toEqual([200, expected]);
    await stream.body?.cancel();
  });

  test('vary by origin, for every client', async () => {
    const { get } = start();
    expect((await get(null)).headers.get('vary')).toBe('Origin');
    expect((await get('https://example.com')).headers.get('vary')).toBe('Origin');
  });
});

describe('--cors', () => {
  test('names origins beside those of loopback', async () => {
    const { get } = start({ cors: ['https://app.test/', 'tauri://localhost'] });
    for (const origin of ['https://app.test', 'tauri://localhost', 'http://localhost:1'])
      expect(cors(await get(origin))).toMatchObject({ 'access-control-allow-origin': origin });
    expect(cors(await get('http://app.test'))).toEqual({});
    expect(cors(await get('https://app.test:8443'))).toEqual({});
  });

  test('* is any origin, null too', async () => {
    const { get, preflight } = start({ cors: ['*'] });
    expect(cors(await get('https://example.com'))).toMatchObject({
      'access-control-allow-origin': 'https://example.com',
    });
    expect(cors(await preflight('null'))).toMatchObject({ 'access-control-allow-origin': 'null' });
  });

  test('none admits none at all', async () => {
    const { get, preflight } = start({ cors: ['none'] });
    const response = await get('http://localhost:3000');
    expect([cors(response), response.headers.get('vary')]).toEqual([{}, null]);
    expect(cors(await preflight('http://localhost:3000'))).toEqual({});
  });

  test.each([[['app.test']], [['https://app.test/path']], [['none', '*']], [['https://']]])(
    '%j is refused',
    (entries) => {
      expect(() => createEmulator({ cors: entries })).toThrow(/^CORS: /);
    },
  );
});

test('WEB-1: the control interface stays closed to every other origin, with --cors * too', async () => {
  const { emulator } = start({ cors: ['*'] });
  for (const origin of ['http://localhost:3000', 'https://example.com', 'null']) {
    const asked = { origin, 'access-control-request-method': 'GET' };
    const preflight = await emulator.fetch('/_emulator/target', { method: 'OPTIONS', headers: asked });
    const answer = await emulator.fetch('/_emulator/target', { headers: { origin } });
    expect([preflight.status, cors(preflight), answer.status, cors(answer)]).toEqual([403, {}, 403, {}]);
  }
});

test('WEB-1: the daemons are reached from pages too', async () => {
  const { emulator, daemon_origin } = start();
  const origin = 'http://localhost:3000';
  const preflight = await emulator.daemon.fetch(`${daemon_origin}/api/invoke`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-svc-invoke-user' },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'x-svc-invoke-user']);
  const answer = await emulator.daemon.fetch(`${daemon_origin}/api/invoke`, { method: 'POST', headers: { origin } });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
});

describe('WEB-1: what a page fetches of the login', () => {
  const served = async (options: EmulatorOptions = {}) => `${(await listening(options)).at.url}/oidc`;

  test('loopback pages are answered, and no others', async () => {
    const issuer = await served();
    for (const path of ['/token', '/jwks', '/me', '/.well-known/openid-configuration']) {
      const preflight = (origin: string) =>
        fetch(issuer + path, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
      const mine = await preflight('http://localhost:3000');
      expect([path, mine.status, cors(mine)]).toMatchObject([
        path,
        204,
        { 'access-control-allow-origin': 'http://localhost:3000' },
      ]);
      const foreign = await preflight('https://example.com');
      expect([path, foreign.status, cors(foreign)]).toEqual([path, 204, {}]);
      const method = path === '/token' ? 'POST' : 'GET';
      const read = (origin: string) => fetch(issuer + path, { method, headers: { origin } });
      const answer = await read('http://localhost:3000');
      expect(answer.headers.get('access-control-allow-origin'), path).toBe('http://localhost:3000');
      expect(answer.status, path).not.toBe(403);
      expect((await read('https://example.com')).headers.has('access-control-allow-origin'), path).toBe(false);
    }
  });

  test('with --cors none, nobody', async () => {
    const issuer = await served({ cors: ['none'] });
    const response = await fetch(`${issuer}/jwks`, { headers: { origin: 'http://localhost:3000' } });
    expect(response.headers.has('access-control-allow-origin')).toBe(false);
  });
});
