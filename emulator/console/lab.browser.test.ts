import { expect, test } from 'vitest';
import { inBrowser } from './browser.harness.js';

inBrowser('the console, the client lab', (open) => {
  test('runs are listed as they come, with what the client did', async () => {
    const { page, api } = await open({ view: '#/lab' });
    await page.getByText('No runs yet').waitFor();
    const { json: first } = await api.post('/_emulator/lab/runs', { case: 'sse-one-event' });
    const list = page.getByRole('list', { name: 'Lab runs' });
    await list.getByText('no request yet').waitFor();
    await (await fetch(first.url, { method: 'POST', body: '{}' })).text();
    await list.getByText('POST /chat/completions').waitFor();
    await list.getByText(/answered whole after/).waitFor();
    await api.post('/_emulator/lab/runs', { case: 'sse-crlf-split' });
    const cases = list.getByRole('heading');
    await expect
      .poll(() => cases.allInnerTexts().then((all) => all.map((text) => text.split(/\s/)[0])))
      .toEqual(['sse-crlf-split', 'sse-one-event']);
    await page.reload();
    await list.getByText('POST /chat/completions').waitFor();
  });
});
