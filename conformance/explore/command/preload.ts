import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { systemHost } from '../../probe/time.js';
import { type Members, openChannel } from './channel.js';
import { inside, type Note, STEP } from './inside.js';
import { PYTEST_PLUGIN, talks } from './talks.js';

/** Names a run to its Node processes. */
const VARIABLE = 'INTERN_EXPLORE_INSIDE';
/** Where its tests are learnt: the ports of the emulator, the file that is noted in, and for what a test starts that test. */
const LEARNS = 'INTERN_EXPLORE_TALKS';
const NOTES = 'INTERN_EXPLORE_NOTES';
const TEST = 'INTERN_EXPLORE_TEST';
const PLUGIN = 'intern_explore_talks';

/** What every Node process of a command loads first. Whatever fails in it is no matter of the program's. */
const sourceOf = (port: number) => `'use strict';
// The compiler may have named functions by a helper of its own.
const __name = (it) => it;
const { ${VARIABLE}: run, ${NOTES}: notes, ${LEARNS}: ports } = process.env;
const note = (its) => {
  try {
    require('node:fs').appendFileSync(notes, JSON.stringify(its) + '\\n');
  } catch {}
};
if (run) try {
  (${inside.toString()})(require, { run, port: ${port}, step: ${STEP}, note });
} catch {}
if (ports) try {
  (${talks.toString()})(require, { ports: JSON.parse(ports), variable: '${TEST}', note });
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
  /** The variables of one run, its processes, and what they have noted. With `talksTo` they note which tests talk to these ports. */
  run(
    env: NodeJS.ProcessEnv,
    talksTo?: readonly number[],
  ): {
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
  writeFileSync(file, sourceOf(channel.port));
  writeFileSync(join(folder, `${PLUGIN}.py`), PYTEST_PLUGIN);
  const joined = (separator: string, ...parts: (string | undefined)[]) => parts.filter(Boolean).join(separator);
  return {
    run(env, talksTo) {
      const run = systemHost.tag(16);
      const notes = join(folder, run);
      const learns = talksTo && {
        [LEARNS]: JSON.stringify(talksTo),
        PYTEST_PLUGINS: joined(',', env.PYTEST_PLUGINS, PLUGIN),
        PYTHONPATH: joined(delimiter, folder, env.PYTHONPATH),
      };
      const options = joined(' ', env.NODE_OPTIONS, `--require ${JSON.stringify(file)}`);
      return {
        env: { ...env, NODE_OPTIONS: options, [VARIABLE]: run, [NOTES]: notes, ...learns },
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
