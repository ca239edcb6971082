import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemHost } from '../../probe/time.js';
import { type Members, openChannel } from './channel.js';
import { inside, type Note } from './inside.js';

/** Names a run to its Node processes. */
const VARIABLE = 'INTERN_EXPLORE_INSIDE';

/** What every Node process of a command loads first. Whatever fails in it is no matter of the program's. */
const sourceOf = (folder: string, port: number) => `'use strict';
// The compiler may have named functions by a helper of its own.
const __name = (it) => it;
const run = process.env.${VARIABLE};
if (run) try {
  (${inside.toString()})(require, { run, port: ${port}, notes: require('node:path').join(${JSON.stringify(folder)}, run) });
} catch {}
`;

const parsed = (line: string): Note => {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
};

/** What every Node process of a command loads first. */
export interface Preload {
  /** The variables of one run, its processes, and what they have noted. */
  run(env: NodeJS.ProcessEnv): {
    readonly env: NodeJS.ProcessEnv;
    readonly members: Members;
    noted(): readonly Note[];
  };
  close(): void;
}

export async function openPreload(): Promise<Preload> {
  const channel = await openChannel();
  const folder = mkdtempSync(join(tmpdir(), 'intern-explore-'));
  const file = join(folder, 'preload.cjs');
  writeFileSync(file, sourceOf(folder, channel.port));
  return {
    run(env) {
      const run = systemHost.tag(16);
      const notes = join(folder, run);
      const options = [env.NODE_OPTIONS, `--require ${JSON.stringify(file)}`].filter(Boolean).join(' ');
      return {
        env: { ...env, NODE_OPTIONS: options, [VARIABLE]: run },
        members: channel.of(run),
        noted() {
          try {
            return readFileSync(notes, 'utf8').trim().split('\n').map(parsed);
          } catch {
            return [];
          } finally {
            rmSync(notes, { force: true });
          }
        },
      };
    },
    close() {
      channel.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
