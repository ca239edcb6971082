import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileInvalid, textOfFile } from '../../emulator/contract/file.js';
import { inWords } from '../../emulator/contract/system-error.js';
import { UsageError } from '../framework/usage.js';
import { type Report, readResults } from '../report/json.js';

/**
 * Reads a JSON report.
 *
 * @throws FileInvalid: one line that names the file and what is wrong with it
 */
export const readReport = (file: string): Report => readResults(textOfFile(file, `report ${file}`), `report ${file}`);

/** Every file of JSON below a folder, in the order of their names. */
function jsonFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    throw new UsageError(`folder ${folder} cannot be read: ${inWords(error)}`);
  }
}

/**
 * Reads the JSON reports below a folder. An invalid one is left out, and `warn` says why.
 *
 * @throws UsageError where nothing is left
 */
export function readReports(folder: string, warn: (line: string) => void): Report[] {
  const files = jsonFiles(folder);
  const reports = files.flatMap((file) => {
    try {
      return [readReport(file)];
    } catch (error) {
      if (!(error instanceof FileInvalid)) throw error;
      warn(`left out: ${error.message}`);
      return [];
    }
  });
  if (reports.length > 0) return reports;
  throw new UsageError(
    files.length === 0
      ? `folder ${folder} has no JSON reports: write them with --report json=${join(folder, 'NAME.json')}`
      : `folder ${folder}: none of its ${files.length} JSON files is a report of this kit`,
  );
}
