// Scores a player at the broken clients of tasks/: node score.mjs --player 'COMMAND' (README.md beside this file).
import { parseArgs } from 'node:util';
import { notBuilt } from './package.mjs';
import { NotStarted, scoreTask, table } from './score/score.mjs';
import { startEmulator } from './score/service.mjs';
import { chosen } from './score/tasks.mjs';

const USAGE = `node examples/agents/score.mjs --player 'COMMAND' [--door mcp|none] [--only TASK] [--limit SECONDS] [--jobs N] [--json]`;

function settings() {
  const { values } = parseArgs({
    options: {
      player: { type: 'string' },
      door: { type: 'string', default: 'mcp' },
      only: { type: 'string' },
      limit: { type: 'string', default: '600' },
      jobs: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
    },
  });
  const number = (name) => {
    if (Number.isInteger(Number(values[name])) && Number(values[name]) > 0) return Number(values[name]);
    throw new Error(`--${name}: expected a whole number from 1; found ${values[name]}`);
  };
  if (!values.player) throw new Error('--player: missing; give the command of a player');
  if (!['mcp', 'none'].includes(values.door)) throw new Error(`--door: expected mcp or none; found ${values.door}`);
  const missing = notBuilt();
  if (missing) throw new Error(missing);
  return { ...values, tasks: chosen(values.only), limit: number('limit') * 1_000, jobs: number('jobs') };
}

async function score({ tasks, jobs, json, ...options }) {
  const emulator = await startEmulator();
  const rows = [];
  const left = [...tasks];
  const work = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const row = await scoreTask(name, { ...options, emulator });
      rows.push(row);
      if (!json)
        console.error(`${row.task}: ${[row.solved ? 'solved' : `not solved: ${row.why}`, ...row.notes].join('; ')}`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work)).finally(emulator.close);
  rows.sort((a, b) => a.task.localeCompare(b.task));
  const solved = rows.filter((row) => row.solved).length;
  const { player, door } = options;
  if (json) console.log(JSON.stringify({ player, door, solved, of: rows.length, tasks: rows }, null, 2));
  else
    console.log(
      `${table(rows)}\n\n${solved} of ${rows.length} solved, ${door === 'mcp' ? 'with' : 'without'} the door`,
    );
}

try {
  await score(settings());
} catch (error) {
  const said = error instanceof NotStarted ? `the player could not be started: ${error.message}` : error.message;
  console.error(`score: ${said}${error.code?.startsWith?.('ERR_PARSE_ARGS') ? `\n${USAGE}` : ''}`);
  process.exitCode = 2;
}
