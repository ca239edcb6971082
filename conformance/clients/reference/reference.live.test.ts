import { describe, expect, test } from 'vitest';
import { cases } from '../../../emulator/lab/cases.js';
import { checkInProcess, isInProcess } from '../in-process.js';
import { reader, still } from './reader.harness.js';

describe('the reference client, in process', () => {
  const mine = cases.filter(isInProcess);
  test.each(mine)('$id, cut everywhere', async (theCase) => {
    const { counterexample } = await checkInProcess(theCase, reader(), { stopwatch: still });
    expect(counterexample).toBeUndefined();
  });
});
