/** JSON with each short value on one line: a script is read step by step. */
export function laidOut(value: unknown, indent = ''): string {
  const flat = oneLine(value);
  if (typeof value !== 'object' || value === null || (indent !== '' && flat.length + indent.length <= 110)) return flat;
  const inner = `${indent}  `;
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map((each) => laidOut(each, inner))]
    : ['{', '}', Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${laidOut(each, inner)}`)];
  return parts.length === 0 ? flat : `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const parts = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${oneLine(each)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}
