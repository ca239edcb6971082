/** Declares a body as JSON. */
export const JSON_TYPE = { 'content-type': 'application/json' };

/** JSON as bytes: a body that brings no content type of its own. */
export const jsonBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** Text as bytes: a body that brings no content type of its own. */
export const textBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** JSON of exactly `size` bytes, filled up with white space after the value. */
export function padded(value: unknown, size: number): Uint8Array {
  const json = jsonBytes(value);
  const bytes = new Uint8Array(size).fill(0x20);
  bytes.set(json);
  return bytes;
}

/** The same bytes in pieces of `length`, to be sent chunk by chunk without a length. */
export function pieces(bytes: Uint8Array, length: number): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += length) parts.push(bytes.subarray(at, at + length));
  return parts;
}
