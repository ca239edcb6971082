import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { createRandom } from '../clock/random.js';
import { seededTarget } from '../control/target.js';
import { createCors } from '../http/cors.js';
import { createEmulator, type Emulator, type EmulatorOptions } from '../index.js';
import { loadSeed } from '../options/options.js';
import { createRootMount } from '../serving/addresses.js';
import { plainGet } from '../testing/plain-get.harness.js';
import { createSpaces, type SpaceView } from './spaces.js';

const make = (options: EmulatorOptions = {}) => closing(createEmulator({ clock: 'virtual', seed: 'host', ...options }));

const post = (emulator: Emulator, body?: unknown) =>
  emulator.fetch('/_emulator/spaces', {
    method: 'POST',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const space = async (emulator: Emulator, body?: unknown): Promise<SpaceView> => {
  const response = await post(emulator, body);
  expect(response.status).toBe(201);
  return (await response.json()) as SpaceView;
};
const message = async (response: Response) =>
  ((await response.json()) as { error: { code: number; message: string } }).error.message;

describe('a space', () => {
  test('is an emulator of its own below its prefix', async () => {
    const emulator = make();
    const { target } = await space(emulator, { name: 'one', clock: 'virtual' });
    expect(target.base_url).toBe(emulator.target.base_url.replace('/api/v1', '/spaces/one/api/v1'));
    expect(target.control_url).toBe(emulator.target.control_url.replace('/_emulator', '/spaces/one/_emulator'));
    expect(target.daemon_origin).toBe(emulator.target.daemon_origin);
    const headers = { authorization: `Bearer ${target.credentials.api_key}` };
    expect((await emulator.fetch(`${target.base_url}/interns`, { headers })).status).toBe(200);
    const journal = (await (await emulator.fetch(`${target.control_url}/journal`)).json()) as {
      data: { request: { url: string } }[];
    };
    expect(journal.data.at(-1)?.request.url).toBe(`${target.base_url}/interns`);
  });

  test('leads to itself: the page, the deprecated alias, its listing', async () => {
    const emulator = make();
    const { target } = await space(emulator, { name: 'one' });
    const page = await emulator.fetch('/spaces/one', { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect(page.headers.get('location')).toBe('/spaces/one/_emulator/');
    const alias = await emulator.fetch(`${target.base_url}/interns/${target.credentials.intern?.id}/daemon-access`, {
      headers: { authorization: `Bearer ${target.credentials.oauth_token}` },
    });
    expect(alias.headers.get('link')).toContain('</spaces/one/api/v1/interns/');
    const { data } = (await (await emulator.fetch(`${target.control_url}`)).json()) as { data: { path: string }[] };
    expect(data.map(({ path }) => path)).toContain('/_emulator/reset');
    expect(data.map(({ path }) => path).filter((path) => path.includes('spaces'))).toEqual([]);
  });

  test('has daemons of its own at the one listener, also where two spaces have one seed', async () => {
    const emulator = make();
    const spaces = [await space(emulator, { seed: 'same' }), await space(emulator, { seed: 'same' })];
    const revealed = async ({ base_url, credentials }: SpaceView['target']) => {
      const response = await emulator.fetch(`${base_url}/interns/${credentials.intern?.id}/daemon`, {
        headers: { authorization: `Bearer ${credentials.oauth_token}` },
      });
      return (await response.json()) as { origin: string; token: string };
    };
    const [one, other] = [await revealed(spaces[0]?.target as never), await revealed(spaces[1]?.target as never)];
    expect(one.token).not.toBe(other.token);
    expect(one.token.slice(0, -8)).toBe(other.token.slice(0, -8));
    const asked = async (token: string) => {
      const response = await emulator.daemon.fetch(`${one.origin}/api/invoke`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      });
      return ((await response.json()) as { error: { metadata: { reason: string } } }).error.metadata.reason;
    };
    expect(await asked(one.token)).toBe('proof_missing');
    expect(await asked(other.token)).toBe('proof_missing');
    expect(await asked((await revealed(emulator.target)).token)).toBe('proof_missing');
    // A state that was exported elsewhere, tokens included, belongs to this space from then on.
    const exported = await (await emulator.fetch(`${spaces[0]?.target.control_url}/state?credentials=1`)).text();
    await emulator.fetch(`${spaces[1]?.target.control_url}/state`, { method: 'PUT', body: exported });
    expect((await revealed(spaces[1]?.target as never)).token).toBe(other.token);
    await emulator.fetch(`/_emulator/spaces/${spaces[0]?.name}`, { method: 'DELETE' });
    expect(await asked(one.token)).toBe('token_invalid');
    expect(await asked(other.token)).toBe('proof_missing');
  });

  test('takes clock, seed, profile and settings of its own, and else what its emulator has', async () => {
    const emulator = make({ settings: { keepalive: 7_000 } });
    const given = { clock: 'real', profile: 'openrouter', settings: { turns_per_minute: 3, keepalive: '9s' } };
    const own = await space(emulator, given);
    expect(own.target).toMatchObject({ clock: 'real', profile: 'openrouter' });
    const limits = await emulator.fetch(`${own.target.control_url}/limits`);
    expect(await limits.json()).toEqual({ turns_per_minute: 3 });
    expect((await space(emulator)).target).toMatchObject({ clock: 'virtual', profile: 'svc' });
  });

  test('of one name and one host seed begins alike each time', async () => {
    const keys = async () => {
      const emulator = make({ seed: 'again' });
      return (await space(emulator, { name: 'test-7' })).target.public_keys;
    };
    expect(await keys()).toEqual(await keys());
  });

  test('of one seed and another name has another key, and the same one each time', async () => {
    const keys = async () => {
      const emulator = make();
      const spaces = [
        await space(emulator, { name: 'one', seed: 'same' }),
        await space(emulator, { name: 'two', seed: 'same' }),
      ];
      return [...spaces, createEmulator({ seed: 'same' })].map(({ target }) => target.public_keys[0]?.x);
    };
    const found = await keys();
    expect(new Set(found).size).toBe(3);
    expect(await keys()).toEqual(found);
  });

  test('that is invalid, is taken, has ended or is malformed is refused in one clear line', async () => {
    const emulator = make({ maxSpaces: 2 });
    await space(emulator, { name: 'one' });
    const taken = await post(emulator, { name: 'one' });
    expect([taken.status, await message(taken)]).toEqual([409, 'the space one exists already: choose another name']);
    for (const [body, where] of [
      [{ name: '../x' }, 'name'],
      [{ clock: 'slow' }, 'clock'],
      [{ profile: '/etc/passwd' }, 'profile'],
      [{ settings: { keepalive: 0 } }, 'settings.keepalive'],
      [{ settings: { keep: 1 } }, 'settings'],
      [{ names: 'x' }, 'body'],
    ] as const) {
      const refused = await post(emulator, body);
      expect(refused.status).toBe(400);
      expect(await message(refused)).toMatch(new RegExp(`^${where}: `));
    }
    await space(emulator, { name: 'two' });
    const many = await post(emulator, {});
    expect([many.status, await message(many)]).toEqual([
      409,
      'there are 2 spaces already (see --max-spaces): end one with DELETE /_emulator/spaces/{name}',
    ]);
    expect((await emulator.fetch('/_emulator/spaces/one', { method: 'DELETE' })).status).toBe(204);
    for (const path of ['/spaces/one/api/v1/interns', '/spaces/one/_emulator/target', '/_emulator/spaces/one']) {
      const gone = await emulator.fetch(path);
      expect(gone.status).toBe(404);
      expect(await message(gone)).toBe('the space one has ended: it was deleted; POST /_emulator/spaces makes one');
    }
    const origin = 'http://localhost:3000';
    const allowed = async (path: string) =>
      (await emulator.fetch(path, { headers: { origin } })).headers.get('access-control-allow-origin');
    expect(await allowed('/spaces/one/api/v1/interns')).toBe(origin);
    expect(await allowed('/spaces/one/_emulator/target')).toBeNull();
    const never = await emulator.fetch('/spaces/never/api/v1/interns');
    expect(await message(never)).toBe('space never does not exist; POST /_emulator/spaces makes one');
    expect((await emulator.fetch('/spaces/never/_emulator/spaces', { method: 'POST' })).status).toBe(404);
    const listed = (await (await emulator.fetch('/_emulator/spaces')).json()) as { data: SpaceView[] };
    expect(listed.data.map(({ name }) => name)).toEqual(['two']);
    await space(emulator, { name: 'one' });
  });

  test('that nobody uses ends; one with a request under way does not', async () => {
    let time = 0;
    let look = () => {};
    let looking = 0;
    const closed: string[] = [];
    const spaces = createSpaces({
      mount: createRootMount(undefined, undefined),
      random: createRandom('idle'),
      idle: 1_000,
      most: 10,
      host: {
        now: () => time,
        every(_, work) {
          look = work;
          looking++;
          return () => void looking--;
        },
      },
      regional: () => false,
      cors: createCors(),
      make: (_, mount) => ({
        answer: () => new Response(),
        daemon: async () => new Response(),
        target: {
          ...seededTarget(loadSeed()),
          ...mount.addresses(),
          profile: 'svc',
          default_workspace: false,
          clock: 'real',
          public_keys: [],
        },
        close: async () => void closed.push(mount.prefix),
      }),
    });
    spaces.create({ name: 'idle' });
    spaces.create({ name: 'followed' });
    const response = new EventEmitter();
    const request = { url: '/spaces/followed/_emulator/events' };
    expect(spaces.mounted(request as IncomingMessage, response as ServerResponse)).toBeDefined();
    expect(request.url).toBe('/_emulator/events');
    time = 999;
    look();
    expect(closed).toEqual([]);
    time = 1_000;
    look();
    expect(closed).toEqual(['/spaces/idle']);
    expect(() => spaces.get('idle')).toThrow('has ended: it was not used for 1000 ms');
    time = 5_000;
    look();
    response.emit('close');
    time = 5_999;
    look();
    expect(closed).toEqual(['/spaces/idle']);
    time = 6_000;
    look();
    expect(closed).toEqual(['/spaces/idle', '/spaces/followed']);
    expect(looking).toBe(0);
  });

  test('keeps the guards of the control interface, hosts and regional hosts over HTTP', async () => {
    const emulator = make({ controlToken: 'secret' });
    const at = await emulator.listen({ port: 0 });
    const token = { authorization: 'Bearer secret' };
    const made = await fetch(`${at.controlUrl}/spaces`, { method: 'POST', headers: token, body: '{"name":"one"}' });
    const { target } = (await made.json()) as SpaceView;
    expect(made.headers.get('location')).toBe(target.control_url);
    expect((await fetch(`${at.controlUrl}/spaces`, { method: 'POST', body: '{}' })).status).toBe(403);
    expect((await fetch(`${target.control_url}/target`)).status).toBe(403);
    expect((await fetch(`${target.control_url}/target`, { headers: token })).status).toBe(200);
    expect((await fetch(`${target.control_url}/health`)).status).toBe(200);
    const foreign = { ...token, origin: 'https://evil.test' };
    expect((await fetch(`${target.control_url}/target`, { headers: foreign })).status).toBe(403);
    const status = (path: string, host: string) =>
      plainGet(at.url, { host, authorization: `Bearer ${target.credentials.api_key}` }, path);
    const path = '/spaces/one/api/v1/interns';
    expect(await status(path, 'localhost')).toBe(200);
    expect(await status(path, 'eu.localhost')).toBe(403);
    expect(await status(path, 'eu.127.0.0.1')).toBe(403);
    expect(await status(path, 'evil.test')).toBe(421);
    expect(await status('/spaces/none/api/v1/interns', 'eu.localhost')).toBe(403);
    expect(await status('/spaces/none/api/v1/interns', 'localhost')).toBe(404);
    expect(await status(`${at.url}${path}`, 'localhost')).toBe(200);
  });

  test('logs people in at its own issuer', async () => {
    const emulator = make();
    await emulator.listen({ port: 0 });
    const { target } = await space(emulator, { name: 'one' });
    const issuer = target.base_url.replace('/api/v1', '/oidc');
    const discovery = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as Record<
      string,
      string
    >;
    expect(discovery.issuer).toBe(issuer);
    expect(discovery.token_endpoint).toBe(`${issuer}/token`);
    const asked = new URL(`${discovery.authorization_endpoint}`);
    asked.search = new URLSearchParams({
      client_id: 'intern-terminal',
      response_type: 'code',
      redirect_uri: 'http://127.0.0.1/callback',
      scope: 'openid interns',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    }).toString();
    const led = await fetch(asked, { redirect: 'manual' });
    expect(led.headers.get('location')).toMatch(/\/spaces\/one\/oidc\/interaction\//);
    const cookie = led.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    const page = await fetch(new URL(led.headers.get('location') ?? '', issuer), { headers: { cookie } });
    expect(await page.text()).toContain('action="/spaces/one/oidc/interaction/');
  });

  test('ends with its emulator, streams and all', async () => {
    const emulator = createEmulator({ clock: 'virtual' });
    const { target } = await space(emulator);
    const chat = await emulator.fetch(`${target.base_url}/interns/${target.credentials.intern?.id}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${target.credentials.api_key}` },
      body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: never-ends' }] }),
    });
    await emulator.close();
    expect(await chat.text()).toContain('run_ended');
  });
});
