import type fc from 'fast-check';
import { isRecord } from '../../emulator/contract/record.js';
import type { ListedCall } from '../../emulator/contract/views.js';
import { createEmulator } from '../../emulator/index.js';
import { anyRequest, driverOf, leaving } from '../../test/requests/drawn.js';
import { controlCalls } from '../control-calls.js';
import { type RunningEmulator, SEED } from './emulator.js';

/** A call as it is sent. */
export interface Call {
  readonly method: string;
  /** From the root of the origin, with its query. */
  readonly path: string;
  /** Default: JSON as the type of a body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** An emulator with the seed of those that are fuzzed. */
export interface Alike {
  readonly key: string;
  readonly calls: readonly ListedCall[];
  /** An export of its state. */
  readonly state: unknown;
  /** Rows of the kit. */
  readonly rows: fc.Arbitrary<Call>;
}

/** The id in a drawn call in place of the nth intern: which interns there are is seen when it is sent. */
export const nthId = (nth: number): string => `00000000-0000-4000-8000-99999999999${nth}`;

export async function alike(): Promise<Alike> {
  const emulator = createEmulator({ clock: 'virtual', seed: SEED });
  try {
    const driver = driverOf(emulator);
    const state: unknown = await (await emulator.fetch('/_emulator/state?credentials=1')).json();
    const rows = anyRequest().map((drawn): Call => {
      const { url, method, headers, body } = leaving(drawn, driver, nthId(drawn.which));
      const pieces = [body ?? []].flat().map((piece) => Buffer.from(piece));
      return {
        method,
        path: String(url).replace(/^\w+:\/\/[^/]+/, ''),
        headers: Object.fromEntries(headers),
        body: body === undefined ? undefined : Buffer.concat(pieces).toString(),
      };
    });
    return { key: driver.credential('api_key') ?? '', calls: await controlCalls(), state, rows };
  } finally {
    await emulator.close();
  }
}

/** Drawn text with the ids of interns that an emulator has. Its length stays. */
export async function forThis({ control }: RunningEmulator, drawn: string): Promise<string> {
  const pattern = new RegExp(nthId(0).replace(/0$/, '(\\d)'), 'g');
  if (!pattern.test(drawn)) return drawn;
  const read: unknown = await (await control('/_emulator/interns')).json();
  const interns = isRecord(read) && Array.isArray(read.data) ? read.data : [];
  return drawn.replaceAll(pattern, (id, nth) => interns[Number(nth) % interns.length]?.id ?? id);
}
