/** JSON with each short value on one line: a script is read step by step. */
export function laidOut(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const [open, close, gap] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', ' '];
  const parts = Array.isArray(value)
    ? value.map((each) => laidOut(each, inner))
    : Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${laidOut(each, inner)}`);
  if (parts.length === 0) return open + close;
  // A part that takes several lines is too long for one, and so is the whole.
  const flat = open + gap + parts.join(', ') + gap + close;
  if (indent !== '' && flat.length + indent.length <= 110) return flat;
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}
