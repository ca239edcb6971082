import { oneLine } from '../contract/visible.js';

/** Writes warnings and errors to standard error, a line each, where nobody takes the records of an emulator. */
export function createStandardErrorLog(
  levels: readonly ('warn' | 'error')[],
  write: (text: string) => unknown = (text) => process.stderr.write(text),
) {
  return ({ level, event, message, ...rest }: Record<string, unknown>): void => {
    if (!levels.some((one) => one === level)) return;
    const details = Object.entries(rest).map(([key, value]) => `${key}=${oneLine(String(value))}`);
    const said = message === undefined ? [event, ...details] : [...(level === 'warn' ? [] : [event]), message];
    write(`intern-emulator: ${said.map((part) => oneLine(String(part), 2_000)).join(' ')}\n`);
  };
}
