import { DISTURBANCES } from '../emulator/contract/disturbance.js';
import score from '../test/apps/score.json' with { type: 'json' };
import { WRONG } from '../test/apps/wrong/index.js';

const APPS_HEAD = '| app | law | seen in |\n|---|---|---|\n';
const FOUND_HEAD = '| disturbance | class | apps found, by law |\n|---|---|---|\n';

const replaced = (page: string, head: string, rows: readonly string[]): string => {
  const at = page.indexOf(head);
  if (at < 0) throw new Error(`no table begins with ${JSON.stringify(head)}`);
  const end = page.indexOf('\n\n', at);
  return `${page.slice(0, at)}${head}${rows.join('\n')}${end < 0 ? '\n' : page.slice(end)}`;
};

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** A link to the thread of `owner/repo#12: text`. */
function linked(seen: string): string {
  const [, repository = '', number = ''] = /^([^#]+)#(\d+): /.exec(seen) ?? [];
  return `[${repository}#${number}](https://github.com/${repository}/issues/${number})`;
}

/** How many apps a disturbance found, by the law that they broke: an app counts for the law that it is made for. */
function foundBy(kind: string): string {
  const found = new Map<string, number>();
  for (const { id, law } of WRONG) {
    const laws: Record<string, readonly string[]> =
      (score as Record<string, Record<string, readonly string[]>>)[id] ?? {};
    if (laws[law]?.includes(kind)) found.set(law, (found.get(law) ?? 0) + 1);
  }
  return [...found].map(([law, count]) => `\`${law}\` ${count}`).join(', ');
}

/** Writes the wrong apps, and which disturbance finds which of them, into the page about `explore`. */
export function withApps(page: string): string {
  const apps = WRONG.map(
    ({ id, what, law, seen }) => `| \`${id}\` ${cell(what)} | \`${law}\` | ${cell(linked(seen))} |`,
  );
  const kinds = Object.entries(DISTURBANCES).filter(([, row]) => row.class !== 'broken');
  const rows = kinds.map(([kind, row]) => `| \`${kind}\` ${row.what} | ${row.class} | ${foundBy(kind)} |`);
  return replaced(replaced(page, APPS_HEAD, apps), FOUND_HEAD, rows);
}
