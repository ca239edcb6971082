import { expect, test } from 'vitest';
import { closing } from '../../test/closing.js';
import { createTestClient } from '../testing/client.harness.js';

const make = (...given: Parameters<typeof createTestClient>) => {
  const api = createTestClient(...given);
  closing(api.emulator);
  const chat = async (internId: string, content: string) => {
    const { text } = await api.chat(content, {}, undefined, internId);
    return [...text.matchAll(/"content":"([^"]*)"/g)].map(([, said]) => said).join('');
  };
  const store = (path: string, hosts: string[]) => api.put(path, { value: 'a value that is never seen', hosts });
  return { ...api, chat, store, internId: api.credentials.intern?.id ?? '' };
};

test('VAULT-9: with the owner of a borrowed vault gone its secrets are missing', async () => {
  const api = make();
  const owner = await api.create();
  const borrower = await api.create({ vault_id: owner.vault_id, provision: true });
  await api.advance(2_000);
  await api.store(`/vault/interns/${owner.id}/secrets/api_token`, ['api.example.com']);
  expect(await api.chat(borrower.id, 'script: use-secret')).toContain('released');
  await api.delete(`/interns/${owner.id}`);
  await api.advance(2_000);
  expect(await api.chat(borrower.id, 'script: use-secret')).toContain('refused: missing');
});

test('VAULT-9: a secret without hosts is refused for any; code asks by `release`, for what is no host too', async () => {
  const api = make({
    scripts: [
      {
        name: 'asks',
        async *turn({ prompt }, { release }) {
          const [name = '', to = ''] = prompt.split(' ');
          yield { say: release(name, to) };
        },
      },
    ],
  });
  const ask = (text: string) => api.chat(api.internId, `script: asks\n${text}`);
  const { json: state } = await api.get('/_emulator/state?credentials=1');
  const vault = state.interns[0].record.vault_id;
  const [legacy] = state.secrets;
  const moved = { ...legacy, vault, id: `${vault}\n${legacy.name}` };
  await api.put('/_emulator/state', { ...state, secrets: [moved] });
  expect(await ask('legacy_token api.example.com')).toBe('refused: host');
  await api.store(`/vault/interns/${api.internId}/secrets/k`, ['a.test']);
  expect([await ask('k A.test.'), await ask('k https://a.test'), await ask('K a.test')]).toEqual([
    'released',
    'refused: host',
    'refused: missing',
  ]);
});
