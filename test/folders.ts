import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

const made = (name: string) => {
  const folder = mkdtempSync(join(tmpdir(), name));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
};

/** A new folder for the test that runs. It is removed when the test is over. */
export function folderOfTest(name = 'test-'): string {
  const { folder, remove } = made(name);
  onTestFinished(remove);
  return folder;
}

/** A new folder for all tests of a file. It is removed after the last of them. */
export function folderOfFile(name = 'file-'): string {
  const { folder, remove } = made(name);
  afterAll(remove);
  return folder;
}
