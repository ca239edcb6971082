import { appendFileSync } from 'node:fs';
import type { Results } from '../engine/results.js';
import { UsageError } from '../framework/usage.js';
import type { Host } from '../probe/time.js';
import { REPORTERS } from '../reporters/index.js';
import { writeTo } from './folders.js';
import type { Settings } from './settings.js';

/** Where a call of the kit writes, and what it learns of its surroundings. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  readonly colour: boolean;
  /** Whether `err` is a terminal whose line can be overwritten. */
  readonly live: boolean;
  /** Asks the person at the terminal, if there is one. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  readonly width: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the run early; it still cleans up. */
  readonly signal: AbortSignal;
  /** Claims the second Ctrl-C, which else ends the process: it aborts what this returns. */
  readonly again?: (() => AbortSignal) | undefined;
  /** Resolves once npm, which started this process, is gone: for a command that does not end by itself. */
  readonly gone?: (() => Promise<void> | undefined) | undefined;
  readonly host: Host;
}

/** A report, if a text can be as long: those that others wrote may hold more than one text does. */
function rendered(place: string, render: () => string): string {
  try {
    return render();
  } catch (error) {
    if (error instanceof RangeError && error.message === 'Invalid string length')
      throw new UsageError(`${place} cannot be written: it is too long for one text`);
    throw error;
  }
}

/** Writes each report to its destination. */
export function deliver(results: Results, settings: Pick<Settings, 'reports'>, io: Io): void {
  for (const { kind, file } of settings.reports) {
    const place = `--report ${kind}${file === undefined ? '' : `=${file}`}`;
    const text = rendered(place, () => REPORTERS[kind](results, { colour: io.colour && file === undefined }));
    if (kind === 'github' && io.env.GITHUB_STEP_SUMMARY)
      appendFileSync(io.env.GITHUB_STEP_SUMMARY, REPORTERS.markdown(results));
    if (file === undefined) {
      io.out(text);
      continue;
    }
    writeTo(place, file, text);
  }
}
