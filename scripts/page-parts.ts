/** Text without what Markdown's tables and paragraphs read as their own. */
export const cell = (text: string): string =>
  text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll('*', '\\*')
    .replace(/\s*\n\s*/g, ' ');

/** A page with another text between `<!-- name -->` and `<!-- /name -->`. */
export function withPart(page: string, name: string, change: (before: string) => string): string {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const from = page.indexOf(begin) + begin.length;
  const to = page.indexOf(end);
  if (from < begin.length || to < from) throw new Error(`the page has no ${begin.trim()} followed by ${end}`);
  return `${page.slice(0, from)}\n${change(page.slice(from, to)).trim()}\n\n${page.slice(to)}`;
}

/** A page with other rows in the table that begins with `head`. */
export function withRows(page: string, head: string, rows: readonly string[]): string {
  const at = page.indexOf(head);
  if (at < 0) throw new Error(`no table begins with ${JSON.stringify(head)}`);
  const end = page.indexOf('\n\n', at);
  return `${page.slice(0, at)}${head}${rows.join('\n')}${end < 0 ? '\n' : page.slice(end)}`;
}
