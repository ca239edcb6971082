import { createRequire } from 'node:module';
import type * as Re2 from 're2js';

const require = createRequire(import.meta.url);

/** How many steps one pattern may compile to. Matching takes as long as steps times characters, at worst. */
const MOST_STEPS = 1_000;

export interface LinearRegex {
  test(text: string): boolean;
  readonly steps: number;
}

/**
 * Compiles a regular expression in the syntax of RE2, which matches in time linear in the text: those of JavaScript
 * backtrack, and one from somebody else's file could keep the emulator busy forever. So there are no back references
 * and no lookarounds. It is loaded by `require`, since createEmulator returns at once and can await no import.
 *
 * @throws Error that says what is wrong with the pattern
 */
export function compileLinearRegex(pattern: string): LinearRegex {
  const { RE2JS } = require('re2js') as typeof Re2;
  let regex: Re2.RE2JS;
  try {
    regex = RE2JS.compile(pattern);
  } catch (error) {
    const why = (error as Error).message.replace(/^error parsing regexp: /, '');
    throw new Error(`expected a regular expression of RE2 (no lookarounds, no back references): ${why}`);
  }
  const steps = regex.programSize();
  if (steps > MOST_STEPS)
    throw new Error(`expected a regular expression of at most ${MOST_STEPS} steps; this one has ${steps}`);
  return { test: (text) => regex.test(text), steps };
}
