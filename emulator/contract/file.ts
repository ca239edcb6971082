import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type * as z from 'zod';
import { parseJson } from './json.js';
import { MAX_NESTING, nestingOf } from './nesting.js';
import { problem, words } from './problem.js';
import { inWords } from './system-error.js';
import { oneLine } from './visible.js';

/** An invalid file, in one line that names the file and the mistake. */
export class FileInvalid extends Error {
  override readonly name = 'FileInvalid';
  constructor(file: string, why: string) {
    super(oneLine(`${file} ${why}`, 1_000));
  }
}

const MEGABYTE = 1024 * 1024;
/** Bytes of the largest file that is read: parsing takes several times as much memory. */
const MOST = 256 * MEGABYTE;

/**
 * The text of a file that others wrote. `name` is for messages: `report old.json`.
 *
 * @throws FileInvalid
 */
export function textOfFile(path: string, name: string): string {
  const parts: Buffer[] = [];
  const needRoom = (size: number) => {
    if (size > MOST) throw new FileInvalid(name, `is longer than ${MOST / MEGABYTE} MB`);
  };
  try {
    const there = statSync(path);
    // Reading a pipe without a writer would hang. Pipes of a shell, such as `<(…)`, are below /dev or /proc.
    if (!there.isFile() && !there.isDirectory() && !/^\/(dev|proc)\//.test(path))
      throw new FileInvalid(name, 'is no file, but a device or a pipe');
    needRoom(there.size);
    const handle = openSync(path, 'r');
    try {
      for (let total = 0; ; ) {
        const part = Buffer.alloc(MEGABYTE);
        const read = readSync(handle, part);
        if (read === 0) break;
        total += read;
        needRoom(total);
        parts.push(part.subarray(0, read));
      }
    } finally {
      closeSync(handle);
    }
    return Buffer.concat(parts).toString();
  } catch (error) {
    throw error instanceof FileInvalid ? error : new FileInvalid(name, `cannot be read: ${inWords(error)}`);
  }
}

/**
 * Reads a JSON text of others by a schema.
 *
 * @throws FileInvalid that names the place and what was expected there
 */
export function jsonIn<Value>(text: string, name: string, schema: () => z.ZodType<Value>): Value {
  if (text.trim() === '') throw new FileInvalid(name, 'is empty');
  if (nestingOf(text) > MAX_NESTING)
    throw new FileInvalid(name, `has more than ${MAX_NESTING} levels of lists and objects`);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw new FileInvalid(name, `is no JSON: ${error instanceof Error ? error.message : error}`);
  }
  const { data, error } = schema().safeParse(value, { error: words });
  if (error !== undefined) throw new FileInvalid(`${name}:`, problem(error, 'the whole'));
  return data as Value;
}
