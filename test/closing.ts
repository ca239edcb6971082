import { onTestFinished } from 'vitest';

/** What a test has opened. It is closed when the test is over. */
export function closing<Opened extends { close(): unknown }>(opened: Opened): Opened {
  onTestFinished(async () => void (await opened.close()));
  return opened;
}
