import { expect, test } from 'vitest';
import { inBrowser } from '../testing/browser.harness.js';
import { exploredFile, exploredReport } from './explored.harness.js';

inBrowser('the console, a report of explore', (open) => {
  test('shows both runs side by side, and serves the schedule; a report of anybody runs nothing', async () => {
    const { page, api } = await open({ view: '#/explore' });
    const file = page.getByLabel('Report or schedule');
    const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await file.setInputFiles(exploredFile(exploredReport(hostile)));
    await page.getByRole('heading', { name: 'Do not send again what may have been acted on.' }).waitFor();
    await page.getByText('120 schedules tried, 7 of them broke a law (2 findings).').waitFor();
    await page.getByText('Nothing takes effect more often because something went wrong.').waitFor();
    const runs = page.getByRole('table', { name: /^Both runs: at the 1st prompt, the stream was cut/ });
    expect((await runs.getByRole('row').allInnerTexts()).map((row) => row.replaceAll('\n', ''))).toEqual([
      'undisturbed\tdisturbed',
      ...['→ POST', '  ← 200', '\t  ⚡ the stream was cut', '\t→ POST', '\tprints <img', '■ passed\t■ passed'].map(
        (begin) => expect.stringContaining(begin),
      ),
    ]);
    expect(await page.title()).toContain('Explore');
    expect(await page.locator('main img').count()).toBe(0);

    await api.post('/_emulator/faults', { operation: 'list', status: 503 });
    await page.getByRole('button', { name: 'Serve it here' }).click();
    await page.getByText('The next calls meet it').waitFor();
    expect((await api.get('/_emulator/faults')).json.data).toMatchObject([{ operation: 'chat', disturb: 'cut' }]);

    // A file that cannot be used leaves the page and the faults as they were.
    await file.setInputFiles(exploredFile('{"version":', 'half.json'));
    await page.getByRole('alert').getByText('half.json: it is not JSON, or was cut off').waitFor();
    await runs.waitFor();
    await file.setInputFiles(exploredFile({ name: 'x', faults: [{ operation: 'chat', disturb: 'meteor' }] }, 'x.json'));
    await page.getByRole('heading', { name: 'x', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Serve it here' }).click();
    await page.locator('.notice.error').waitFor();
    expect((await api.get('/_emulator/faults')).json.data).toMatchObject([{ operation: 'chat', disturb: 'cut' }]);
  });
});
