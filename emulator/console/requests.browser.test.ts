import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfTest } from '../../test/folders.js';
import { readRecording } from '../recording/read.js';
import { inBrowser } from '../testing/browser.harness.js';

const DANGEROUS = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>[x](javascript:window.hit=1)';

/** A recording of a deployment whose lists do not have the form of the interface. */
function wrongList() {
  const folder = folderOfTest('console-');
  const file = join(folder, 'wrong.jsonl');
  const request = { method: 'GET', path: '/api/v1/interns', headers: { authorization: '$api_key' } };
  const headers = { 'content-type': 'application/json' };
  const body = { data: [], has_more: 'no' };
  const head = { format: 1, n: 1, scenario: null, at: 0, operation: 'list' };
  const exchange = { ...head, request, status: 200, headers, body, ended: 'complete' };
  writeFileSync(file, `${JSON.stringify(exchange)}\n`);
  return { files: [file], otherwise: 'emulate' } as const;
}

inBrowser('the console, requests', (open) => {
  test('an empty list says what to do; requests come in as they are made, newest first', async () => {
    const { page, api, url } = await open({ view: '#/requests' });
    const main = page.getByRole('main');
    await main.getByText('No requests yet').waitFor();
    await main.getByText(`curl -H 'Authorization: Bearer ${api.credentials.api_key}' ${url}/api/v1/interns`).waitFor();
    await api.get('/interns');
    await api.get('/interns/nobody');
    const rows = page.getByRole('listbox', { name: /^Requests/ }).getByRole('option');
    await expect.poll(() => rows.count()).toBe(2);
    await expect.poll(() => rows.nth(0).textContent()).toMatch(/404GET\/interns\/nobody/);
    await api.get('/interns', { as: null });
    await expect.poll(async () => (await rows.nth(0).textContent()) ?? '').toMatch(/401GET/);
  });

  test('a chat says what was said and how it ended; it is sent again, and copied as a test and a script', async () => {
    const { page, api, intern } = await open({
      view: '#/requests',
      context: { permissions: ['clipboard-read', 'clipboard-write'] },
    });
    const messages = [{ role: 'user', content: 'script: no-usage\nHow are you?' }];
    await api.post(`/interns/${intern.id}/chat/completions`, { stream: true, messages });
    const rows = page.getByRole('listbox', { name: /^Requests/ }).getByRole('option');
    await expect.poll(() => rows.nth(0).textContent()).toMatch(/How are you\? ?first-internno-usagestop/);
    await rows.nth(0).click();
    const copied = async (name: string) => {
      await page.getByRole('button', { name }).click();
      return page.evaluate<string>('navigator.clipboard.readText()');
    };
    await expect.poll(() => copied('Copy as a test')).toContain('expect(response.status).toBe(200);');
    await expect.poll(() => copied('Copy as a script')).toContain("'Bearer ' + process.env.INTERN_API_KEY");
    await page.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    expect((await api.get('/_emulator/runs')).json.data.map(({ ended }: { ended: string }) => ended)).toEqual([
      'stop',
      'stop',
    ]);
  });

  test('a request to a daemon is not sent again with an API key: the button says why', async () => {
    const { page, api, intern } = await open({ view: '#/requests' });
    const { json } = await api.get(`/interns/${intern.id}/daemon`, { as: api.credentials.oauth_token });
    const refused = await api.emulator.daemon.fetch(`${json.origin}/api/v1/anything`, {
      headers: { authorization: `Bearer ${json.token}` },
    });
    expect(refused.status).toBe(401);
    await page.getByRole('option', { name: /anything/ }).click();
    const again = page.getByRole('button', { name: 'Send again' });
    expect(await again.isDisabled()).toBe(true);
    expect(await again.getAttribute('title')).toMatch(/needs a new proof/);
    expect(await page.getByRole('button', { name: /Copy as a (test|script)/ }).count()).toBe(0);
    await page.getByRole('option', { name: /\/daemon$/ }).click();
    await expect.poll(() => again.isEnabled()).toBe(true);
  });

  test('a recording is started, stopped, and holds what came between', async () => {
    const { page, api } = await open({ view: '#/requests' });
    await api.get('/interns');
    const rows = page.getByRole('listbox', { name: /^Requests/ }).getByRole('option');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Record' }).click();
    await api.get('/interns/nobody');
    await expect.poll(() => rows.count()).toBe(2);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Stop and save' }).click();
    const exchanges = readRecording(await (await saved).path(), (message) => expect.fail(message));
    expect(exchanges.map(({ exchange: { request, status } }) => [request.path, status])).toEqual([
      ['/api/v1/interns/nobody', 404],
    ]);
    await page.getByRole('button', { name: 'Record' }).waitFor();
  });

  test('filters, pauses and clears', async () => {
    const { page, api } = await open({ view: '#/requests' });
    await api.get('/interns');
    await api.get('/interns/nobody');
    const rows = page.getByRole('option');
    await expect.poll(() => page.getByRole('listbox').getByRole('option').count()).toBe(2);
    const list = page.getByRole('listbox', { name: /^Requests/ }).getByRole('option');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('4xx');
    await expect.poll(() => list.count()).toBe(1);
    await page.getByRole('combobox', { name: 'Status' }).selectOption('');
    await page.getByRole('searchbox', { name: 'Filter requests' }).fill('something else');
    await page.getByText('No request fits the filter').waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await expect.poll(() => list.count()).toBe(2);
    await page.getByRole('button', { name: 'Pause' }).click();
    await api.get('/interns');
    await page.getByRole('button', { name: 'Resume (1 new)' }).waitFor();
    expect(await list.count()).toBe(2);
    await page.getByRole('button', { name: 'Resume (1 new)' }).click();
    await expect.poll(() => list.count()).toBe(3);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByText('No requests yet').waitFor();
    expect((await api.get('/_emulator/journal')).json.data).toEqual([]);
    expect(await rows.count()).toBeGreaterThan(0);
  });

  test('an emulator that judges shows a shield for each request, and the rules that one breaks', async () => {
    const { createTraffic } = await import('../../conformance/cli/checks.js');
    const { emulator, page, api, go } = await open({ emulator: { judge: createTraffic, replay: wrongList() } });
    const headers = { authorization: `Bearer ${api.credentials.api_key}` };
    for (const path of ['/interns', '/interns/nobody'])
      await emulator.fetch(emulator.target.base_url + path, { headers });
    await emulator.fetch('/elsewhere');
    await go('#/requests');
    const rows = page.getByRole('listbox', { name: /^Requests/ }).getByRole('option');
    const shields = () => rows.getByRole('img').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    await expect.poll(shields).toEqual(['not judged', 'keeps the rules', 'breaks a rule']);
    await page.getByRole('combobox', { name: 'Rules' }).selectOption('broken');
    await expect.poll(() => rows.count()).toBe(1);
    await rows.first().click();
    const judged = page.getByRole('region', { name: 'Rules of the interface' });
    await judged.getByText('LIST-3/form: A list is {data, has_more, next_cursor?}.').waitFor();
    await judged.getByText('expected a boolean, found "no"').waitFor();
    await judged.getByText(/Held against \d+ rules/).click();
    await judged.getByText('LIST-3/limit').waitFor();
    expect(await judged.getByRole('link', { name: 'LIST-3/form' }).getAttribute('href')).toMatch(/LIST-3$/);
  });

  test('one that does not judge shows none', async () => {
    const { page, api } = await open({ view: '#/requests' });
    await api.get('/interns');
    const rows = page.getByRole('listbox', { name: /^Requests/ }).getByRole('option');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await page.locator('.shield').count()).toBe(0);
    expect(await page.getByRole('combobox', { name: 'Rules' }).count()).toBe(0);
  });

  test('arrow keys move from request to request', async () => {
    const { page, api } = await open({ view: '#/requests' });
    for (let i = 0; i < 60; i++) await api.get(`/interns/number-${i}`);
    const list = page.getByRole('listbox', { name: /^Requests/ });
    await list.getByText('/interns/number-59').waitFor();
    // Only visible rows exist.
    await expect.poll(() => list.getByRole('option').count()).toBeLessThan(40);
    await list.focus();
    await page.keyboard.press('Home');
    const shown = page.getByRole('region', { name: 'Request', exact: true });
    await shown.getByText('/api/v1/interns/number-59').waitFor();
    await page.keyboard.press('ArrowDown');
    await shown.getByText('/api/v1/interns/number-58').waitFor();
    await page.keyboard.press('End');
    await shown.getByText('/api/v1/interns/number-0').waitFor();
    await list.getByRole('option', { selected: true }).getByText('/interns/number-0').waitFor();
  });

  test('shows headers and bodies, copies as curl, and leads to the requirement that a refusal rests on', async () => {
    const { page, api, workspaceId, go } = await (async () => {
      const opened = await open({ context: { permissions: ['clipboard-read', 'clipboard-write'] } });
      return { ...opened, workspaceId: opened.api.workspaceId };
    })();
    await api.post(
      '/interns',
      { name: 'Wrong Name', workspace_id: workspaceId },
      { headers: { 'x-request-id': 'wrong-1' } },
    );
    await go('#/requests/wrong-1');
    const shown = page.getByRole('region', { name: 'Request', exact: true });
    await shown.getByRole('region', { name: 'request body' }).getByText('"Wrong Name"').waitFor();
    await shown.getByText('application/json').first().waitFor();
    await shown.getByText('Bearer [redacted]').waitFor();
    const why = shown.getByRole('region', { name: 'Why it was refused' });
    await why.getByText(/name: expected lower-case words/).waitFor();
    await shown.getByRole('button', { name: 'Explain' }).click();
    const explained = shown.getByRole('region', { name: 'Explanation' });
    await explained.getByText('create was refused: 400 invalid_body').waitFor();
    await explained.getByRole('button', { name: 'Copy what to send instead' }).waitFor();
    expect(await explained.textContent()).not.toContain('`');
    const href = await explained.getByRole('link', { name: /^docs\// }).getAttribute('href');
    const linked = await page.request.get(new URL(href ?? '', page.url()).href, { headers: { accept: 'text/html' } });
    expect([linked.status(), linked.headers()['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    await shown.getByRole('button', { name: 'Copy as curl' }).click();
    const read = async () => (await page.evaluate('navigator.clipboard.readText()')) as string;
    await expect.poll(read).toContain('curl -X POST http');
    const copied = await read();
    expect(copied).toContain('-H "Authorization: Bearer $INTERN_API_KEY"');
    expect(copied).toContain(`--data-raw '{"name":"Wrong Name"`);
    expect(copied).not.toContain(api.credentials.api_key);
    const { requirement } = (await api.get('/_emulator/journal/wrong-1')).json;
    // It is said once: the explanation stands in its place.
    expect(await why.count()).toBe(0);
    await explained.getByRole('link', { name: requirement }).click();
    await page.getByRole('heading', { name: new RegExp(`^${requirement}\\b`) }).waitFor();
  });

  test('a stream is a time line of its writes, growing while it is written, down to the bytes', async () => {
    const { page, api, go } = await open();
    await api.put('/_emulator/scripts/two', {
      name: 'two',
      turn: [{ say: 'Grüße ' }, { wait: '3s' }, { say: 'again' }],
    });
    const reply = api.chat('script: two', {}, { headers: { 'x-request-id': 'stream-1' } });
    await expect.poll(async () => (await api.get('/_emulator/journal')).json.data.length).toBe(1);
    await go('#/requests/stream-1');
    const shown = page.getByRole('region', { name: 'Request', exact: true });
    await shown.getByText('Grüße').waitFor();
    await shown.getByText('The stream is open: more may come.').waitFor();
    await api.advance(3_000);
    await reply;
    await shown.getByRole('button', { name: /^\+3 s .*again/ }).waitFor();
    await shown.getByText('The stream was complete').waitFor();
    await shown.getByRole('button', { name: 'Hex' }).click();
    await shown
      .getByRole('button', { name: /^\+0 ms/ })
      .first()
      .click();
    await shown
      .getByText(/64 61 74 61 3a 20 7b/)
      .first()
      .waitFor();
    await shown.getByText(/c3 bc/).first().waitFor();
  });

  test('nothing that is shown can run: names, prompts, chunks, paths', async () => {
    const { page, api, intern, go, emulator } = await open();
    await api.put('/_emulator/scripts/bad', {
      name: 'bad',
      turn: [
        { reason: DANGEROUS },
        { say: DANGEROUS },
        { ask: { kind: 'elicitation', message: DANGEROUS, fields: [{ name: 'a', label: DANGEROUS }] } },
      ],
    });
    await api.patch(`/interns/${intern.id}`, { description: DANGEROUS, instructions: DANGEROUS });
    await api.chat(`script: bad\n${DANGEROUS}`, {}, { headers: { 'x-request-id': 'bad-1', 'x-odd': DANGEROUS } });
    await emulator.fetch(
      `${emulator.target.base_url}/interns?${encodeURIComponent(DANGEROUS)}=<img/src=x/onerror=alert(1)>`,
    );
    const policies: string[] = [];
    page.on('console', (message) => policies.push(message.text()));
    for (const place of [
      `#/interns/${intern.id}`,
      '#/requests',
      '#/requests/bad-1',
      '#/scripts/bad',
      `#/scripts/${encodeURIComponent(DANGEROUS)}`,
      `#/interns/${encodeURIComponent(DANGEROUS)}`,
    ]) {
      await go(place);
      await page.getByRole('main').getByRole('heading').first().waitFor();
      await page.waitForTimeout(300);
      expect(await page.evaluate('window.hit'), place).toBeUndefined();
      expect(await page.locator('main img, main script, a[href^="javascript:"]').count(), place).toBe(0);
    }
    await go(`#/interns/${intern.id}`);
    await page.getByRole('button', { name: 'Details' }).click();
    await expect.poll(() => page.getByText('<img src=x onerror').count()).toBeGreaterThanOrEqual(4);
    expect(policies.filter((text) => /Content Security Policy/.test(text))).toEqual([]);
  });

  test('the page asks nobody but its emulator, and keeps the control token out of addresses and the journal', async () => {
    const token = 'let-me-in-please';
    const { page, emulator, url } = await open({ emulator: { controlToken: token } });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.getByRole('heading', { name: 'Control token' }).waitFor();
    await page.getByLabel('Token').fill('not-the-token');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').filter({ hasText: 'the control token is missing or wrong' }).waitFor();
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('link', { name: /first-intern/ }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: /first-intern/ }).click();
    await page.getByRole('textbox', { name: /^Prompt to / }).fill('hello');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Conversation' }).getByText('finished').waitFor();
    expect(asked.filter((address) => !address.startsWith(`${url}/`))).toEqual([]);
    expect([...asked, page.url()].filter((address) => address.includes(token))).toEqual([]);
    const journal = await emulator.fetch(new URL('/_emulator/journal', url), {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await journal.text()).not.toContain(token);
  });
});
