import { describe, expect, test } from 'vitest';
import { cases } from '../../emulator/lab/cases.js';
import { reader, still } from '../../test/reference/reader.harness.js';
import { checkInProcess, isInProcess } from './in-process.js';

describe('the reference client, in process', () => {
  const mine = cases.filter(isInProcess);
  test.each(mine)('$id, cut everywhere', async (theCase) => {
    const { counterexample } = await checkInProcess(theCase, reader(), { stopwatch: still });
    expect(counterexample).toBeUndefined();
  });
});
