import { expect, test } from 'vitest';
import { inBrowser } from './browser.harness.js';

inBrowser('the console, the client lab', (open) => {
  test('runs are listed as they come, with what the client did', async () => {
    const { page, api } = await open({ view: '#/lab' });
    await page.getByText('No runs yet').waitFor();
    await page.getByRole('combobox', { name: 'Case' }).selectOption('sse-one-event');
    await page.getByRole('button', { name: 'Start a run' }).click();
    await page.getByRole('list', { name: 'Lab runs' }).waitFor();
    const [first] = (await api.get('/_emulator/lab/runs')).json.data;
    const list = page.getByRole('list', { name: 'Lab runs' });
    await list.getByText('no request yet').waitFor();
    await (await fetch(first.url, { method: 'POST', body: '{}' })).text();
    await list.getByText('POST /chat/completions').waitFor();
    await list.getByText(/answered whole after/).waitFor();
    await list.getByText('POST /chat/completions').click();
    await list.getByText('content-length', { exact: true }).waitFor();
    await api.post('/_emulator/lab/runs', { case: 'sse-crlf-split' });
    const cases = list.getByRole('heading');
    await expect
      .poll(() => cases.allInnerTexts().then((all) => all.map((text) => text.split(/\s/)[0])))
      .toEqual(['sse-crlf-split', 'sse-one-event']);
    await page.reload();
    await list.getByText('POST /chat/completions').waitFor();
  });
});
