import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const FOLDER = resolve(import.meta.dirname, '..');
export const TASKS = readdirSync(join(FOLDER, 'tasks')).sort();

/** The tasks that a number or a part of a name chooses: `3`, `03`, `pages`. All without it. Throws where none fits. */
export function chosen(only) {
  if (only === undefined) return TASKS;
  const fits = TASKS.filter((name) =>
    /^\d+$/.test(only) ? Number(name.slice(0, 2)) === Number(only) : name.includes(only),
  );
  if (fits.length === 0) throw new Error(`--only ${only}: no task fits; they are ${TASKS.join(', ')}`);
  return fits;
}

/** Copies a task, and nothing of its judge, into a folder. */
export function copyTask(name, folder) {
  mkdirSync(folder, { recursive: true });
  cpSync(join(FOLDER, 'tasks', name), folder, { recursive: true });
}

/** Puts the judge's solution into a copy of a task. Throws where a part of it does not stand there exactly once. */
export function applySolution(solution, folder) {
  for (const [file, parts] of Object.entries(solution)) {
    let text = readFileSync(join(folder, file), 'utf8');
    for (const [from, to] of parts) {
      if (text.split(from).length !== 2) throw new Error(`${file} has this not exactly once: ${from}`);
      text = text.replace(from, () => to);
    }
    writeFileSync(join(folder, file), text);
  }
}

const judges = (name) => import(`../judges/${name}.mjs`);
export const solutionOf = async (name) => (await judges(name)).solution;

/** Why a folder does not solve a task; undefined where it does. */
export async function judged(name, folder) {
  const { judge } = await judges(name);
  try {
    await judge(folder);
    return undefined;
  } catch (error) {
    return error.message.split('\n')[0];
  }
}
