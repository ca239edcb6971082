import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inBrowser } from '../testing/browser.harness.js';

/** A promise, and the function that fulfils it. */
function gate() {
  let open: () => void = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** Holds the next answer to a path back: `made` resolves once the emulator has answered, `release` passes it on. */
async function holdBack(page: Page, path: string) {
  const made = gate();
  const released = gate();
  const through = gate();
  await page.route(
    (url) => url.pathname === `/_emulator/${path}`,
    async (route) => {
      if (route.request().method() !== 'GET') return route.fallback();
      const response = await route.fetch();
      made.open();
      await released.passed;
      await route.fulfill({ response });
      through.open();
    },
    { times: 1 },
  );
  return {
    made: made.passed,
    async release() {
      released.open();
      await through.passed;
    },
  };
}

/**
 * Long enough for events to come, and for an answer to be shown. If it is too short, the test sees less; it does not
 * fail for that.
 */
const aMoment = (page: Page) => page.waitForTimeout(400);

inBrowser('the console, where an answer comes late', (open) => {
  test('the list of interns does not lose what was created after it was made', async () => {
    const { page, api, url } = await open();
    const interns = await holdBack(page, 'interns');
    await page.goto('about:blank');
    await page.goto(`${url}/_emulator/`);
    await interns.made;
    await api.create({ name: 'newer' });
    await aMoment(page);
    await interns.release();
    await page.getByRole('link', { name: /^first-intern/ }).waitFor();
    await aMoment(page);
    await page.getByRole('link', { name: /^newer/ }).waitFor();
  });

  test('an intern is created, and talked to as a member, by who is quicker than the page', async () => {
    const { page, api, url } = await open();
    const target = await holdBack(page, 'target');
    await page.goto('about:blank');
    await page.goto(`${url}/_emulator/`);
    await target.made;
    await page.getByRole('button', { name: 'New intern' }).click();
    const dialog = page.getByRole('dialog', { name: 'New intern' });
    await dialog.getByLabel('Name').fill('early-bird');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { data } = (await api.get('/interns')).json;
    expect(data.map((row: { name: string }) => row.name)).toContain('early-bird');
    const { data: entries } = (await api.get('/_emulator/journal?caller=console&operation=create')).json;
    expect(entries.map((entry: { response: { status: number } }) => entry.response.status)).toEqual([201]);
    await target.release();
  });

  test('a list of requests that is read again does not lose those that came meanwhile', async () => {
    const { page, api } = await open({ view: '#/requests' });
    await api.get('/interns/old');
    const list = page.getByRole('listbox', { name: /^Requests/ });
    await list.getByText('/interns/old').waitFor();
    const journal = await holdBack(page, 'journal');
    await api.delete('/_emulator/journal');
    await journal.made;
    await api.get('/interns/new');
    await aMoment(page);
    await journal.release();
    await aMoment(page);
    await list.getByText('/interns/new').waitFor();
  });

  test('an entry of a stream that ended meanwhile is shown as ended', async () => {
    const { page, api, go } = await open();
    await api.put('/_emulator/scripts/two', { name: 'two', turn: [{ say: 'one' }, { wait: '3s' }, { say: 'two' }] });
    const reply = api.chat('script: two', {}, { headers: { 'x-request-id': 'stream-1' } });
    await expect.poll(async () => (await api.get('/_emulator/journal')).json.data.length).toBe(1);
    const entry = await holdBack(page, 'journal/stream-1');
    await go('#/requests/stream-1');
    await entry.made;
    await api.advance(3_000);
    await reply;
    await aMoment(page);
    await entry.release();
    await aMoment(page);
    const shown = page.getByRole('region', { name: 'Request', exact: true });
    await shown.getByText('The stream was complete').waitFor();
  });

  test('the script that was put on an intern is not shown as the one before', async () => {
    const { page, api, intern, go } = await open();
    const inside = await holdBack(page, `interns/${intern.id}`);
    await go(`#/interns/${intern.id}`);
    await inside.made;
    const choice = page.getByRole('combobox', { name: 'Behaves by' });
    await choice.selectOption('silent');
    await expect.poll(async () => (await api.get(`/_emulator/interns/${intern.id}`)).json.script).toBe('silent');
    await expect.poll(() => choice.inputValue()).toBe('silent');
    await inside.release();
    await aMoment(page);
    await expect.poll(() => choice.inputValue()).toBe('silent');
  });
});
