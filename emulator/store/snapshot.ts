import { JsonSyntaxError, parseJson } from '../contract/json.js';
import { replaceFile } from '../contract/replace-file.js';
import { COLLECTIONS, type CollectionName } from '../contract/state.js';
import { crc32 } from './crc32.js';
import { Damage, Foreign } from './errors.js';
import { type Files, writeAll } from './files.js';

/** The rows of every collection. */
export type RowSets = Readonly<Record<CollectionName, Iterable<{ id: string }>>>;

/** A snapshot as it was read. */
export interface Snapshot {
  version: number;
  /** The last commit that it holds. */
  commit: number;
  /** Whether it is byte for byte as it was written. If so, its rows need no validation. */
  untouched: boolean;
  /** The rest of its contents. */
  body: Record<string, unknown>;
}

export const COLLECTION_NAMES = Object.keys(COLLECTIONS) as CollectionName[];

const FORMAT_NAME = 'intern-emulator';
/** Recognizes a store of ours that is no longer valid JSON. */
const OURS = /"format"\s*:\s*"intern-emulator"/;
const CHUNK = 64 * 1024;
const CHECKSUM = /^,\n {2}"checksum": "([0-9a-f]{8})"\n\}\n$/;
const CHECKSUM_LENGTH = ',\n  "checksum": "00000000"\n}\n'.length;

const indent = (row: unknown) => JSON.stringify(row, null, 2).replaceAll('\n', '\n    ');

/** The text of a snapshot in pieces, without its checksum and end. */
function* pieces(version: number, commit: number, rows: RowSets): Generator<string> {
  yield `{\n  "format": "${FORMAT_NAME}",\n  "version": ${version},\n  "commit": ${commit}`;
  for (const name of COLLECTION_NAMES) {
    let separator = `,\n  "${name}": [\n    `;
    let any = false;
    for (const row of rows[name]) {
      yield separator + indent(row);
      separator = ',\n    ';
      any = true;
    }
    yield any ? '\n  ]' : `,\n  "${name}": []`;
  }
}

/**
 * Replaces `file` by a snapshot: JSON laid out for reading and editing, in pieces, so that a large one is never held in
 * memory as a whole. It is on the disk on return. Returns its length in bytes.
 */
export function writeSnapshot(files: Files, file: string, version: number, commit: number, rows: RowSets): number {
  const fill = (fd: number) => {
    let crc = 0;
    let end = 0;
    let text = '';
    const flush = () => {
      const bytes = Buffer.from(text);
      crc = crc32(bytes, crc);
      end = writeAll(files, fd, bytes, end);
      text = '';
    };
    for (const piece of pieces(version, commit, rows)) {
      text += piece;
      if (text.length >= CHUNK) flush();
    }
    flush();
    text = `,\n  "checksum": "${crc.toString(16).padStart(8, '0')}"\n}\n`;
    flush();
    return end;
  };
  return replaceFile(file, 0o600, fill, files);
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/**
 * Reads a snapshot, as we wrote it or as someone edited it. `commit` may be missing from a handmade one.
 *
 * @throws Foreign if it is not a store of ours, Damage if it is one and cannot be read
 */
export function readSnapshot(file: string, bytes: Buffer): Snapshot {
  if (bytes.length === 0) throw new Foreign(file, 'it is empty; remove it to start a new store');
  const end = CHECKSUM.exec(bytes.toString('latin1', Math.max(0, bytes.length - CHECKSUM_LENGTH)));
  const untouched = end !== null && Number.parseInt(end[1] ?? '', 16) === crc32(bytes.subarray(0, -CHECKSUM_LENGTH));
  let json: unknown;
  try {
    json = parseJson(bytes.toString());
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (OURS.test(bytes.toString('latin1'))) throw new Damage(file, error.message);
    throw new Foreign(file, `it is not a store of intern-emulator: ${error.message}`);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new Foreign(file, 'it is not a store of intern-emulator: $: expected an object');
  }
  const { format, version, commit = 0, checksum: _, ...body } = json as Record<string, unknown>;
  if (format !== FORMAT_NAME)
    throw new Foreign(file, `it is not a store of intern-emulator: $.format: expected "${FORMAT_NAME}"`);
  if (!isCount(version) || version < 1) throw new Damage(file, '$.version: expected a whole number from 1');
  if (!isCount(commit)) throw new Damage(file, '$.commit: expected a whole number from 0');
  return { version, commit, untouched, body };
}
