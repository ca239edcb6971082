import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inBrowser } from '../testing/browser.harness.js';

const VALUE = 'sk-live-0123456789-never-seen-again';
const panel = (page: Page, name: string) => page.getByRole('form', { name });

async function store(page: Page, name: string, hosts: string): Promise<void> {
  const form = panel(page, 'Store a secret');
  await form.getByLabel('Name').fill(name);
  await form.getByLabel('Value').fill(VALUE);
  await form.getByLabel('Hosts').fill(hosts);
  await form.getByRole('button', { name: 'Store' }).click();
  await page.getByText(`${name} is stored`).waitFor();
}
/** The page as it is, with what stands in its fields, and all that it keeps. */
const everything = (page: Page) =>
  page.evaluate(`document.documentElement.outerHTML +
    [...document.querySelectorAll('input, textarea')].map((field) => field.value).join('\\n') +
    JSON.stringify({ ...sessionStorage, ...localStorage, at: location.href })`) as Promise<string>;

inBrowser('vaults in the console', (open) => {
  test('a secret of the workspace is stored, shown without its value, and deleted', async () => {
    const { page, go, api } = await open();
    await go('#/vault');
    const table = page.getByRole('table', { name: 'Secrets of the first workspace' });
    await table.getByRole('row', { name: /legacy_token none/ }).waitFor();
    await store(page, 'github_token', 'API.GitHub.com. api.github.com,uploads.github.com');
    const row = table.getByRole('row', { name: /github_token/ });
    await row.waitFor();
    const [{ fingerprint }] = (await api.get('/vault/secrets')).json.data;
    expect(await row.textContent()).toContain('api.github.com, uploads.github.com');
    expect(await row.textContent()).toContain(fingerprint.slice(0, 12));
    expect(await everything(page)).not.toContain(VALUE);
    // Nor in what the page shows of the request that brought it.
    await go('#/requests');
    expect(await page.getByText('/vault/secrets/github_token').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Caller' }).selectOption('console');
    await page.getByText('/vault/secrets/github_token').first().click();
    await page.getByText('[redacted]').first().waitFor();
    expect(await everything(page)).not.toContain(VALUE);
    await go('#/vault');
    await page.getByRole('button', { name: 'Delete github_token' }).click();
    await page.getByText('github_token is deleted').waitFor();
    await row.waitFor({ state: 'detached' });
  });

  test('a refusal says what was wrong, and keeps what was typed', async () => {
    const { page, go } = await open();
    await go('#/vault');
    const form = panel(page, 'Store a secret');
    await form.getByLabel('Name').fill('a_key');
    await form.getByLabel('Value').fill(VALUE);
    await form.getByLabel('Hosts').fill('https://api.example.com');
    await form.getByRole('button', { name: 'Store' }).click();
    await page.getByText(/hosts\[0\]: expected an exact DNS name/).waitFor();
    expect(await form.getByLabel('Name').inputValue()).toBe('a_key');
    expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain(VALUE);
  });

  test('an intern has a vault of its own, filled from the workspace; a client’s changes show by themselves', async () => {
    const { page, go, api, intern } = await open();
    await api.put('/vault/secrets/api_token', { value: VALUE, hosts: ['api.example.com'] });
    await go(`#/interns/${intern.id}`);
    await page.getByRole('button', { name: 'Vault', exact: true }).click();
    await page.getByText('The vault of first-intern holds nothing yet.').waitFor();
    const copy = panel(page, 'Copy from the workspace');
    await copy.getByLabel('api_token').check();
    expect(await copy.getByLabel('legacy_token').count()).toBe(0);
    await copy.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('api_token is copied').waitFor();
    const table = page.getByRole('table', { name: 'Secrets of first-intern' });
    await table.getByRole('row', { name: /api_token api\.example\.com/ }).waitFor();
    await api.put(`/vault/interns/${intern.id}/secrets/by_client`, { value: VALUE, hosts: ['b.test'] });
    await table.getByRole('row', { name: /by_client b\.test/ }).waitFor();
    await store(page, 'by_page', 'c.test');
    await table.getByRole('row', { name: /by_page c\.test/ }).waitFor();
    expect(await everything(page)).not.toContain(VALUE);
    await page.getByRole('button', { name: 'Conversation' }).click();
    await page.getByText('Nothing said yet').waitFor();
  });
});

inBrowser('SCIM in the console', (open) => {
  test('mappings are made, changed and deleted; a sync is started, and fails on request', async () => {
    const { page, go, api } = await open();
    const as = api.credentials.management_key;
    await go('#/state');
    const table = page.getByRole('table', { name: 'Group mappings' });
    await table.getByRole('row', { name: /Administrators/ }).waitFor();
    await panel(page, 'Map a group').getByLabel('Group').selectOption({ label: 'Everyone' });
    await page.getByRole('button', { name: 'Map as member' }).click();
    const role = page.getByLabel('Role of Everyone');
    await role.selectOption('admin');
    await page.getByText('Everyone is admin now').waitFor();
    expect((await api.get('/scim/group-mappings', { as })).json.data.at(-1).role).toBe('admin');
    await page.getByRole('button', { name: 'Delete the mapping of Everyone' }).click();
    await role.waitFor({ state: 'detached' });

    await page.getByLabel('The next directory sync fails').check();
    await expect.poll(async () => (await api.get('/_emulator/settings')).json.scim_sync).toBe('fails');
    await page.getByRole('button', { name: 'Sync the directory' }).click();
    await page.getByText('The sync is queued').waitFor();
    await api.advance(2_000);
    await page.getByText('The sync failed: The directory could not be read.').waitFor();
    await expect.poll(() => page.getByLabel('The next directory sync fails').isChecked()).toBe(false);
  });

  test('vault writes are refused while the switch says so', async () => {
    const { page, go, api } = await open();
    await go('#/state');
    await page.getByLabel('Refuse vault writes (503)').check();
    await expect.poll(async () => (await api.put('/vault/secrets/k', { value: 'v', hosts: ['a.b'] })).status).toBe(503);
  });
});
