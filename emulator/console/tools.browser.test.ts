import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { bind } from '../contract/bind.js';
import { inBrowser } from '../testing/browser.harness.js';

inBrowser('the console, tools', (open) => {
  test('the clock is shown, advanced, frozen and resumed', async () => {
    const { page, emulator } = await open();
    const clock = page.getByRole('region', { name: 'Clock' });
    await clock.getByText('00:00:00.000').waitFor();
    await clock.getByRole('button', { name: '+5 min' }).click();
    await clock.getByText('00:05:00.000').waitFor();
    await clock.getByRole('button', { name: 'Advance…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Advance the clock' });
    await dialog.getByLabel('By').fill('5 parsecs');
    await dialog.getByRole('button', { name: 'Advance' }).click();
    await page
      .getByRole('log', { name: 'Notices' })
      .getByText(/advance/)
      .waitFor();
    await dialog.getByRole('button', { name: '1h' }).click();
    await dialog.getByRole('button', { name: 'Advance' }).click();
    await clock.getByText('01:05:00.000').waitFor();
    // Changes by others show too.
    await emulator.clock.advance(1_000);
    await clock.getByText('01:05:01.000').waitFor();
  });

  test('a clock that moves by itself is frozen and resumed', async () => {
    const { page, emulator } = await open({ emulator: { clock: 'auto' } });
    const clock = page.getByRole('region', { name: 'Clock' });
    await clock.getByRole('button', { name: 'Freeze' }).click();
    await clock.getByText('frozen').waitFor();
    expect(emulator.clock.mode).toBe('frozen');
    await clock.getByRole('button', { name: 'Resume' }).click();
    await clock.getByText('frozen').waitFor({ state: 'detached' });
    await expect.poll(() => emulator.clock.mode).not.toBe('frozen');
  });

  test('faults and chaos are added, shown in sentences, and taken back, one by one too', async () => {
    const { page, api } = await open({ view: '#/faults' });
    await page.getByText('All goes well').waitFor();
    const list = page.getByRole('list', { name: 'Faults still to come' });
    await page.getByRole('form', { name: 'New fault' }).getByRole('button', { name: 'Add fault' }).click();
    await api.post('/_emulator/faults', { operation: 'get', delay: '5s' });
    await list.getByText('The next create is answered 503.').waitFor();
    await page.getByRole('button', { name: 'Take back: The next read of an intern waits 5000 ms.' }).click();
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
    expect((await api.get('/_emulator/faults')).json.data).toMatchObject([
      { operation: 'create', status: 503, times: 1 },
    ]);
    expect((await api.post('/interns', { name: 'unlucky', workspace_id: api.workspaceId })).status).toBe(503);
    await page.getByText('All goes well').waitFor();

    const form = page.getByRole('form', { name: 'New fault' });
    await form.getByRole('combobox', { name: 'The next' }).selectOption('chat');
    await form.getByRole('combobox', { name: 'What happens' }).selectOption('disconnect');
    await form.getByRole('combobox', { name: 'Where' }).selectOption('mid-event');
    await form.getByRole('spinbutton', { name: 'How many times' }).fill('2');
    await form.getByRole('button', { name: 'Add fault' }).click();
    await list.getByText('Each of the next 2 chat requests loses its connection in the middle of an event.').waitFor();
    await page.getByRole('button', { name: 'Take all back' }).click();
    await page.getByText('All goes well').waitFor();

    await form.getByRole('combobox', { name: 'To' }).selectOption({ label: 'first-intern' });
    await form.getByRole('combobox', { name: 'What happens' }).selectOption('status');
    await form.getByRole('combobox', { name: 'Status' }).selectOption('429');
    await form.getByRole('checkbox', { name: 'Every time' }).check();
    const tops =
      'new Set([...document.querySelectorAll("form .grid > .field > :nth-child(2)")].map((one) => one.getBoundingClientRect().top)).size';
    const rows =
      'new Set([...document.querySelectorAll("form .grid > .field")].map((one) => one.getBoundingClientRect().top)).size';
    expect(await page.evaluate(tops), 'controls of a row stand on one line').toBe(await page.evaluate(rows));
    await form.getByRole('spinbutton', { name: 'After so many calls' }).fill('2');
    await form.getByRole('spinbutton', { name: 'Chance in %' }).fill('30');
    await form.getByRole('button', { name: 'Add fault' }).click();
    await list
      .getByText('Every chat request to first-intern is answered 429, with a chance of 30 %, after 2 that go well.')
      .waitFor();
    expect((await api.get('/_emulator/faults')).json.data).toMatchObject([
      { operation: 'chat', status: 429, times: 'always', after: 2, probability: 0.3, intern_id: expect.any(String) },
    ]);
    // Calls of list name no intern.
    await form.getByRole('combobox', { name: 'The next' }).selectOption('list');
    await form.getByRole('combobox', { name: 'To' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Take all back' }).click();
    await page.getByText('All goes well').waitFor();

    await page.getByRole('button', { name: 'Add Flaky service' }).click();
    await expect.poll(() => list.getByRole('listitem').count()).toBe(3);
    await page.getByRole('button', { name: 'Take all back' }).click();
    await page.getByText('All goes well').waitFor();
    expect((await api.get('/_emulator/faults')).json.data).toEqual([]);
  });

  test('a script is read, changed with errors at the line, saved, and taken back', async () => {
    const { page, api } = await open({ view: '#/scripts' });
    await page.getByRole('link', { name: 'ask-permission', exact: true }).click();
    const editor = page.getByRole('textbox', { name: 'Script ask-permission' });
    await expect.poll(() => editor.inputValue()).toContain('"permission"');

    await page.getByRole('button', { name: 'New script' }).click();
    const fresh = page.getByRole('textbox', { name: 'New script' });
    const problems = page.getByRole('list', { name: 'Problems' });
    await fresh.fill('{\n  "name": "mine",\n  "turn": [\n    { "say": "a" }\n    { "say": "b" }\n  ]\n}\n');
    await problems.getByRole('button', { name: 'Line 5 expected "," or "]", found "{"' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await fresh.fill('{\n  "name": "mine",\n  "turn": [\n    { "say": "a" },\n    { "shout": "b" }\n  ]\n}\n');
    await page.getByRole('button', { name: 'Save' }).click();
    await problems.getByRole('button', { name: /^Line 5 turn\[1\]: expected a step/ }).waitFor();
    await fresh.fill('{\n  "name": "mine",\n  "turn": [\n    { "say": "all mine" }\n  ]\n}\n');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('textbox', { name: 'Script mine' }).waitFor();
    expect((await api.get('/_emulator/scripts/mine')).json.source.turn).toEqual([{ say: 'all mine' }]);
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.getByRole('link', { name: 'mine', exact: true }).waitFor({ state: 'detached' });
    expect((await api.get('/_emulator/scripts/mine')).status).toBe(404);
  });

  test('what is typed into a script stays, from its first frame on', async () => {
    const { page, api } = await open({ view: '#/scripts' });
    await page.getByRole('link', { name: 'ask-permission', exact: true }).click();
    await page.getByRole('textbox', { name: 'Script ask-permission' }).waitFor();
    // Typed as soon as the field is in the page, before the browser has drawn it.
    await page.evaluate(`new MutationObserver((_, observer) => {
      const field = document.querySelector('textarea[aria-label="New script"]');
      if (!field) return;
      observer.disconnect();
      field.value = '{ "name": "early", "turn": [{ "say": "one" }] }';
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }).observe(document.body, { subtree: true, childList: true, attributes: true })`);
    await page.getByRole('button', { name: 'New script' }).click();
    const fresh = page.getByRole('textbox', { name: 'New script' });
    await fresh.waitFor();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))');
    expect(await fresh.inputValue()).toContain('"early"');
    await page.getByRole('button', { name: 'Save' }).click();
    const early = page.getByRole('textbox', { name: 'Script early' });
    await expect.poll(() => early.inputValue()).toContain('"one"');

    // Saved once more: undo begins anew.
    await early.fill('{ "name": "early", "turn": [{ "say": "two" }] }');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Undo changes' }).isDisabled()).toBe(true);
    expect(await early.inputValue()).toContain('"two"');
    expect((await api.get('/_emulator/scripts/early')).json.source.turn).toEqual([{ say: 'two' }]);
  });

  test('a proof is pasted in and explained, down to the byte', async () => {
    const { page, api } = await open({ view: '#/proofs' });
    const form = page.getByRole('form', { name: 'Signed request' });
    await form.getByRole('button', { name: 'Explain' }).click();
    await form.getByRole('alert').filter({ hasText: 'paste the request' }).waitFor();
    const { request, twin } = (await api.post('/_emulator/signing/forge', { defect: 'wrong_timestamp' })).json;
    const lines = (headers: Record<string, string>) =>
      Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const curl = (made: typeof request) =>
      `curl -X ${made.method} '${made.url}' \\\n${lines(made.headers)
        .map((line) => `  -H '${line}' \\\n`)
        .join('')}  --data-raw '${made.body}'`;
    await form.getByLabel('Request').fill(curl(request));
    await form.getByRole('button', { name: 'Explain' }).click();
    const explanation = page.getByRole('status', { name: 'Explanation' });
    await explanation.getByText('Refused').waitFor();
    await explanation.getByText('bad_signature').waitFor();
    await explanation
      .getByText(/First difference at byte \d+ \(timestamp\)/)
      .first()
      .waitFor();
    await form.getByLabel('Request').fill(curl(twin));
    await form.getByRole('button', { name: 'Explain' }).click();
    await explanation.getByText('Accepted').waitFor();

    const make = page.getByRole('form', { name: 'Make one' });
    await make.getByRole('combobox', { name: 'Defect' }).selectOption('wrong_timestamp');
    await make.getByRole('button', { name: 'Make and explain' }).click();
    await explanation.getByText('Refused').waitFor();

    // Nothing can be known of what a missing signature signed: the request without the defect shows its fields.
    await make.getByRole('combobox', { name: 'Defect' }).selectOption('missing_signature');
    await make.getByRole('button', { name: 'Make and explain' }).click();
    const made = page.getByRole('region', { name: 'Made' });
    await made.getByText('proof_missing').waitFor();
    expect(await made.getByRole('row').filter({ hasText: 'body_sha256' }).count()).toBe(2);
  });

  test('the state is saved to a file and restored from it; the emulator is reset; the limit is set', async () => {
    const { page, api } = await open({ view: '#/state' });
    const kept = await api.create({ name: 'kept' });
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save to a file' }).click();
    const path = await (await saved).path();
    expect(JSON.parse(readFileSync(path, 'utf8')).interns.map((row: { id: string }) => row.id)).toContain(kept.id);
    expect(readFileSync(path, 'utf8')).not.toContain(api.credentials.intern?.api_key);

    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByRole('dialog', { name: 'Reset the emulator?' }).getByRole('button', { name: 'Reset' }).click();
    await expect.poll(async () => (await api.get(`/interns/${kept.id}`)).status).toBe(404);
    const restore = page.getByRole('region', { name: 'Replace' });
    await restore
      .getByLabel('Saved state')
      .setInputFiles({ name: 'broken.json', mimeType: 'application/json', buffer: Buffer.from('{') });
    await restore.getByRole('alert').filter({ hasText: 'broken.json is not JSON' }).waitFor();
    await restore.getByLabel('Saved state').setInputFiles(path);
    await page
      .getByRole('log', { name: 'Notices' })
      .getByText(/^Replaced by/)
      .waitFor();
    expect((await api.get(`/interns/${kept.id}`)).status).toBe(200);
    await page.getByRole('link', { name: 'Interns' }).click();
    await page.getByRole('link', { name: /^kept/ }).waitFor();

    await page.getByRole('link', { name: 'State' }).click();
    const limit = page.getByRole('form', { name: 'Limit' });
    await limit.getByRole('spinbutton').fill('3');
    await limit.getByRole('button', { name: 'Set' }).click();
    await expect.poll(async () => (await api.get('/_emulator/limits')).json.turns_per_minute).toBe(3);
  });

  test('a snapshot is taken under a name, restored, and deleted', async () => {
    const { page, api } = await open({ view: '#/state' });
    const panel = page.getByRole('region', { name: 'Snapshots' });
    const list = panel.getByRole('list', { name: 'Kept snapshots' });
    await list.getByRole('button', { name: 'Restore start' }).waitFor();
    expect(await panel.getByRole('button', { name: 'Delete start' }).count()).toBe(0);
    const before = (await api.get('/interns')).json.data.length;
    const form = panel.getByRole('form', { name: 'New snapshot' });
    await form.getByRole('textbox', { name: 'Name' }).fill('no good/name');
    await form.getByRole('button', { name: 'Take a snapshot' }).click();
    await page.getByRole('log', { name: 'Notices' }).getByText(/name/).waitFor();
    await form.getByRole('textbox', { name: 'Name' }).fill('before');
    await form.getByRole('button', { name: 'Take a snapshot' }).click();
    await list.getByRole('button', { name: 'Restore before' }).waitFor();
    await api.create({ name: 'after' });
    await list.getByRole('button', { name: 'Restore before' }).click();
    await expect.poll(async () => (await api.get('/interns')).json.data.length).toBe(before);
    await list.getByRole('button', { name: 'Delete before' }).click();
    await list.getByRole('button', { name: 'Restore before' }).waitFor({ state: 'detached' });
    expect((await api.get('/_emulator/snapshots')).json.data).toHaveLength(1);
  });

  test('scripts chosen by what a prompt says are written as JSON, with errors at the line, and shown in words', async () => {
    const { page, api } = await open({ view: '#/scripts/-matches' });
    const editor = page.getByRole('textbox', { name: 'Matches' });
    await editor.fill('[{ "when": { "contains": "deploy" }, "script": "slwo" }]');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /^Line 1 .*unknown script "slwo" \(did you mean slow\?\)/ }).waitFor();
    await editor.fill('[{ "when": { "contains": "deploy", "turn": 2 }, "script": "slow" }]');
    await page.getByRole('button', { name: 'Save' }).click();
    const list = page.getByRole('list', { name: 'Matches in their order' });
    await list.getByText('if the prompt contains “deploy” and is number 2 of its session').waitFor();
    expect((await api.get('/_emulator/matches')).json.data).toHaveLength(1);
    await api.put('/_emulator/matches', [{ when: { regex: '^hi' }, script: 'echo' }]);
    await list.getByText('if the prompt matches ^hi').waitFor();
    await page.getByRole('button', { name: 'Those of the start' }).click();
    await list.waitFor({ state: 'detached' });
  });

  test('a page that nobody sees gives its connection back, and catches up when it is seen again', async () => {
    const { page, api } = await open();
    await page.getByRole('link', { name: /^first-intern/ }).waitFor();
    const show = (state: string) =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    const left = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/events'));
    await show('hidden');
    await left;
    await api.create({ name: 'unseen' });
    await show('visible');
    await page.getByRole('link', { name: /^unseen/ }).waitFor();
  });

  test('a page reads a few streams at a time, and says so', async () => {
    const { page, intern, go } = await open();
    await go(`#/interns/${intern.id}`);
    const prompt = page.getByRole('textbox', { name: /^Prompt to / });
    // Requests that get no answer: streams that stay open.
    await page.route('**/chat/completions', () => {});
    for (let i = 0; i < 5; i++) {
      await prompt.fill(`number ${i}`);
      await page.keyboard.press('Enter');
    }
    await page
      .getByRole('log', { name: 'Notices' })
      .getByText(/reads 4 streams already/)
      .waitFor();
  });

  test('a page takes up where it was when its connection breaks', async () => {
    const { page, api, url } = await open();
    const proxy = await breakable(Number(new URL(url).port));
    const resumed: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/events')) resumed.push(request.headers()['last-event-id']);
    });
    await page.goto(`http://127.0.0.1:${proxy.port}/_emulator/`);
    await page.getByRole('link', { name: /^first-intern/ }).waitFor();
    proxy.refuse(true);
    await page.getByRole('alert').filter({ hasText: 'The emulator does not answer' }).waitFor();
    await api.create({ name: 'meanwhile' });
    proxy.refuse(false);
    await page.getByRole('link', { name: /^meanwhile/ }).waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(resumed[0]).toBeUndefined();
    expect(resumed.at(-1)).toMatch(/-\d+$/);
    await proxy.close();
  });
});

/** A route to a port that can be broken: open connections are cut, and new ones refused. */
async function breakable(port: number) {
  const sockets = new Set<Socket>();
  let refusing = false;
  const server = createServer((socket) => {
    if (refusing) return void socket.destroy();
    const onward = connect(port, '127.0.0.1');
    for (const end of [socket, onward]) {
      sockets.add(end);
      end
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(end);
          socket.destroy();
          onward.destroy();
        });
    }
    socket.pipe(onward).pipe(socket);
  });
  const relay = await bind(server);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: relay,
    refuse(value: boolean) {
      refusing = value;
      if (value) cut();
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
