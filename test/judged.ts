import { afterAll, afterEach, expect } from 'vitest';

// Answers of emulators in tests of their own keep the rules of the interface: a breach fails the test.
if (expect.getState().testPath?.includes('/emulator/')) {
  const { judgeEmulators } = await import('./judged-emulators.js');
  const found: string[] = [];
  const undo = judgeEmulators((breach) => found.push(breach));
  afterEach(() => {
    expect(found.splice(0)).toEqual([]);
  });
  afterAll(undo);
}
