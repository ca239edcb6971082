import type { EmulatorOptions } from '../index.js';
import type { Given } from './flags.js';

/**
 * What writes the records of an emulator to standard error: a readable line each, or JSON. With `--quiet`, only those
 * of something that went wrong.
 */
export function logTo(write: (text: string) => void, given: Given): NonNullable<EmulatorOptions['log']> {
  return (record) => {
    if (given.quiet && record.level !== 'error') return;
    write(`${given.logFormat === 'json' ? JSON.stringify(record) : readable(record)}\n`);
  };
}

function readable({ level, event, ...rest }: Record<string, unknown>): string {
  const details = Object.entries(rest).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${key}=${typeof value === 'string' && /\s/.test(value) ? JSON.stringify(value) : text}`;
  });
  return [level === undefined || level === 'info' ? '' : `${level}:`, event ?? '', ...details]
    .filter(Boolean)
    .join(' ');
}
