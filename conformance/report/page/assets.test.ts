import { expect, test } from 'vitest';
import { reportAssets } from '../../../scripts/report-assets.js';

test('the style and the script of reports are those of their sources (npm run docs)', async () => {
  await expect(await reportAssets()).toMatchFileSnapshot('./assets.ts');
});
