/** The CRC-32 of a text or bytes, continued from that of what came before. Only this loads Node's zlib: no plain start does. */
export const crc32 = (data: string | Uint8Array, before = 0): number =>
  process.getBuiltinModule('node:zlib').crc32(data, before);
