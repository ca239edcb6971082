import { lstatSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { replaceFile } from '../../emulator/contract/replace-file.js';
import { inWords } from '../../emulator/contract/system-error.js';
import { UsageError } from '../framework/usage.js';
import { makeFolder } from '../run/ledger.js';

/** A report that a call asks for: to a file, or to standard output. */
export interface ReportTo<Kind> {
  readonly kind: Kind;
  readonly file: string | undefined;
}

/** The flag that asks for a report. */
export const reportFlag = ({ kind, file }: ReportTo<string>): string =>
  `--report ${kind}${file === undefined ? '' : `=${file}`}`;

/** Does what writes to a place that was named. Throws a UsageError that names it and says what is in the way. */
function writing(place: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new UsageError(`${place} cannot be written: ${inWords(error)}`);
  }
}

/** A file in a folder that is made where it is missing. */
export const writeTo = (place: string, file: string, text: string): void =>
  writing(place, () => {
    makeFolder(dirname(file));
    // A terminal, a pipe or /dev/stdout is written to; a link is replaced, its file stays.
    const there = statSync(file, { throwIfNoEntry: false });
    if (there?.isFile() !== false && !/^\/(dev|proc)\//.test(resolve(file)))
      replaceFile(file, 0o666, (fd) => writeFileSync(fd, text));
    else writeFileSync(file, text);
  });

/** A folder, with all above it. */
export const folder = (place: string, path: string): void => writing(place, () => makeFolder(path));

/** Refuses a folder of files that the kit names itself, where it is a link: one that came with others' files may lead anywhere. */
export const refuseLink = (place: string, path: string): void =>
  writing(place, () => {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Error('it is a link, and may lead elsewhere');
  });

/** The places that a run writes to. */
interface Places {
  readonly reports: readonly ReportTo<string>[];
  readonly save?: string | undefined;
}

/**
 * Makes the folders that a run writes to, before it begins: a report that has no place to go is reported now, not after
 * minutes of work.
 *
 * @throws UsageError naming the flag
 */
export function makeFolders({ reports, save }: Places): void {
  for (const report of reports) {
    const { file } = report;
    if (file === undefined) continue;
    folder(reportFlag(report), dirname(file));
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
      throw new UsageError(`${reportFlag(report)} cannot be written: that is a folder; name a file in it`);
  }
  if (save === undefined) return;
  refuseLink(`--save ${save}`, save);
  folder(`--save ${save}`, save);
}
