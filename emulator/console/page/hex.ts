/** One line of sixteen bytes. */
export interface HexLine {
  offset: string;
  hex: string;
  text: string;
}

/** Bytes as a hex dump shows them; a byte that is not printable ASCII is a dot. */
export function hexLines(bytes: Uint8Array): HexLine[] {
  const lines: HexLine[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const pairs = row.map((byte) => byte.toString(16).padStart(2, '0'));
    lines.push({
      offset: at.toString(16).padStart(6, '0'),
      hex: `${pairs.slice(0, 8).join(' ')}  ${pairs.slice(8).join(' ')}`.trimEnd(),
      text: row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join(''),
    });
  }
  return lines;
}
