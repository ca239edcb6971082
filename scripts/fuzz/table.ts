import { createEmulator } from '../../emulator/index.js';
import { isRecord } from './json.js';

/** A call of the control interface, as its own listing has it. */
export interface ListedCall {
  readonly method: string;
  readonly path: string;
  /** The shape of its body in words; null for a call that takes none. */
  readonly body: string | null;
  readonly query: readonly string[];
}

/** Every call of the control interface, from the table that routes them. */
export async function controlCalls(): Promise<ListedCall[]> {
  const emulator = createEmulator({ clock: 'virtual' });
  try {
    const listed: unknown = await (await emulator.fetch('/_emulator')).json();
    const rows = isRecord(listed) && Array.isArray(listed.data) ? listed.data.filter(isRecord) : [];
    return rows.map(({ method, path, body, query }) => ({
      method: String(method),
      path: String(path),
      body: typeof body === 'string' ? body : null,
      query: isRecord(query) ? Object.keys(query) : [],
    }));
  } finally {
    await emulator.close();
  }
}
