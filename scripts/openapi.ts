import { createEmulator } from '../emulator/index.js';

/** `schemas/openapi.json`: the answer of `GET /_emulator/openapi.json` without any configuration. */
export async function openApiText(): Promise<string> {
  const emulator = createEmulator({ clock: 'virtual' });
  try {
    const response = await emulator.fetch('/_emulator/openapi.json');
    return `${JSON.stringify(await response.json(), null, 2)}\n`;
  } finally {
    await emulator.close();
  }
}
