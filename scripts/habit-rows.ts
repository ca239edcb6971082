import { HABITS } from '../conformance/habits/index.js';

const HEAD = '| it | the kit |\n|---|---|\n';

/** Writes what the kit does about each habit into the table that begins so. */
export async function withHabits(page: string): Promise<string> {
  const at = page.indexOf(HEAD);
  if (at < 0) throw new Error(`no table begins with ${JSON.stringify(HEAD)}`);
  const end = page.indexOf('\n\n', at);
  const rows = HABITS.flatMap(({ what, kit }) => (kit === undefined ? [] : `| ${what} | ${kit} |`));
  return `${page.slice(0, at)}${HEAD}${rows.join('\n')}${page.slice(end)}`;
}
