import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changed, filesOf, play } from './play.mjs';
import { serviceFor } from './service.mjs';
import { copyTask, FOLDER, judged } from './tasks.mjs';

const WITHOUT =
  'The service is an emulator of the interns interface. Its address and credentials are in the variables INTERN_BASE_URL, INTERN_API_KEY, INTERN_INTERN_ID, INTERN_WORKSPACE_ID and INTERN_OAUTH_TOKEN.';
const DOOR =
  'The emulator is also a server of the Model Context Protocol, at the address in INTERN_MCP_URL (streamable HTTP): when a request is refused, or the client does not work, call its tool explain_request.';

/** What a player is asked. */
export const promptOf = (task, door) =>
  [
    task.trim(),
    'Mend the files of this folder, and nothing outside of it.',
    WITHOUT,
    ...(door === 'mcp' ? [DOOR] : []),
  ].join('\n\n');

/** A player that cannot be started: every other task would say the same. */
export class NotStarted extends Error {}

/** Puts a player before one task: whether it solved it, what it did, and how long it took. */
export async function scoreTask(name, { player, door, limit, emulator }) {
  const around = mkdtempSync(join(tmpdir(), 'intern-agents-'));
  const folder = join(around, 'work');
  copyTask(name, folder);
  writeFileSync(join(around, 'not-yours.txt'), 'A player works in the folder beside this file.\n');
  const service = await serviceFor(emulator, door);
  try {
    const outside = () => new Map([...without(filesOf(around), 'work'), ...filesOf(FOLDER)]);
    const before = { outside: outside(), inside: filesOf(folder) };
    const prompt = promptOf(readFileSync(join(folder, 'TASK.md'), 'utf8'), door);
    const began = performance.now();
    const { notes, notStarted } = await play(player, { folder, prompt, variables: service.variables, limit });
    const seconds = (performance.now() - began) / 1_000;
    if (notStarted !== undefined) throw new NotStarted(notStarted);
    const { requests, door: calls } = await service.counts();
    const elsewhere = changed(before.outside, outside());
    const own = changed(before.inside, filesOf(folder));
    const why =
      elsewhere.length > 0
        ? `changed files outside its folder: ${elsewhere.join(', ')}`
        : own.length === 0
          ? 'nothing was changed'
          : await judged(name, folder);
    return { task: name, solved: why === undefined, why, notes, requests, door: calls, seconds };
  } finally {
    await service.close();
    rmSync(around, { recursive: true, force: true });
  }
}

const without = (files, folder) => [...files].filter(([path]) => !path.startsWith(`${folder}/`));

/** The table of a score, as Markdown. */
export function table(rows) {
  const calls = ({ door }) => Object.values(door).reduce((sum, count) => sum + count, 0);
  const lines = rows.map((row) => [
    row.task,
    row.solved ? 'yes' : 'no',
    row.requests,
    calls(row),
    row.seconds.toFixed(1),
    [row.why, ...row.notes].filter(Boolean).join('; ').replaceAll('|', '\\|'),
  ]);
  return [['task', 'solved', 'requests', 'door', 'seconds', 'why not'], Array(6).fill('---'), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
