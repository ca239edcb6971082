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
  ['retries', /^http-(retry|no-retry)/],
  ['redirects', /^http-redirect/],
  ['HTTP', /^http-/],
  ['tool calls', /^chat-tool/],
  ['gateways', /^chat-gateway/],
  ['chat', /^chat-/],
  ['silence', /^idle-/],
  ['aborts', /^abort-/],
  ['HTTP/2', /^h2-/],
  ['codings', /^coding-/],
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

/** The row of the newest version: failed of asked, by group. */
function groupRows({ client, versions }: History, title: string): string[] {
  return Object.entries(versions)
    .slice(-1)
    .map(([version, result]) => {
      const asked = askedOf(result);
      const bad = new Set(badOf(result));
      const cells = GROUPS.map(([group]) => {
        const mine = asked.filter((id) => groupOf(id) === group);
        const failed = mine.filter((id) => bad.has(id)).length;
        return mine.length === 0 ? '' : failed === 0 ? '·' : `${failed}/${mine.length}`;
      });
      return `| [${title}](#${client}) | ${version} | ${bad.size}/${asked.length} | ${cells.join(' | ')} |`;
    });
}

/** The changes from each version to the next, among the cases that both were asked. */
function changes({ versions }: History): string[] {
  const list = Object.entries(versions);
  return list.slice(1).map(([version, result], at) => {
    const [former, before] = list[at] as (typeof list)[number];
    const both = new Set(askedOf(result));
    const asked = askedOf(before).filter((id) => both.has(id));
    const [was, is] = [new Set(badOf(before)), new Set(badOf(result))];
    const mended = asked.filter((id) => was.has(id) && !is.has(id));
    const broken = asked.filter((id) => !was.has(id) && is.has(id));
    const parts = [
      ...(mended.length === 0 ? [] : [`no longer fails ${code(mended)}`]),
      ...(broken.length === 0 ? [] : [`fails ${code(broken)}, too`]),
    ];
    return `- ${former} → ${version}: ${parts.length === 0 ? 'no difference' : parts.join('; ')}`;
  });
}

function section(history: History, client: Listed): string[] {
  const [version, newest] = Object.entries(history.versions).at(-1) as [string, VersionResult];
  const beside = Object.entries(newest.with ?? {}).map(([name, one]) => `${name} ${one}`);
  const alternative = newest.alternative.length === 0 ? '' : ` By an alternative: ${newest.alternative.length}.`;
  const bad = badOf(newest);
  return [
    `### ${history.client}`,
    '',
    `${client.title ?? client.package ?? client.name} ${version}${beside.length === 0 ? '' : ` with ${beside.join(', ')}`}, run on ${newest.date} with Node ${newest.node}: ${bad.length} of ${askedOf(newest).length} failed.${alternative}${client.note === undefined ? '' : ` ${client.note}`}`,
    '',
    ...(bad.length === 0 ? [] : [`Fails ${code(bad)}.`, '']),
    ...(newest.hung === undefined ? [] : [`No answer in time: ${code(newest.hung)}.`, '']),
    ...changes(history),
    '',
  ];
}

/** How many of the cases that clients fail are listed. */
const MOST = 30;

/** The page, made from the histories. */
export function pageOf(clients: readonly Listed[]): string {
  const found = histories().flatMap((history) => {
    const client = clients.find(({ name }) => name === history.client);
    return client === undefined || Object.keys(history.versions).length === 0 ? [] : [{ history, client }];
  });
  const results = found.flatMap(({ history }) => Object.values(history.versions));
  const dates = results.map(({ date }) => date).sort();
  const failed = (id: string) =>
    found.filter(({ history }) => badOf(Object.values(history.versions).at(-1) as VersionResult).includes(id)).length;
  const hardest = cases
    .map(({ id, title }) => ({ id, title, count: failed(id) }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count);
  return `${[
    '# What real clients do',
    '',
    `Made by \`npm run clients\` from \`clients/history\`: ${found.length} clients in ${results.length} versions, run from ${dates[0]} to ${dates.at(-1)},`,
    'with `--cuts none`: the lab writes each body as its case says, and tries no other ways to cut it.',
    'Nobody is ranked: many cases are rare, some are particular to the interns interface, and an adapter sees only what its client',
    'hands on. Only what failed twice counts. [The rules](client-rules.md) say what is expected, and why.',
    '',
    '- Some clients hand out chunks and never a whole answer. Their adapters join the chunks in the simplest way that a user could.',
    '- Clients that only carry bytes (axios, curl, got, undici) are read with eventsource-parser 3. Their columns of HTTP, redirects,',
    '  aborts, HTTP/2 and codings speak of them, the others do not.',
    '- Time is measured for silence and aborts: a busy machine may fail those.',
    '',
    '## By group of cases',
    '',
    'Failed of asked, by the newest version that ran; `·` none failed, blank not asked (the client does not offer it).',
    '',
    `| client | version | all | ${GROUPS.map(([group]) => group).join(' | ')} |`,
    `|---|---|---|${GROUPS.map(() => '---|').join('')}`,
    ...found.flatMap(({ history, client }) => groupRows(history, client.title ?? client.package ?? client.name)),
    '',
    '## Broken and mended',
    '',
    'Versions that the lab distinguishes: the first fails the cases, the second passes them. `npm run clients -- --pairs` runs',
    'them again, and fails if one is no longer distinguished.',
    '',
    '| client | broken | mended | what the broken one does | seen | cases |',
    '|---|---|---|---|---|---|',
    ...PAIRS.map(
      (pair) =>
        `| [${pair.client}](#${pair.client}) | ${pair.broken} | ${pair.mended} | ${pair.what} | ${threads(pair.seen)} | ${code(pair.cases)} |`,
    ),
    '',
    'A changelog was read in the package itself. Of a source with an asterisk only the line of that changelog was read which',
    'names it, not the thread.',
    '',
    '## Each client',
    '',
    ...found.flatMap(({ history, client }) => section(history, client)),
    '## What most get wrong',
    '',
    `The ${MOST} cases that most of the newest versions fail.`,
    '',
    '| case | what the server does | clients |',
    '|---|---|---|',
    ...hardest
      .slice(0, MOST)
      .map(({ id, title, count }) => `| \`${id}\` | ${title.replaceAll('|', '\\|')} | ${count} |`),
    '',
    '## Defects of the versions that ran',
    '',
    'Of each client the newest version in the table above; a newer one may have mended it. The smallest case that shows each is',
    'named; `npm run clients -- NAME --only CASE` runs it. None of them is reported yet.',
    '',
    ...DEFECTS.map(({ client, cases, what }) => {
      const { versions } = found.find(({ history }) => history.client === client)?.history ?? { versions: {} };
      return `- [${client}](#${client}) ${Object.keys(versions).at(-1)}: ${what} (${code(cases)})`;
    }),
    '',
    '## Left out',
    '',
    ...LEFT_OUT.map(({ what, why }) => `- ${what}: ${why}`),
    '',
    '## Your own client',
    '',
    'In a clone, add one file of at most 40 lines to `clients/real`. Its `client` names the package, its versions and what it offers;',
    'its default export returns the function that makes one call. An adapter in another language is named by its `command`.',
    '`npm run clients -- NAME` runs the lab, and writes `clients/history/NAME.json`, a badge in `clients/badges`, and this page.',
    'To run your client without that, see [the client lab](lab.md).',
  ].join('\n')}\n`;
}

/** Writes docs/clients.md. */
export function writePage(clients: readonly Listed[]): void {
  writeFileSync(FILE, pageOf(clients));
}
