import { equal, isObject, match, notEqual, ok, oneOf, UUID } from '../model/assert.js';
import { CREDENTIAL_NAMES, internPath } from '../probe/request.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { onRunning, onStopped } from './steps/interns.js';

/** Credentials of a target descriptor. Own keys belong to interns. */
const CREDENTIALS = CREDENTIAL_NAMES.filter((name) => name !== 'own_key');

/** A call of the control interface: its status and its JSON. */
async function call({ control }: Ctx, method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const response = await control.call(method, path, body, headers);
  const text = await response.text();
  let json: Record<string, unknown> = {};
  try {
    json = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // Some calls answer nothing.
  }
  return { status: response.status, text, json };
}

/** A refusal of the caller's doing. */
const refused = (status: number, what: string) => ok(status >= 400 && status < 500, what, 'a refusal', status);

export const CONTROL = checksOf('EMU-1', {
  'emulator/health': {
    title: 'health says ok and the version.',
    needs: ['control'],
    async run(ctx) {
      const { status, json } = await call(ctx, 'GET', '/health');
      equal([status, json.status], [200, 'ok'], 'status of /_emulator/health, and what it says');
      ok(typeof json.version === 'string' && json.version !== '', 'version', 'a version', json.version);
    },
  },
  'emulator/target': {
    title: 'target shows addresses, workspaces, subjects, keys and credentials.',
    needs: ['control'],
    async run(ctx) {
      const { status, json } = await call(ctx, 'GET', '/target');
      equal(status, 200, 'status of /_emulator/target');
      match(json.base_url, /^https?:\/\/.+\/api\/v1$/, 'base_url');
      match(json.control_url, /^https?:\/\/.+\/_emulator$/, 'control_url');
      match(json.daemon_origin, /^https?:\/\/[^/]+$/, 'daemon_origin');
      for (const key of ['workspace_id', 'foreign_workspace_id', 'scim_mapping_id']) match(json[key], UUID, key);
      notEqual(json.foreign_workspace_id, json.workspace_id, 'foreign_workspace_id');
      notEqual(json.peer_oauth_subject, json.oauth_subject, 'peer_oauth_subject');
      oneOf(json.clock, ['real', 'virtual'], 'clock');
      ok(Array.isArray(json.public_keys) && json.public_keys.length > 0, 'public_keys', 'JWKs', json.public_keys);
      for (const key of json.public_keys as Record<string, unknown>[]) {
        equal(
          [key.kty, key.crv, 'd' in key],
          ['OKP', 'Ed25519', false],
          'kty and crv of a public key, and whether it is private',
        );
        equal(Buffer.from(String(key.x), 'base64url').length, 32, 'bytes of a public key');
      }
      isObject(json.credentials, 'credentials');
      const values = CREDENTIALS.map((name) => (json.credentials as Record<string, unknown>)[name]);
      for (const [at, value] of values.entries()) match(value, /^\S+$/, CREDENTIALS[at] ?? '');
      equal(new Set(values).size, values.length, 'different credentials');
      isObject(json.credentials.intern, 'credentials.intern');
      match(json.credentials.intern.id, UUID, 'credentials.intern.id');
    },
  },
  'emulator/reset-forgets': {
    requirement: 'EMU-7',
    title: 'A reset removes scripts, faults, limits and interns that were added since the start.',
    ...onStopped(['control', 'disposable', 'write'], async (ctx, intern) => {
      const name = await ctx.control.script({ turn: [{ say: 'put' }] });
      equal((await ctx.control.call('GET', `/scripts/${name}`)).status, 200, 'status of the script that was put');
      await ctx.control.fault({ operation: 'get', times: 3, status: 503 });
      await ctx.reset();
      equal((await ctx.control.call('GET', `/scripts/${name}`)).status, 404, 'status of the script after the reset');
      expect.status(await ctx.api.get(intern.id), 404, 'the intern after the reset');
      expect.status(await ctx.api.list({ limit: 1 }), 200, 'the list after the reset');
    }),
  },
  'emulator/intern-view': {
    requirement: 'EMU-4',
    title: 'An intern is shown with its record, vault, script, own key and runs; an unknown one is 404.',
    ...onRunning(['control', 'running'], async (ctx, { id }) => {
      const { api, interns, control } = ctx;
      const view = await control.intern(id);
      const read = expect.intern(await api.get(id), 200, 'the read');
      for (const key of ['id', 'name', 'status', 'vault_id', 'updated_at'] as const) {
        equal(view.intern[key], read[key], `${key} of the intern shown`);
      }
      equal([view.vault?.id, view.script, view.runs], [read.vault_id, null, []], 'vault, script and runs');
      expect.status(await api.get(id, { as: { bearer: view.api_key } }), 200, 'the read with the key shown');
      await control.useScript(id, 'unicode');
      equal((await control.intern(id)).script, 'unicode', 'script that was put on it');
      const none = await call(ctx, 'PUT', internPath(id, '/script'), { name: 'kit-has-no-such-script' });
      refused(none.status, 'putting an unknown script on an intern');
      equal((await call(ctx, 'GET', internPath(interns.unknownId()))).status, 404, 'status of an unknown intern');
    }),
  },
  'emulator/loopback-only': {
    requirement: 'EMU-10',
    title: 'The control interface answers only loopback names: another Host is refused, for reads and writes.',
    needs: ['control'],
    async run(ctx) {
      const { control, target } = ctx;
      const { port } = new URL(target.baseUrl);
      equal((await call(ctx, 'GET', '/health', undefined, { host: `localhost:${port}` })).status, 200, 'localhost');
      const hosts = [
        'evil.example',
        'localhost.evil.example',
        '127.0.0.1.evil.example',
        'evil-localhost',
        '10.0.0.1',
        '169.254.1.1',
      ];
      for (const host of hosts) {
        for (const [method, path, body] of [
          ['GET', '/target', undefined],
          ['PUT', '/limits', { turns_per_minute: 1 }],
        ] as const) {
          const answer = await call(ctx, method, path, body, { host: `${host}:${port}` });
          refused(answer.status, `${method} ${path} with Host ${host}`);
          ok(!answer.text.includes('api_key'), `${method} ${path} with Host ${host}`, 'no credential');
        }
      }
      const limits = (await (await control.call('GET', '/limits')).json()) as { turns_per_minute: number };
      notEqual(limits.turns_per_minute, 1, 'turns_per_minute after refused writes');
    },
  },
  'emulator/cross-site': {
    requirement: 'EMU-10',
    title: 'A request from the page of another site is refused.',
    needs: ['control'],
    async run(ctx) {
      const { target } = ctx;
      const own = new URL(target.baseUrl).origin;
      equal((await call(ctx, 'GET', '/health', undefined, { origin: own })).status, 200, 'a request of its own origin');
      for (const origin of [
        'https://evil.example',
        'http://127.0.0.1.evil.example',
        'http://evil.example:4683',
        'null',
      ]) {
        for (const [method, path, body] of [
          ['GET', '/target', undefined],
          ['POST', '/clock', { advance: 1 }],
        ] as const) {
          const { status } = await call(ctx, method, path, body, { origin });
          refused(status, `${method} ${path} from ${origin}`);
        }
      }
    },
  },
  'emulator/bad-calls': {
    title: 'An unknown call, or one with a wrong body, is refused and changes nothing.',
    needs: ['control', 'clock'],
    async run(ctx) {
      const before = await ctx.clock.now();
      const wrong: readonly (readonly [string, string, unknown])[] = [
        ['GET', '/no-such-thing', undefined],
        ['POST', '/clock', {}],
        ['POST', '/clock', { advance: 'soon' }],
        ['POST', '/clock', { advance: -1 }],
        ['POST', '/clock', { advance: null }],
        ['PUT', '/limits', { turns_per_minute: -1 }],
        ['PUT', '/limits', { turns_per_minute: 'many' }],
        ['PUT', '/limits', {}],
        ['POST', '/faults', { operation: 'no-such-operation', status: 500 }],
        ['POST', '/faults', { operation: 'get', status: 200 }],
        ['POST', '/faults', { operation: 'get', status: 500, times: 0 }],
        ['POST', '/faults', { operation: 'get', at: 'vault' }],
      ];
      for (const [method, path, body] of wrong) {
        const { status } = await call(ctx, method, path, body);
        refused(status, `${method} ${path} with ${JSON.stringify(body)}`);
      }
      equal(await ctx.clock.now(), before, 'the clock after refused calls');
      equal((await call(ctx, 'GET', '/faults')).json.data, [], 'faults after refused calls');
    },
  },
});
