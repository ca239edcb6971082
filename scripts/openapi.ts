import { createEmulator } from '../emulator/index.js';

/** A path or component on a line: indented, the document is twice as long. */
const inLines = (value: unknown, depth = 2): string =>
  depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)
    ? JSON.stringify(value)
    : `{\n${Object.entries(value)
        .map(([key, one]) => `${JSON.stringify(key)}:${inLines(one, key === 'components' ? depth : depth - 1)}`)
        .join(',\n')}\n}`;

/** `schemas/openapi.json`: the answer of `GET /_emulator/openapi.json` without any configuration. */
export async function openApiText(): Promise<string> {
  const emulator = createEmulator({ clock: 'virtual' });
  try {
    const response = await emulator.fetch('/_emulator/openapi.json');
    return `${inLines(await response.json())}\n`;
  } finally {
    await emulator.close();
  }
}
