import { readdirSync, readFileSync } from 'node:fs';

/** Ends a process group; whether there was something to end. */
export function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

/** Processes whose environment has a text. Only Linux shows it; elsewhere none. */
export function processesWith(text) {
  const has = (pid) => {
    try {
      return (
        readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text) &&
        !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
      );
    } catch {
      return false;
    }
  };
  const all = process.platform === 'linux' ? readdirSync('/proc') : [];
  return all.filter((name) => /^\d+$/.test(name) && has(name)).map(Number);
}
