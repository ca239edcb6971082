import { expect, test } from 'vitest';
import { explore } from './explore.js';
import type { ExploreOptions, Program } from './types.js';

/** How long an exploration may take where `maxTime` is not given, in ms. */
const LONGEST = 600_000;

/**
 * Registers a test that explores a program (EXP-1). It fails with the report's text if a law was broken, or if the straight
 * run fails.
 *
 * @example
 * ```ts
 * import { exploreTest } from 'intern-emulator/explore/vitest';
 *
 * exploreTest('interns are listed', async ({ fetch, print, target }) => {
 *   const headers = { authorization: `Bearer ${target.credentials.api_key}` };
 *   const answer = await fetch(`${target.base_url}/interns`, { headers });
 *   if (!answer.ok) throw new Error(`the service answers ${answer.status}`);
 *   print(await answer.text());
 * });
 * ```
 */
export function exploreTest(name: string, program: Program, options: ExploreOptions = {}): void {
  test(name, { timeout: LONGEST }, async ({ signal }) => {
    const { findings, text } = await explore(program, { maxTime: LONGEST / 2, signal, ...options });
    if (findings.length > 0) {
      const error = new Error(text);
      // The stack is that of the engine and says nothing of the program.
      error.stack = error.message;
      throw error;
    }
    // Projects may require an assertion of each test.
    expect(findings).toEqual([]);
  });
}
