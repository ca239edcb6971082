import { readSync } from 'node:fs';

/** Where an element of an array stands in a file, in bytes. */
export interface Element {
  readonly from: number;
  readonly length: number;
}

/** A file whose JSON ends too early. */
export class JsonCut extends Error {
  override readonly name = 'JsonCut';
}

const CHUNK = 1_048_576;
const [QUOTE, ESCAPE, COLON, COMMA] = ['"', '\\', ':', ','].map((one) => one.charCodeAt(0));
const OPENS = new Set(['{', '['].map((one) => one.charCodeAt(0)));
const CLOSES = new Set(['}', ']'].map((one) => one.charCodeAt(0)));
const [ARRAY] = ['['].map((one) => one.charCodeAt(0));
/** The longest key that is compared whole. */
const KEY = 32;

/**
 * Places of the elements of an array in a file of JSON, which is read piece by piece: it may be larger than memory. `path` are the
 * keys that lead to the array. Nothing: there is no such array.
 *
 * @throws JsonCut where the file ends within a value
 */
export function* elementsIn(fd: number, path: readonly string[]): Generator<Element, boolean> {
  const chunk = Buffer.alloc(CHUNK);
  const keys: string[] = [];
  let found = false;
  let depth = 0;
  let text: number[] | undefined;
  let escaped = false;
  let last = '';
  /** Where the element began that is read. */
  let began: number | undefined;
  let inside = false;
  for (let offset = 0; ; ) {
    const size = readSync(fd, chunk, 0, CHUNK, offset);
    if (size === 0) break;
    for (let at = 0; at < size; at++) {
      const byte = chunk[at] ?? 0;
      if (text !== undefined) {
        if (escaped) escaped = false;
        else if (byte === ESCAPE) escaped = true;
        else if (byte === QUOTE) {
          last = String.fromCharCode(...text);
          text = undefined;
          continue;
        }
        if (text.length < KEY) text.push(byte);
        continue;
      }
      if (byte === QUOTE) {
        text = [];
        if (inside && began === undefined && depth === path.length + 1) began = offset + at;
      } else if (byte === COLON) keys[depth] = last;
      else if (OPENS.has(byte)) {
        const isArray = byte === ARRAY && depth === path.length && path.every((key, index) => keys[index + 1] === key);
        if (inside && began === undefined && depth === path.length + 1) began = offset + at;
        depth++;
        keys.length = depth;
        if (isArray && !found) {
          found = true;
          inside = true;
        }
      } else if (CLOSES.has(byte) || (byte === COMMA && inside && depth === path.length + 1)) {
        const ends = CLOSES.has(byte);
        if (inside && began !== undefined && depth === path.length + 1) {
          yield { from: began, length: offset + at - began };
          began = undefined;
        }
        if (ends) depth--;
        if (ends && depth === path.length) inside = false;
      } else if (inside && began === undefined && depth === path.length + 1 && byte > 32) began = offset + at;
    }
    offset += size;
  }
  if (depth !== 0 || text !== undefined) throw new JsonCut('its JSON is cut or broken');
  return found;
}
