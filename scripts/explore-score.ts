// Holds the apps of conformance/explore/apps against `explore`, and writes down which disturbance found which app by
// which law: conformance/explore/apps/score.json, which docs/explore.md's table is made of.
//
//   npm run explore-score [-- APP…] [--print] [--seed TEXT] [--all]

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { APPS, byLaw, type Score, scoreOf } from '../conformance/explore/apps/score.js';

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
for (const app of wanted) {
  const began = performance.now();
  const score = await scoreOf(app, {
    ...(values.seed === undefined ? {} : { seed: values.seed }),
    ...(values.all ? { moments: 'all' as const, pairs: true, maxRuns: 300 } : {}),
  });
  scores.push(score);
  const law = 'law' in app ? app.law : undefined;
  const laws = [...new Set(score.found.map((one) => one.law))];
  const wrong = law === undefined ? laws.length > 0 : !laws.includes(law);
  process.stdout.write(
    `${wrong ? '✗' : ' '} ${score.id} (${law ?? 'right'}): ${laws.join(', ') || 'nothing'}; ${score.schedules} schedules, ${Math.round(performance.now() - began)} ms${wrong || law === undefined || laws.length > 1 ? `\n${score.found.map((one) => `      ${one.law}: ${one.sentence}`).join('\n')}` : ''}\n`,
  );
}
const FILE = 'conformance/explore/apps/score.json';
if (!values.print && !values.all) {
  const kept = positionals.length === 0 ? {} : JSON.parse(readFileSync(FILE, 'utf8'));
  writeFileSync(FILE, `${JSON.stringify({ ...kept, ...byLaw(scores) }, null, 2)}\n`);
}
