// Tries every wrong client on the cases that concern it, and writes down which case catches which:
// conformance/clients/score.json. Run: npm run lab-score, with ids of cases to try those alone: npm run lab-score --
// sse-crlf 'http-retry-*'; `--again` only confirms what is written down

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { systemHost } from '../conformance/probe/time.js';
import { createEmulator } from '../emulator/index.js';
import { cases } from '../emulator/lab/cases.js';
import { createLab } from '../emulator/lab/lab.js';
import { FLAWS, type Flaw, type FlawArea } from '../test/reference/flaws.js';
import { catches, concerns, isPlain, type Score } from '../test/reference/sharpness.js';
import { byRow } from './by-row.js';

const AT_ONCE = 64;
const FEW_AT_ONCE = 6;
const FILE = 'conformance/clients/score.json';
const again = process.argv.includes('--again');
const patterns = process.argv
  .slice(2)
  .filter((one) => one !== '--again')
  .map((one) => new RegExp(`^${one.replaceAll('*', '.*')}$`));
const isWanted = (id: string) => patterns.length === 0 || patterns.some((pattern) => pattern.test(id));
const kept: Partial<Score['catches']> =
  existsSync(FILE) && (again || patterns.length > 0) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Score).catches : {};

const lab = createLab({ id: () => systemHost.tag(10), emulator: createEmulator });
const areas = Object.entries(FLAWS) as [FlawArea, Record<string, string>][];
const names = areas.flatMap(([, flaws]) => Object.keys(flaws));
const left = (again ? [] : areas).flatMap(([area, flaws]) =>
  (Object.keys(flaws) as Flaw[]).flatMap((flaw) =>
    cases.filter((one) => isWanted(one.id) && concerns(area, one)).map((one) => ({ flaw, one })),
  ),
);
const found = new Map<string, Flaw[]>(
  cases.map(({ id }) => [
    id,
    isWanted(id) && !again ? [] : [...((kept[id] ?? []) as Flaw[])].filter((flaw) => names.includes(flaw)),
  ]),
);
const worker = async () => {
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    if (await catches(next.one, next.flaw, lab, systemHost)) found.get(next.one.id)?.push(next.flaw);
    if (left.length > 0 && left.length % 1_000 === 0) console.log(`${left.length} left`);
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, worker));

// Where time is part of a case, a busy machine catches too much. So a result must be confirmed twice, with little else
// going on. For such a case the first confirmed wrong client is kept, and every one that no other case catches.
const certain = new Set(cases.filter(isPlain).flatMap(({ id }) => found.get(id) ?? []));
const rare = (flaw: string) => [...found.values()].filter((list) => list.includes(flaw as Flaw)).length;
const timed = cases.filter((one) => !isPlain(one) && isWanted(one.id));
const confirmer = async () => {
  for (let one = timed.shift(); one !== undefined; one = timed.shift()) {
    const holding: Flaw[] = [];
    for (const flaw of (found.get(one.id) ?? []).sort((a, b) => rare(a) - rare(b))) {
      if (holding.length > 0 && certain.has(flaw)) continue;
      const holds = (await catches(one, flaw, lab, systemHost)) && (await catches(one, flaw, lab, systemHost));
      if (!holds) continue;
      holding.push(flaw);
      certain.add(flaw);
    }
    found.set(one.id, holding);
  }
};
await Promise.all(Array.from({ length: FEW_AT_ONCE }, confirmer));
await lab.close();

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
writeFileSync(FILE, byRow(score, 2));
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
