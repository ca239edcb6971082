/** Bytes as a hex dump shows them, sixteen a line; a byte that is not printable ASCII is a dot. */
export function hexLines(bytes: Uint8Array): string[] {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const pairs = row.map((byte) => byte.toString(16).padStart(2, '0'));
    const hex = `${pairs.slice(0, 8).join(' ')}  ${pairs.slice(8).join(' ')}`.padEnd(50);
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex}  ${text}`);
  }
  return lines;
}
