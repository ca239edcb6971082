// Tries every wrong client on the cases that concern it, and writes down which case catches which:
// conformance/clients/score.json, and the table in docs/lab.md. Run: npm run lab-score
import { writeFileSync } from 'node:fs';
import { FLAWS, type Flaw, type FlawArea } from '../conformance/clients/reference/flaws.js';
import { catches, concerns, type Score } from '../conformance/clients/sharpness.js';
import { systemHost } from '../conformance/framework/time.js';
import { createEmulator } from '../emulator/index.js';
import { cases } from '../emulator/lab/cases.js';
import { createLab } from '../emulator/lab/lab.js';

const AT_ONCE = 32;

const lab = createLab({ id: () => systemHost.tag(10), emulator: createEmulator });
const areas = Object.entries(FLAWS) as [FlawArea, Record<string, string>][];
const left = areas.flatMap(([area, flaws]) =>
  (Object.keys(flaws) as Flaw[]).flatMap((flaw) =>
    cases.filter((one) => concerns(area, one)).map((one) => ({ flaw, one })),
  ),
);
const found = new Map<string, Flaw[]>(cases.map(({ id }) => [id, []]));
const worker = async () => {
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    if (await catches(next.one, next.flaw, lab, systemHost)) found.get(next.one.id)?.push(next.flaw);
    if (left.length % 1_000 === 0) console.log(`${left.length} left`);
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, worker));
await lab.close();

const names = areas.flatMap(([, flaws]) => Object.keys(flaws));
const often = (flaw: string) => [...found.values()].filter((list) => list.includes(flaw as Flaw)).length;
const score: Score = {
  cases: cases.length,
  sharp: [...found.values()].filter((list) => list.length > 0).length,
  flaws: names.length,
  caught: names.filter((flaw) => often(flaw) > 0).length,
  catches: Object.fromEntries(
    [...found].map(([id, list]) => [id, list.sort((a, b) => often(a) - often(b) || a.localeCompare(b))]),
  ),
};
writeFileSync('conformance/clients/score.json', `${JSON.stringify(score, null, 1)}\n`);
console.log(
  `${score.sharp} of ${score.cases} cases catch a wrong client; ${score.caught} of ${score.flaws} wrong clients are caught`,
);
console.log(
  'cases that catch nothing:',
  [...found]
    .filter(([, list]) => list.length === 0)
    .map(([id]) => id)
    .join(' '),
);
console.log('not caught:', names.filter((flaw) => often(flaw) === 0).join(' '));
