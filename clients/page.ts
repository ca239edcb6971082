import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cases } from '../emulator/lab/cases.js';
import { askedOf, type History, histories, type VersionResult } from './history.js';
import { DEFECTS, LEFT_OUT, PAIRS } from './pairs.js';
import type { Listed } from './real/list.js';

const FILE = join(import.meta.dirname, '../docs/clients.md');

/** The groups of cases, by how their ids begin; the first that fits. */
const GROUPS: readonly (readonly [string, RegExp])[] = [
  ['event streams', /^sse-/],
  ['broken off', /^http-(truncated|reset|close-before|longer)/],
  ['HTTP', /^http-/],
  ['tool calls', /^chat-(tool|gateway)/],
  ['chat', /^chat-/],
  ['silence, aborts', /^(idle|abort)-/],
  ['HTTP/2, codings', /^(h2|coding)-/],
  ['signing', /^sign-/],
];
const groupOf = (id: string) => GROUPS.find(([, ids]) => ids.test(id))?.[0];

const code = (ids: readonly string[]) => ids.map((id) => `\`${id}\``).join(', ');
const badOf = ({ fail, error = [] }: VersionResult) => [...fail, ...error];
const threads = (seen: readonly string[]) =>
  seen
    .map((one) => {
      const [, repo, number, quoted] = /^([\w.-]+\/[\w.-]+)#(\d+)(\*?)$/.exec(one) ?? [];
      return repo === undefined
        ? `[changelog](${one})`
        : `[${repo}#${number}](https://github.com/${repo}/issues/${number})${quoted === '' ? '' : '\\*'}`;
    })
    .join(', ');

const newestOf = ({ versions }: History) => Object.entries(versions).at(-1) as [string, VersionResult];
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  row(head),
  `|${'---|'.repeat(head.length)}`,
  ...rows.map(row),
];

/** The row of the newest version: failed of asked, by group. */
function groupRow(history: History): string[] {
  const [version, result] = newestOf(history);
  const asked = askedOf(result);
  const bad = new Set(badOf(result));
  const cells = GROUPS.map(([group]) => {
    const mine = asked.filter((id) => groupOf(id) === group);
    const failed = mine.filter((id) => bad.has(id)).length;
    return mine.length === 0 ? '' : failed === 0 ? '·' : `${failed}/${mine.length}`;
  });
  return [history.client, version, `${bad.size}/${asked.length}`, ...cells];
}

/** A client beside its name: its kind, the versions that it ran with, and a note. */
function aboutRow({ client, ...history }: History, { title, package: packed, note = '' }: Listed): string[][] {
  const beside = Object.entries(newestOf({ client, ...history })[1].with ?? {}).map((one) => one.join(' '));
  const name = title ?? packed ?? client;
  return name === client && note === '' ? [] : [[client, name, beside.join(', '), note]];
}

/** The versions that mend a named mistake, and what changes between them among the cases that both were asked. */
function changes({ client, versions }: History): string[][] {
  const list = Object.entries(versions);
  return list.slice(1).flatMap(([version, result], at) => {
    const [former, before] = list[at] as (typeof list)[number];
    const both = new Set(askedOf(result));
    const asked = askedOf(before).filter((id) => both.has(id));
    const [was, is] = [new Set(badOf(before)), new Set(badOf(result))];
    const mended = asked.filter((id) => was.has(id) && !is.has(id));
    const broken = asked.filter((id) => !was.has(id) && is.has(id));
    const pair = PAIRS.find((one) => one.client === client && one.broken === former && one.mended === version);
    if (pair === undefined) return [];
    return [[client, `${former} → ${version}`, `${pair.what}: ${threads(pair.seen)}`, code(mended), code(broken)]];
  });
}

/** How many of the cases that clients fail are listed. */
const MOST = 10;

/** The page, made from the histories. */
export function pageOf(clients: readonly Listed[]): string {
  const found = histories().flatMap((history) => {
    const client = clients.find(({ name }) => name === history.client);
    return client === undefined || Object.keys(history.versions).length === 0 ? [] : [{ history, client }];
  });
  const results = found.flatMap(({ history }) => Object.values(history.versions));
  const dates = results.map(({ date }) => date).sort();
  const days = dates[0] === dates.at(-1) ? `on ${dates[0]}` : `from ${dates[0]} to ${dates.at(-1)}`;
  const failed = (id: string) => found.filter(({ history }) => badOf(newestOf(history)[1]).includes(id)).length;
  const hardest = cases
    .map(({ id, title }) => ({ id, title, count: failed(id) }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count);
  return `${[
    '# What real clients do',
    '',
    `${found.length} clients in ${results.length} versions, run through the [client lab](lab.md) ${days} with Node ${[...new Set(results.map(({ node }) => node))].join(' and ')} and \`--cuts none\`.`,
    'Nobody is ranked: many cases are rare, and an adapter sees only what its client hands on. Only what failed twice counts.',
    '[The rules](client-rules.md) say what is expected.',
    '',
    '## By group of cases',
    '',
    'Failed of asked, by the newest version that ran; `·` none failed, blank not asked. `clients/history` in a clone names each case.',
    '',
    ...table(
      ['client', 'version', 'all', ...GROUPS.map(([group]) => group)],
      found.map(({ history }) => groupRow(history)),
    ),
    '',
    '- Some clients hand out chunks and never a whole answer. Their adapters join them, tool calls by their index.',
    '- Clients that only carry bytes run with eventsource-parser 3. Only their columns of HTTP, aborts, HTTP/2 and codings speak of them.',
    '- A busy machine may fail silence and aborts, which are measured in time.',
    '',
    ...table(
      ['client', 'is', 'ran with', 'note'],
      found.flatMap(({ history, client }) => aboutRow(history, client)),
    ),
    '',
    '## From version to version',
    '',
    'Mistakes that a version mended. `npm run clients -- --pairs` runs both versions again.',
    '',
    ...table(
      ['client', 'versions', 'mistake', 'no longer fails', 'fails too'],
      found.flatMap(({ history }) => changes(history)),
    ),
    '',
    '\\*: only the line of the changelog that names the thread was read.',
    '',
    '## What most get wrong',
    '',
    `The ${MOST} cases that most of the newest versions fail.`,
    '',
    ...table(
      ['case', 'what the server does', 'clients'],
      hardest.slice(0, MOST).map(({ id, title, count }) => [`\`${id}\``, title.replaceAll('|', '\\|'), String(count)]),
    ),
    '',
    '## Defects of the versions that ran',
    '',
    '`npm run clients -- NAME --only CASE` shows each. A newer version may have mended it. None is reported yet.',
    '',
    ...table(
      ['client', 'defect', 'cases'],
      DEFECTS.map((defect) => [defect.client, defect.what, code(defect.cases)]),
    ),
    '',
    '## Left out',
    '',
    ...LEFT_OUT.map(({ what, why }) => `- ${what}: ${why}`),
    '',
    '## Your own client',
    '',
    '[The client lab](lab.md) runs it. To have it on this page, add a file of at most 40 lines to `clients/real` in a clone. Its',
    '`client` names the package, its versions and what it offers, its default export the function that makes one call, or its',
    '`command` an adapter in another language. `npm run clients -- NAME` runs the lab, and writes `clients/history/NAME.json`, a',
    'badge and this page.',
  ].join('\n')}\n`;
}

/** Writes docs/clients.md. */
export function writePage(clients: readonly Listed[]): void {
  writeFileSync(FILE, pageOf(clients));
}
