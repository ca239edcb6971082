import { byKey } from '../../emulator/contract/by-key.js';
import { type PlacedExchange, RecordingInvalid, readRecording } from '../../emulator/recording/read.js';
import { UsageError } from '../framework/usage.js';

/** The exchanges of recordings, file by file. @throws UsageError in one line for a file that is no recording */
export function readRecordings(files: readonly string[], warn: (message: string) => void): PlacedExchange[] {
  try {
    return files.flatMap((file) => readRecording(file, warn));
  } catch (error) {
    if (error instanceof RecordingInvalid) throw new UsageError(error.message);
    throw error;
  }
}

/** The exchanges of each scenario of each file: what their aliases stand for holds within one. */
export const byScenario = (exchanges: readonly PlacedExchange[]): Iterable<PlacedExchange[]> =>
  byKey(exchanges, ({ file, exchange }) => `${file} ${exchange.scenario ?? ''}`).values();
