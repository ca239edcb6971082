// Holds the apps of test/apps against `explore`, and writes down which disturbance found which app by
// which law: test/apps/score.json, which docs/explore-apps.md's table is made of. Says how many findings a defect has,
// and how many of them three runs of their schedule alone show again.
//
//   npm run explore-score [-- APP…] [--print] [--seed TEXT] [--all]

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { APPS, byLaw, notAgain, type Score, scoreOf } from '../test/apps/score.js';
import { byRow } from './by-row.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    print: { type: 'boolean', default: false },
    seed: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
});
const wanted = APPS.filter(({ id }) => positionals.length === 0 || positionals.includes(id));
const scores: Score[] = [];
let [defects, groups, lost] = [0, 0, 0];
for (const app of wanted) {
  const began = performance.now();
  const score = await scoreOf(app, {
    ...(values.seed === undefined ? {} : { seed: values.seed }),
    ...(values.all ? { moments: 'all' as const, pairs: true, maxRuns: 300 } : {}),
  });
  scores.push(score);
  const law = 'law' in app ? app.law : undefined;
  const laws = [...new Set(score.findings.map((one) => one.law))];
  const wrong = law === undefined ? laws.length > 0 : !laws.includes(law);
  const gone = await notAgain(app, score.findings);
  if (law !== undefined) defects++;
  groups += score.findings.length;
  lost += gone.length;
  const lines = score.findings.map(
    (one) =>
      `\n      ${gone.includes(one) ? 'not again: ' : ''}${one.law} ${one.request}: ${one.sentence} (${one.disturbances.map(({ kind, operation }) => `${kind} ${operation}`).join(', ')})`,
  );
  process.stdout.write(
    `${wrong ? '✗' : ' '} ${score.id} (${law ?? 'right'}): ${laws.join(', ') || 'nothing'}; ${score.schedules} schedules, ${Math.round(performance.now() - began)} ms${wrong || lines.length > 1 || gone.length > 0 ? lines.join('') : ''}\n`,
  );
}
process.stdout.write(
  `${groups} findings of ${defects} defects, ${(groups / Math.max(1, defects)).toFixed(2)} a defect; ${groups - lost} of ${groups} shown again three times\n`,
);
const FILE = 'test/apps/score.json';
if (!values.print && !values.all) {
  const kept = positionals.length === 0 ? {} : JSON.parse(readFileSync(FILE, 'utf8'));
  writeFileSync(FILE, byRow({ ...kept, ...byLaw(scores) }));
}
