import { closing } from '../../test/closing.js';
import { createEmulator, type Emulator } from '../emulator.js';
import type { EmulatorOptions } from '../options/options.js';

type Listen = Emulator['listen'];

/** An emulator that listens until the test is over. Where no port is given, it takes a free one. */
export async function listening(
  options: EmulatorOptions = {},
  request: Parameters<Listen>[0] = {},
): Promise<{ emulator: Emulator; at: Awaited<ReturnType<Listen>> }> {
  const emulator = closing(createEmulator(options));
  return { emulator, at: await emulator.listen({ port: 0, ...request }) };
}
