import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { jsonOf, recordOf } from '../../probe/json.js';
import { systemHost } from '../../probe/time.js';
import { OWN_PATIENCE } from '../run.js';
import { type Members, openChannel } from './channel.js';
import { inside, type Note, STEP } from './inside.js';
import { PYTEST_PLUGIN, talks } from './talks.js';

/** Environment variable: the id of the run. */
const VARIABLE = 'INTERN_EXPLORE_INSIDE';
/** Environment variable: the ports of the emulator. */
const PORTS = 'INTERN_EXPLORE_PORTS';
/** Environment variable: the file for notes. */
const NOTES = 'INTERN_EXPLORE_NOTES';
/** Environment variable: set while the run learns which tests talk to the emulator. */
const LEARNS = 'INTERN_EXPLORE_TALKS';
/** Environment variable: the test that started a process. */
const TEST = 'INTERN_EXPLORE_TEST';
const PLUGIN = 'intern_explore_talks';

/** The source of the preloaded module. Its failures must not reach the program. */
const sourceOf = (port: number) => `'use strict';
// The compiler may have named functions by a helper of its own.
const __name = (it) => it;
const { ${VARIABLE}: run, ${NOTES}: notes, ${LEARNS}: learns } = process.env;
const ports = JSON.parse(process.env.${PORTS} || '[]');
const note = (its) => {
  try {
    require('node:fs').appendFileSync(notes, JSON.stringify(its) + '\\n');
  } catch {}
};
if (run) try {
  (${inside.toString()})(require, { run, port: ${port}, ports, least: ${STEP}, patience: ${OWN_PATIENCE}, note });
} catch {}
if (learns) try {
  (${talks.toString()})(require, { ports, variable: '${TEST}', note });
} catch {}
`;

const parsed = (line: string): Note => recordOf(jsonOf(line));

/** The module that every Node process of a command loads first. */
export interface Preload {
  /** The environment of one run against an emulator at `ports`, its processes, and their notes. `learns`: notes which tests talk. */
  run(
    env: NodeJS.ProcessEnv,
    ports: readonly number[],
    learns: boolean,
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
    run(env, ports, learns) {
      const run = systemHost.tag(16);
      const notes = join(folder, run);
      return {
        env: {
          ...env,
          NODE_OPTIONS: joined(' ', env.NODE_OPTIONS, `--require ${JSON.stringify(file)}`),
          PYTEST_PLUGINS: joined(',', env.PYTEST_PLUGINS, PLUGIN),
          PYTHONPATH: joined(delimiter, folder, env.PYTHONPATH),
          [VARIABLE]: run,
          [PORTS]: JSON.stringify(ports),
          [NOTES]: notes,
          ...(learns && { [LEARNS]: 'yes' }),
        },
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
