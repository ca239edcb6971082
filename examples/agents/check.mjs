// Holds the tasks to what they are for: each client fails its judge as it stands, and passes with the judge's solution. Scores the
// reference player with and without the door, and compares with the table of README.md; --write writes it there.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { notBuilt } from './package.mjs';
import { scoreTask } from './score/score.mjs';
import { startEmulator } from './score/service.mjs';
import { applySolution, copyTask, FOLDER, judged, solutionOf, TASKS } from './score/tasks.mjs';

const README = join(FOLDER, 'README.md');
const MARKS = ['<!-- score: written by check.mjs -->\n', '<!-- end of score -->'];
const player = `"${process.execPath}" "${join(FOLDER, 'player.mjs')}"`;

const faults = [];
const missing = notBuilt();
if (missing) throw new Error(missing);
const emulator = await startEmulator();

async function sharp(name) {
  const around = mkdtempSync(join(tmpdir(), 'intern-agents-'));
  const [broken, mended] = [join(around, 'broken'), join(around, 'mended')];
  try {
    for (const folder of [broken, mended]) copyTask(name, folder);
    applySolution(await solutionOf(name), mended);
    if ((await judged(name, broken)) === undefined) faults.push(`${name}: the broken client passes its judge`);
    const why = await judged(name, mended);
    if (why !== undefined) faults.push(`${name}: the solution does not pass: ${why}`);
  } finally {
    rmSync(around, { recursive: true, force: true });
  }
}

/** Players that are no use, and what is said of each. */
const BAD = [
  ['no-such-player', /no-such-player/],
  ['sleep 60', /^nothing was changed did not end within 0\.5 s$/],
  ['echo x > ../elsewhere', /^changed files outside its folder: elsewhere $/],
  ['sleep 60 & exit 3', /^nothing was changed ended with status 3: .*left processes behind/],
  ['rm main.mjs', /^it ended with status 1 $/],
];
async function bad(player, expected) {
  const { why, notes } = await scoreTask('09-pages', { player, door: 'none', limit: 500, emulator }).catch((error) => ({
    why: error.message,
    notes: [],
  }));
  const said = `${why} ${notes.join(', ')}`;
  if (!expected.test(said)) faults.push(`the player ${player}: ${said}`);
}

const scored = new Map();
const work = [
  ...BAD.map((each) => () => bad(...each)),
  ...TASKS.flatMap((name) => [
    () => sharp(name),
    ...['mcp', 'none'].map((door) => async () => {
      scored.set(`${door} ${name}`, await scoreTask(name, { player, door, limit: 60_000, emulator }));
    }),
  ]),
];
const worker = async () => {
  for (let next = work.shift(); next; next = work.shift()) await next();
};
await Promise.all(Array.from({ length: availableParallelism() }, worker)).finally(emulator.close);

const toolsOf = ({ door }) =>
  Object.keys(door)
    .map((tool) => `\`${tool}\``)
    .join(', ');
const solved = (door, name) => scored.get(`${door} ${name}`).solved;
const total = (door) => `${TASKS.filter((name) => solved(door, name)).length} of ${TASKS.length}`;
const table = [
  '| task | with the door | without | what it called |',
  '|---|---|---|---|',
  ...TASKS.map(
    (name) =>
      `| ${name} | ${solved('mcp', name) ? 'solved' : ''} | ${solved('none', name) ? 'solved' : ''} | ${toolsOf(scored.get(`mcp ${name}`))} |`,
  ),
  `| | ${total('mcp')} | ${total('none')} | |`,
  '',
].join('\n');

const text = readFileSync(README, 'utf8');
const [before, rest] = text.split(MARKS[0]);
const [shown, after] = rest.split(MARKS[1]);
if (process.argv.includes('--write')) writeFileSync(README, `${before}${MARKS[0]}${table}${MARKS[1]}${after}`);
else if (shown !== table) {
  faults.push(`README.md has another score; else: node examples/agents/check.mjs --write\n${table}`);
  for (const [key, { solved, why }] of scored)
    if (!solved && why !== 'nothing was changed') faults.push(`${key}: ${why}`);
}
for (const fault of faults) console.error(fault);
console.log(
  `${TASKS.length} tasks; the reference player solves ${total('mcp')} with the door, ${total('none')} without`,
);
process.exitCode = faults.length > 0 ? 1 : 0;
