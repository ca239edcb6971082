import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Names the file in which a Node process says that a rejection was handled by nobody. */
const VARIABLE = 'INTERN_EXPLORE_REJECTIONS';

/**
 * Says that nobody handled a rejection, then lets it end the process as it would have. Who listens for rejections handles
 * them. A top-level `await` that fails is none: Node does not report it to listeners.
 */
const SOURCE = `'use strict';
const { appendFileSync } = require('node:fs');
process.on('unhandledRejection', (reason) => {
  if (process.listenerCount('unhandledRejection') > 1) return;
  try {
    appendFileSync(process.env.${VARIABLE}, String(reason instanceof Error ? reason.stack : reason).slice(0, 2000) + '\\n');
  } catch {}
  setImmediate(() => { throw reason; });
});
`;

/** What every Node process of a command loads first, to tell rejections that nobody handles. */
export interface Preload {
  /** The variables of one run, and what was noted in it. */
  run(env: NodeJS.ProcessEnv): { readonly env: NodeJS.ProcessEnv; rejection(): string | undefined };
  close(): void;
}

export function createPreload(): Preload {
  const folder = mkdtempSync(join(tmpdir(), 'intern-explore-'));
  const file = join(folder, 'preload.cjs');
  writeFileSync(file, SOURCE);
  let runs = 0;
  return {
    run(env) {
      runs += 1;
      const notes = join(folder, `run-${runs}`);
      const options = [env.NODE_OPTIONS, `--require ${JSON.stringify(file)}`].filter(Boolean).join(' ');
      return {
        env: { ...env, NODE_OPTIONS: options, [VARIABLE]: notes },
        rejection() {
          try {
            return readFileSync(notes, 'utf8').trim();
          } catch {
            return undefined;
          } finally {
            rmSync(notes, { force: true });
          }
        },
      };
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
