// Writes the generated parts into pages: the calls of the control interface, the files of examples. `npm run docs`.
import { readFileSync, writeFileSync } from 'node:fs';
import { cases } from '../conformance/clients/index.js';
import { withClientRules } from './client-rules-page.js';
import { withCalls } from './control-docs.js';
import { withFiles } from './embed-files.js';
import { withApps } from './explore-rows.js';
import { withHabits } from './habit-rows.js';
import { withImports } from './import-picture.js';
import { llmsText } from './llms.js';
import { reportAssets } from './report-assets.js';
import { withFigure, withSeen } from './seen-rows.js';

for (const [page, made] of [
  ['CONTRIBUTING.md', withImports],
  ['docs/client-rules.md', async (page: string) => withClientRules(page, cases)],
  ['docs/kit.md', withHabits],
  ['docs/kit.md', withFigure],
  ['docs/control.md', withCalls],
  ['docs/mutants.md', withSeen],
  ['docs/explore-apps.md', withApps],
  ['docs/lab.md', withFiles],
  ['docs/recipes.md', withFiles],
] as const) {
  writeFileSync(page, await made(readFileSync(page, 'utf8')));
  console.log(page);
}

writeFileSync('llms.txt', llmsText());
console.log('llms.txt');

const assets = 'conformance/report/page/assets.ts';
writeFileSync(assets, await reportAssets());
console.log(assets);
