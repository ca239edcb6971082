import fc from 'fast-check';
import type { Emulator } from '../index.js';

/** A request of any kind, as data: the same bytes are sent wherever it goes. */
export type AnyRequest =
  | { readonly kind: 'create'; readonly name: string; readonly provision: boolean; readonly key?: string | undefined }
  | { readonly kind: 'get' | 'provision' | 'suspend' | 'delete' | 'daemon' | 'sign'; readonly nth: number }
  | { readonly kind: 'chat' | 'invoke'; readonly nth: number; readonly prompt: string }
  | { readonly kind: 'list' | 'unknown' | 'reset' | 'runs' | 'secrets' | 'copy' | 'sync' | 'mappings' }
  | { readonly kind: 'store' | 'drop'; readonly secret: string; readonly value: string }
  | { readonly kind: 'map'; readonly role: string }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'limit'; readonly turns: number }
  | { readonly kind: 'fault'; readonly fault: object };

const nth = fc.nat(2);

/** Any request, but no `reset` if `resets` is false. */
export const anyRequest = (resets: boolean): fc.Arbitrary<AnyRequest> => {
  const kinds: fc.Arbitrary<AnyRequest>[] = [
    fc.record({
      kind: fc.constant('create' as const),
      name: fc.constantFrom('one', 'two', 'three'),
      provision: fc.boolean(),
      key: fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined }),
    }),
    fc.record({
      kind: fc.constantFrom(...(['get', 'provision', 'suspend', 'delete', 'daemon', 'sign'] as const)),
      nth,
    }),
    fc.record({
      kind: fc.constantFrom('chat' as const, 'invoke' as const),
      nth,
      prompt: fc.constantFrom(
        'Hello',
        'script: no-usage\nGo',
        'script: fails',
        'script: ask-permission\nGo',
        'script: nope',
      ),
    }),
    fc.record({ kind: fc.constantFrom('list' as const, 'unknown' as const, 'runs' as const) }),
    fc.record({ kind: fc.constantFrom(...(['secrets', 'copy', 'sync', 'mappings'] as const)) }),
    fc.record({
      kind: fc.constantFrom('store' as const, 'drop' as const),
      secret: fc.constantFrom('a', 'b'),
      value: fc.constantFrom('one', 'two'),
    }),
    fc.record({ kind: fc.constant('map' as const), role: fc.constantFrom('admin', 'member') }),
    fc.record({ kind: fc.constant('advance' as const), ms: fc.constantFrom(1, 700, 5_000, 61_000) }),
    fc.record({ kind: fc.constant('limit' as const), turns: fc.constantFrom(0, 2, 60) }),
    fc.record({
      kind: fc.constant('fault' as const),
      fault: fc.constantFrom(
        { operation: 'get', status: 503, probability: 0.5, times: 'always' },
        { operation: 'chat', status: 429, after: 1 },
        { operation: 'create', at: 'vault', probability: 0.5 },
        { operation: 'list', status: 500, times: 2 },
      ),
    }),
  ];
  if (resets) kinds.push(fc.constant({ kind: 'reset' as const }));
  return fc.oneof(...kinds);
};

const SHA = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** A client of an emulator, or of a space of it, that returns status, headers and bytes of every answer. */
export function createClient(emulator: Emulator, target = emulator.target) {
  const { base_url, control_url, credentials, workspace_id } = target;
  const send = async (method: string, url: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await emulator.fetch(url, {
      method,
      headers: { authorization: `Bearer ${credentials.oauth_token}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return `${response.status} ${JSON.stringify([...response.headers])}\n${await response.text()}`;
  };
  const manage = { authorization: `Bearer ${credentials.management_key}` };
  const idOf = async (nth: number): Promise<string> => {
    const response = await emulator.fetch(`${control_url}/interns`);
    const { data } = (await response.json()) as { data: { id: string }[] };
    return data[nth % Math.max(1, data.length)]?.id ?? '0b000000-0000-4000-8000-00000000000f';
  };
  return async (request: AnyRequest): Promise<string> => {
    if ('nth' in request) {
      const of = `${base_url}/interns/${await idOf(request.nth)}`;
      const { kind } = request;
      if (kind === 'get') return send('GET', of);
      if (kind === 'delete') return send('DELETE', of);
      if (kind === 'daemon') return send('GET', `${of}/daemon`);
      if (kind === 'sign')
        return send('POST', `${of}/daemon/sign`, { bodySha256: SHA, route: { method: 'POST', path: '/a' } });
      if (kind === 'chat')
        return send('POST', `${of}/chat/completions`, {
          stream: true,
          messages: [{ role: 'user', content: request.prompt }],
          approval_mode: 'manual',
        });
      if (kind === 'invoke') return send('POST', `${of}/invoke`, { input: request.prompt });
      return send('POST', `${of}/${kind}`);
    }
    switch (request.kind) {
      case 'create':
        return send(
          'POST',
          `${base_url}/interns`,
          { name: request.name, workspace_id, provision: request.provision },
          request.key === undefined ? {} : { 'idempotency-key': request.key },
        );
      case 'list':
        return send('GET', `${base_url}/interns`);
      case 'store':
        return send('PUT', `${base_url}/vault/secrets/${request.secret}`, { value: request.value, hosts: ['a.test'] });
      case 'drop':
        return send('DELETE', `${base_url}/vault/secrets/${request.secret}`);
      case 'copy':
        return send('POST', `${base_url}/vault/interns/${await idOf(0)}/secrets/copy`, { names: ['a'] });
      case 'secrets':
        return (
          (await send('GET', `${base_url}/vault/secrets`)) +
          (await send('GET', `${base_url}/vault/interns/${await idOf(0)}/secrets`))
        );
      case 'sync':
        return send('POST', `${base_url}/scim/sync-jobs`, undefined, manage);
      case 'mappings':
        return send('GET', `${base_url}/scim/group-mappings`, undefined, manage);
      case 'map': {
        const body = {
          scim_group_id: target.scim_group_id,
          workspace_id: target.foreign_workspace_id,
          role: request.role,
        };
        return send('POST', `${base_url}/scim/group-mappings`, body, manage);
      }
      case 'unknown':
        return send('GET', `${base_url}/nothing`);
      case 'runs':
        return send('GET', `${control_url}/runs`);
      case 'reset':
        return send('POST', `${control_url}/reset`);
      case 'advance':
        return send('POST', `${control_url}/clock`, { advance: request.ms });
      case 'limit':
        return send('PUT', `${control_url}/limits`, { turns_per_minute: request.turns });
      case 'fault':
        return send('POST', `${control_url}/faults`, request.fault);
    }
  };
}
