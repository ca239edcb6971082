import { OpenRouter } from '@openrouter/sdk';
import { OpenRouterCore } from '@openrouter/sdk/core.js';
import { scimListMappings } from '@openrouter/sdk/funcs/scimListMappings.js';
import { vaultListInternVaultSecrets } from '@openrouter/sdk/funcs/vaultListInternVaultSecrets.js';
import { expect, test } from 'vitest';
import type { EmulatorOptions } from '../emulator/index.js';
import { listening } from '../emulator/testing/listening.harness.js';
import defaultSeed from '../fixtures/seeds/default.json' with { type: 'json' };

/**
 * The calls of the published client to vault and SCIM, in the forms of its documentation and with its example values,
 * unmodified and on real sockets.
 */

/** The intern of the published examples. */
const INTERN = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const [first] = defaultSeed.interns;
const seedFile = { ...defaultSeed, interns: [{ ...first, id: INTERN }] } as unknown as EmulatorOptions['seedFile'];

async function start(options: EmulatorOptions = {}) {
  const { emulator } = await listening({
    profile: 'openrouter',
    clock: 'virtual',
    ...(seedFile && { seedFile }),
    ...options,
  });
  const { base_url, credentials } = emulator.target;
  const shared = { serverURL: base_url, retryConfig: { strategy: 'none' } } as const;
  return {
    emulator,
    core: new OpenRouterCore({ ...shared, apiKey: credentials.api_key }),
    openRouter: new OpenRouter({ ...shared, apiKey: credentials.api_key }),
    management: new OpenRouter({ ...shared, apiKey: credentials.management_key }),
    managementCore: new OpenRouterCore({ ...shared, apiKey: credentials.management_key }),
  };
}
const GITHUB = {
  name: 'github_token',
  vaultSecretWriteRequest: { hosts: ['api.github.com'], value: 'ghp_exampleTokenValue' },
};
const SHOWN = {
  name: 'github_token',
  hosts: ['api.github.com'],
  fingerprint: expect.any(String),
  createdAt: expect.any(Date),
};

test('@openrouter/sdk stores, lists, copies and deletes secrets', async () => {
  const { core, openRouter } = await start();
  const stored = await openRouter.vault.storeVaultSecret(GITHUB);
  expect(stored).toEqual({ data: SHOWN });
  expect(await openRouter.vault.listVaultSecrets({ limit: 50 })).toMatchObject({
    data: [stored.data, { name: 'legacy_token', hosts: null, fingerprint: null }],
    hasMore: false,
  });
  expect(await openRouter.vault.listVaultSecrets()).toMatchObject({ hasMore: false });
  const copied = await openRouter.vault.copyVaultSecretsToIntern({
    internId: INTERN,
    vaultSecretCopyRequest: { names: ['github_token'] },
  });
  expect(copied).toEqual({ data: [SHOWN] });
  expect(copied.data[0]?.fingerprint).not.toBe(stored.data.fingerprint);
  const listed = await vaultListInternVaultSecrets(core, { internId: INTERN, limit: 50 });
  expect(listed.ok && listed.value).toEqual({ data: copied.data, hasMore: false });
  expect(await openRouter.vault.storeInternVaultSecret({ internId: INTERN, ...GITHUB })).toEqual({
    data: copied.data[0],
  });
  expect(await openRouter.vault.deleteInternVaultSecret({ internId: INTERN, name: 'github_token' })).toBeUndefined();
  expect(await openRouter.vault.deleteVaultSecret({ name: 'github_token' })).toBeUndefined();
  expect((await openRouter.vault.listInternVaultSecrets({ internId: INTERN })).data).toEqual([]);
});

test('@openrouter/sdk reads the refusals of vaults as its own errors', async () => {
  const { emulator, openRouter, management } = await start();
  const copy = (...names: string[]) =>
    openRouter.vault.copyVaultSecretsToIntern({ internId: INTERN, vaultSecretCopyRequest: { names } });
  await expect(openRouter.vault.deleteVaultSecret({ name: 'github_token' })).rejects.toMatchObject({
    name: 'NotFoundResponseError',
    statusCode: 404,
  });
  await expect(copy('legacy_token')).rejects.toMatchObject({ name: 'ConflictResponseError', statusCode: 409 });
  await expect(copy('none')).rejects.toMatchObject({ name: 'NotFoundResponseError' });
  await expect(
    openRouter.vault.storeVaultSecret({ name: 'k', vaultSecretWriteRequest: { hosts: ['https://a.b'], value: 'v' } }),
  ).rejects.toMatchObject({ name: 'BadRequestResponseError' });
  await expect(management.vault.listVaultSecrets()).rejects.toMatchObject({ name: 'UnauthorizedResponseError' });
  await emulator.fetch('/_emulator/settings', { method: 'PUT', body: JSON.stringify({ vault_writes: 'off' }) });
  await expect(openRouter.vault.storeVaultSecret(GITHUB)).rejects.toMatchObject({
    name: 'ServiceUnavailableResponseError',
    statusCode: 503,
  });
});

test('@openrouter/sdk goes through mappings, groups and a directory sync', async () => {
  const { emulator, management, managementCore } = await start();
  const groups: string[] = [];
  for await (const page of await management.scim.listGroups({ limit: 2 }))
    groups.push(...page.result.data.map((group) => group.displayName));
  expect(groups).toEqual(['Administrators', 'Engineers', 'Everyone']);
  const [, , everyone] = (await management.scim.listGroups()).result.data;
  const made = await management.scim.create({
    createScimGroupMappingRequest: {
      role: 'member',
      scimGroupId: everyone?.id ?? '',
      workspaceId: emulator.target.workspace_id,
    },
  });
  expect(made.data).toMatchObject({ role: 'member', organizationId: 'org_emulator', scimGroupId: everyone?.id });
  const { id } = made.data;
  expect(await management.scim.read({ id })).toEqual(made);
  expect((await management.scim.update({ id, updateScimGroupMappingRequest: { role: 'admin' } })).data.role).toBe(
    'admin',
  );
  const mappings: string[] = [];
  for await (const page of await management.scim.listMappings({ limit: 1 }))
    mappings.push(...page.result.data.map((mapping) => mapping.id));
  expect(mappings.at(-1)).toBe(id);
  expect(mappings).toHaveLength(3);
  const first = await scimListMappings(managementCore, { offset: 2 });
  expect(first.ok && first.value.result.totalCount).toBe(3);
  expect(await management.scim.delete({ id, keepMembers: true })).toEqual({ deleted: true });
  await expect(management.scim.read({ id })).rejects.toMatchObject({ name: 'NotFoundResponseError' });

  const { headers, result } = await management.scim.createSyncJob();
  expect(headers.location).toEqual([`/api/v1/scim/sync-jobs/${result.data.id}`]);
  expect(result.data).toMatchObject({ status: 'queued', syncedGroups: null });
  await emulator.clock.advance(2_000);
  const { data } = await management.scim.getSyncJob({ id: result.data.id });
  expect(data).toMatchObject({ status: 'succeeded', syncedGroups: 3, deletedGroups: 0, errorMessage: null });
});

test('CREATE-1: a type-correct createIntern({name}) is made in the workspace of its key, as its retry is', async () => {
  const { emulator, openRouter } = await start();
  const made = await openRouter.interns.createIntern({ createInternRequest: { name: 'research-intern' } });
  expect(made.workspaceId).toBe(emulator.target.workspace_id);
  expect((await openRouter.interns.createIntern({ createInternRequest: { name: 'research-intern' } })).id).toBe(
    made.id,
  );
  // The key stands for the body as sent.
  const named = { name: 'research-intern', workspaceId: emulator.target.workspace_id };
  await expect(openRouter.interns.createIntern({ createInternRequest: named })).rejects.toMatchObject({
    statusCode: 409,
  });
  expect(emulator.target.default_workspace).toBe(true);
  const other = await start({ profile: 'svc' });
  expect(other.emulator.target.default_workspace).toBe(false);
  await expect(
    other.openRouter.interns.createIntern({ createInternRequest: { name: 'research-intern' } }),
  ).rejects.toMatchObject({ statusCode: 400 });
});
