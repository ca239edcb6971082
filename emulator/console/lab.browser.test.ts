import { expect, test } from 'vitest';
import { conformance } from '../../conformance/cli/main.js';
import { systemHost } from '../../conformance/probe/time.js';
import { inBrowser } from '../testing/browser.harness.js';

/** An adapter that takes every event for `hullo`. */
const ADAPTER = `
  const say = (line) => console.log(JSON.stringify(line));
  say({ adapter: 'hullo', version: '1', layers: ['sse'] });
  require('readline').createInterface({ input: process.stdin }).on('line', async (text) => {
    const { run, url, body, headers } = JSON.parse(text);
    await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).text();
    say({ run, outcome: 'complete', events: [{ event: 'message', data: 'hullo', id: '' }] });
  });`;

inBrowser('the console, the client lab', (open) => {
  test('a case is called by hand: what the client did and what it was sent', async () => {
    const { page, api } = await open({ view: '#/lab' });
    await page.getByText('No runs yet').waitFor();
    await page.getByLabel('Search').fill('sse-one-event');
    await page.getByRole('button', { name: 'Run sse-one-event by hand' }).click();
    const list = page.getByRole('list', { name: 'Lab runs' });
    await list.getByText('no request yet').waitFor();
    const [first] = (await api.get('/_emulator/lab/runs')).json.data;
    await (await fetch(first.url, { method: 'POST', body: '{}' })).text();
    await list.getByText(/answered whole after/).waitFor();
    await list.getByText('POST /chat/completions').click();
    await list.getByText('content-length', { exact: true }).waitFor();
    await list.getByRole('table', { name: 'Sent for request 1' }).getByText('data: hello\\n\\n').waitFor();
    await list.getByText('What a right client makes of it').click();
    await list.getByText('"outcome": "complete"').waitFor();
    await api.post('/_emulator/lab/runs', { case: 'sse-crlf-split' });
    const cases = list.getByRole('heading', { level: 3 });
    await expect.poll(() => cases.allInnerTexts()).toEqual(['sse-crlf-split', 'sse-one-event']);
    await page.reload();
    await expect.poll(() => cases.allInnerTexts()).toEqual(['sse-crlf-split', 'sse-one-event']);
  });

  test('an emulator that may run commands runs the adapter, and the page goes to what is said of it', async () => {
    const { page } = await open({
      view: '#/lab',
      emulator: { agentsMayRun: true, checks: async () => (await import('../../conformance/cli/checks.js')).CHECKS },
    });
    await page.getByLabel('Search').fill('sse-one');
    await page.getByRole('checkbox', { name: 'sse-one-event' }).check();
    const adapter = page.getByLabel("The adapter's command");
    await adapter.fill("node 'open");
    await page.getByRole('button', { name: 'Run it here' }).click();
    await page.getByText(/has a quote that is not closed/).waitFor();
    await adapter.fill(`"${process.execPath}" -e '${ADAPTER.replaceAll("'", `'"'"'`)}'`);
    await page.getByLabel('Cuts').selectOption('none');
    await page.getByRole('button', { name: 'Run it here' }).click();
    const run = page.getByRole('list', { name: 'Lab runs' }).getByText('sse-one-event');
    await run.waitFor();
    await page.getByText('1 done: 1 fail').waitFor();
    const isSeen = `document.querySelector('[aria-label="Lab runs"]').getBoundingClientRect().top < innerHeight`;
    await expect.poll(() => page.evaluate(isSeen)).toBe(true);
  });

  test('the page gives the line that runs an adapter, and shows its verdicts as they come', async () => {
    const { page, url } = await open({ view: '#/lab' });
    await page.getByLabel('Group').selectOption('sse');
    await page.getByLabel('Search').fill('one event');
    await page.getByRole('checkbox', { name: 'sse-one-event' }).check();
    await page.getByLabel('Group').selectOption('idle');
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Needs').selectOption('idle');
    await page.getByRole('button', { name: /^Choose these/ }).click();
    await page.getByLabel("The adapter's command").fill('node adapter.js');
    const line = await page.getByRole('status', { name: 'Command line' }).innerText();
    expect(line).toBe(
      `npx intern-conformance client --only sse-one-event --only 'idle-*' --show ${url}/_emulator -- node adapter.js`,
    );
    const args = line.split(' -- ')[0]?.replaceAll("'", '').split(' ').slice(2) ?? [];
    const exit = await conformance([...args, '--cuts', 'none', '--', process.execPath, '-e', ADAPTER], {
      out() {},
      err() {},
      colour: false,
      live: false,
      width: 100,
      env: {},
      signal: new AbortController().signal,
      host: systemHost,
    });
    expect(exit).toBe(1);
    // This emulator runs no commands.
    await page.getByRole('button', { name: 'Run it here' }).click();
    await page
      .getByRole('log', { name: 'Notices' })
      .getByText(/start it with --agents-may-run/)
      .waitFor();
    const list = page.getByRole('list', { name: 'Lab runs' });
    await page
      .getByRole('status')
      .filter({ hasText: /1 fail/ })
      .waitFor();
    await page.getByLabel('Verdict').selectOption('fail');
    await list.getByText('sse-one-event').click();
    await list.getByText('the data of the first event: "hullo", expected "hello"').waitFor();
    await list.getByText('POST /chat/completions').click();
    await list.getByText('data: hello\\n\\n').waitFor();
  });
});
