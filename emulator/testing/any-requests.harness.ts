import fc from 'fast-check';
import type { Emulator } from '../index.js';

/** A request of any kind, as data: the same bytes are sent wherever it goes. */
export interface AnyRequest {
  readonly method: string;
  /** Below the base URL, or the control URL for `control`. Here and in the body `{name}` stands for a part of the target. */
  readonly path: string;
  /** The intern that `{intern}` stands for. */
  readonly nth?: number;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** The sender, if not the person of the OAuth token: the manager of the directory, or a caller of the control interface. */
  readonly by?: 'management' | 'control';
}

const SHA = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const PROMPTS = ['Hello', 'script: no-usage\nGo', 'script: fails', 'script: ask-permission\nGo', 'script: nope'];
const FAULTS = [
  { operation: 'get', status: 503, probability: 0.5, times: 'always' },
  { operation: 'chat', status: 429, after: 1 },
  { operation: 'create', at: 'vault', probability: 0.5 },
  { operation: 'list', status: 500, times: 2 },
];

const get = (path: string): AnyRequest => ({ method: 'GET', path });
const post = (path: string, body?: object): AnyRequest => ({ method: 'POST', path, ...(body && { body }) });
const control = (method: string, path: string, body?: object): AnyRequest => ({
  ...post(path, body),
  method,
  by: 'control',
});

/** Any request. Unless `resets`, none is a reset. */
export function anyRequest(resets: boolean): fc.Arbitrary<AnyRequest> {
  const prompt = fc.constantFrom(...PROMPTS);
  const create = fc
    .record({
      name: fc.constantFrom('one', 'two', 'three'),
      provision: fc.boolean(),
      key: fc.constantFrom(undefined, 'k1', 'k2'),
    })
    .map(({ key, ...body }) => ({
      ...post('/interns', { workspace_id: '{workspace_id}', ...body }),
      ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
    }));
  const toOne = fc.oneof(
    fc.constantFrom(
      get('/interns/{intern}'),
      get('/interns/{intern}/daemon'),
      { method: 'DELETE', path: '/interns/{intern}' },
      post('/interns/{intern}/provision'),
      post('/interns/{intern}/suspend'),
      post('/interns/{intern}/daemon/sign', { bodySha256: SHA, route: { method: 'POST', path: '/a' } }),
    ),
    prompt.map((content) =>
      post('/interns/{intern}/chat/completions', {
        stream: true,
        messages: [{ role: 'user', content }],
        approval_mode: 'manual',
      }),
    ),
    prompt.map((input) => post('/interns/{intern}/invoke', { input })),
  );
  const secret = fc.constantFrom('a', 'b');
  return fc.oneof(
    create,
    fc.tuple(toOne, fc.nat(2)).map(([request, nth]) => ({ ...request, nth })),
    fc.constantFrom(get('/interns'), get('/nothing'), get('/vault/secrets'), control('GET', '/runs')),
    fc.constantFrom(
      get('/vault/interns/{intern}/secrets'),
      post('/vault/interns/{intern}/secrets/copy', { names: ['a'] }),
    ),
    fc.tuple(secret, fc.constantFrom('one', 'two')).map(([name, value]) => ({
      method: 'PUT',
      path: `/vault/secrets/${name}`,
      body: { value, hosts: ['a.test'] },
    })),
    secret.map((name) => ({ method: 'DELETE', path: `/vault/secrets/${name}` })),
    fc
      .constantFrom(
        post('/scim/sync-jobs'),
        get('/scim/group-mappings'),
        ...['admin', 'member'].map((role) =>
          post('/scim/group-mappings', {
            scim_group_id: '{scim_group_id}',
            workspace_id: '{foreign_workspace_id}',
            role,
          }),
        ),
      )
      .map((request) => ({ ...request, by: 'management' as const })),
    fc.constantFrom(1, 700, 5_000, 61_000).map((advance) => control('POST', '/clock', { advance })),
    fc.constantFrom(0, 2, 60).map((turns_per_minute) => control('PUT', '/limits', { turns_per_minute })),
    fc.constantFrom(...FAULTS).map((fault) => control('POST', '/faults', fault)),
    ...(resets ? [fc.constant(control('POST', '/reset'))] : []),
  );
}

/** A client of an emulator, or of a space of it, that returns status, headers and bytes of every answer. */
export function createClient(emulator: Emulator, target = emulator.target) {
  const { base_url, control_url, credentials } = target;
  const idOf = async (nth: number): Promise<string> => {
    const response = await emulator.fetch(`${control_url}/interns`);
    const { data } = (await response.json()) as { data: { id: string }[] };
    return data[nth % Math.max(1, data.length)]?.id ?? '0b000000-0000-4000-8000-00000000000f';
  };
  return async ({ method, path, nth = 0, body, headers, by }: AnyRequest): Promise<string> => {
    const known = { ...target, intern: path.includes('{intern}') ? await idOf(nth) : '' };
    const filled = (text: string) =>
      text.replaceAll(/\{([a-z_]+)\}/g, (_, name) => String(known[name as keyof typeof known]));
    const token = by === 'management' ? credentials.management_key : credentials.oauth_token;
    const response = await emulator.fetch((by === 'control' ? control_url : base_url) + filled(path), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: filled(JSON.stringify(body)) }),
    });
    return `${response.status} ${JSON.stringify([...response.headers])}\n${await response.text()}`;
  };
}
