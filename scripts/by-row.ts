/** JSON with a row a line. A row is a value that stands so many keys deep, or a list or a plain value above that. */
export function byRow(rows: object, depth = 1): string {
  const text = (value: unknown, left: number, indent: string): string => {
    if (left === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
    const lines = Object.entries(value).map(
      ([key, one]) => `${indent}  ${JSON.stringify(key)}: ${text(one, left - 1, `${indent}  `)}`,
    );
    return `{\n${lines.join(',\n')}\n${indent}}`;
  };
  return `${text(rows, depth, '')}\n`;
}
