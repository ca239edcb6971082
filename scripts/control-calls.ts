import type { ListedCall } from '../emulator/contract/views.js';
import { createEmulator } from '../emulator/index.js';

/** Every call of the control interface, as `GET /_emulator` lists it. */
export async function controlCalls(): Promise<readonly ListedCall[]> {
  const emulator = createEmulator({ clock: 'virtual' });
  try {
    const { data } = (await (await emulator.fetch('/_emulator')).json()) as { data: ListedCall[] };
    return data;
  } finally {
    await emulator.close();
  }
}
