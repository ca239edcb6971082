import { onTestFinished } from 'vitest';

/** Something that a test opened. It is closed when the test is over. */
export function closing<Opened extends { close(): unknown }>(opened: Opened): Opened {
  onTestFinished(async () => void (await opened.close()));
  return opened;
}
