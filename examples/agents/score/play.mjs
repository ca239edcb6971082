import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { endGroup, processesWith } from './processes.mjs';

/** The digest of each file below a folder, by its path; what cannot be read counts by its name. */
export function filesOf(folder) {
  const found = new Map();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (!entry.isFile()) continue;
    found.set(relative(folder, path), createHash('sha256').update(readFileSync(path)).digest('base64'));
  }
  return found;
}

/** The paths that were made, changed or removed. */
export const changed = (before, after) =>
  [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path)).sort();

/** A shell says so of a command that is not there, or that it may not run. */
const NOT_STARTED = [126, 127];

/**
 * Runs a player in a folder, with its prompt on standard input and in PROMPT. Answers why it could not be started, or notes:
 * that it never ended, failed, or left processes behind, which are ended.
 */
export function play(command, { folder, prompt, variables, limit }) {
  const mark = `INTERN_PLAY=${randomUUID()}`;
  const [name, value] = mark.split('=');
  const notes = [];
  return new Promise((resolve) => {
    const child = spawn(command, {
      cwd: folder,
      env: { ...process.env, ...variables, PROMPT: prompt, [name]: value },
      shell: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    let said = '';
    let over = false;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece) => {
        said = (said + piece).slice(-4_096);
      });
    child.stdin.on('error', () => {}); // It need not read its prompt.
    child.stdin.end(prompt);
    const timer = setTimeout(() => {
      over = true;
      endGroup(child.pid);
    }, limit);
    child.once('exit', (status, signal) => {
      clearTimeout(timer);
      const last = said.trim().split('\n').at(-1);
      if (over) notes.push(`did not end within ${limit / 1_000} s`);
      else if (status !== 0) notes.push(`ended with ${signal ?? `status ${status}: ${last}`}`);
      const stayed = processesWith(mark);
      const rest = endGroup(child.pid) || stayed.length > 0;
      for (const pid of stayed) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended with its group.
        }
      }
      if (rest && !over) notes.push('left processes behind, which were ended');
      resolve({ notes, said, notStarted: NOT_STARTED.includes(status) ? last : undefined });
    });
  });
}
