// Runs real clients through the client lab: npm run clients -- [NAME[@VERSION]]… [--missing] [--pairs] [--only ID]… [--jobs N]
import { parseArgs } from 'node:util';
import { askedOf, catalogues, currentCatalogue, historyOf, offersOf, remember, type VersionResult } from './history.js';
import { install, lackOf } from './install.js';
import { writePage } from './page.js';
import { PAIRS, whyNotDistinct } from './pairs.js';
import { type Listed, listClients } from './real/list.js';
import { type Report, runLab } from './run.js';

const USAGE = `usage: npm run clients -- [NAME[@VERSION]]… [--missing] [--pairs] [--only ID]… [--jobs N]

Runs every client of clients/real through the lab, each version installed into .tmp/clients, and writes clients/history,
clients/badges and docs/clients.md.
  NAME[@VERSION]  only these, each by the name of its file
  --missing       only what is in no history yet: versions, and cases that are new since
  --pairs         only the cases that tell a broken version from a mended one; fails where one no longer does
  --only ID       only these cases (a * stands for anything); prints what failed, and writes nothing
  --jobs N        so many at a time (default: 2)
`;

const read = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        missing: { type: 'boolean' },
        pairs: { type: 'boolean' },
        jobs: { type: 'string' },
        only: { type: 'string', multiple: true },
      },
    });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return process.exit(2);
  }
};

const { positionals, values } = read();
const clients = await listClients();
const named = positionals.map((text) => {
  const [name = '', version] = text.split('@');
  return { name, version };
});
const unknown = named.filter(({ name }) => !clients.some((client) => client.name === name));
const jobs = Number(values.jobs ?? 2);
if (unknown.length > 0 || !Number.isInteger(jobs) || jobs < 1) {
  const wrong = unknown.map(
    ({ name }) => `no client is called ${name}; there are ${clients.map((one) => one.name).join(', ')}`,
  );
  console.error([...wrong, ...(unknown.length > 0 ? [] : ['--jobs: expected a whole number from 1'])].join('\n'));
  process.exit(2);
}

/** The versions that are run: those of the client's file, those of its pairs, and one that is named. */
const versionsOf = (client: Listed): readonly string[] => [
  ...new Set([
    ...client.versions,
    ...PAIRS.filter((pair) => pair.client === client.name).flatMap(({ broken, mended }) => [broken, mended]),
    ...named.flatMap((one) => (one.name === client.name && one.version !== undefined ? [one.version] : [])),
  ]),
];

const isNamed = (client: Listed, version: string) =>
  named.length === 0 ||
  named.some((one) => one.name === client.name && (one.version === undefined || one.version === version));

const catalogue = currentCatalogue();
const today = new Date().toISOString().slice(0, 10);

/** Rows as they are kept; `before` is what was known of other cases. */
function resultOf(
  { checks }: Report,
  before: VersionResult | undefined,
  beside: Readonly<Record<string, string>>,
): VersionResult {
  const ids = (verdict: string) => checks.filter((row) => row.verdict === verdict).map(({ id }) => id);
  const hung = checks.filter(({ finding }) => finding?.what === 'hung').map(({ id }) => id);
  const error = [...(before?.error ?? []), ...ids('error')].sort();
  const allHung = [...(before?.hung ?? []), ...hung].sort();
  return {
    date: today,
    node: process.versions.node,
    ...(Object.keys(beside).length === 0 ? {} : { with: beside }),
    catalogue,
    offers: before?.offers ?? offersOf(new Set(ids('skip'))),
    alternative: [...(before?.alternative ?? []), ...ids('pass-alternative')].sort(),
    fail: [...(before?.fail ?? []), ...ids('fail')].sort(),
    ...(allHung.length === 0 ? {} : { hung: allHung }),
    ...(error.length === 0 ? {} : { error }),
  };
}

let failed = 0;
const say = (text: string) => console.log(text);

async function runVersion(client: Listed, version: string): Promise<void> {
  const known = historyOf(client.name).versions;
  const key = Object.keys(known).find(
    (one) =>
      one === version || (client.package === undefined && (version === 'installed' || one.startsWith(`${version}.`))),
  );
  const before = values.missing && key !== undefined ? known[key] : undefined;
  const unseen = before === undefined ? [] : catalogues().slice(before.catalogue, catalogue).flat();
  if (before !== undefined && unseen.length === 0) return;
  const label = `${client.name}@${version}`;
  try {
    const installed = await install(client, version);
    const badge =
      client.versions.at(-1) === version ? new URL(`badges/${client.name}.json`, import.meta.url).pathname : undefined;
    const report = await runLab(installed, label.replaceAll('/', '-'), unseen, unseen.length > 0 ? undefined : badge);
    const result = resultOf(report, before, installed.with);
    // Without a package the version is what the machine has, as the adapter gives it.
    remember(
      client.name,
      client.package === undefined ? (/v?(\S+)$/.exec(report.target.url)?.[1] ?? version) : version,
      result,
    );
    writePage(clients);
    say(
      `${label}: ${askedOf(result).length} asked, ${result.fail.length} failed, ${result.alternative.length} by an alternative`,
    );
  } catch (error) {
    failed++;
    say(`${label}: ${error instanceof Error ? error.message : error}`);
  }
}

async function tryVersion(client: Listed, version: string, only: readonly string[]): Promise<void> {
  const label = `${client.name}@${version}`;
  try {
    const { checks } = await runLab(await install(client, version), `${label}-try`, only);
    const of = (verdict: RegExp) => checks.filter((row) => verdict.test(row.verdict)).map(({ id }) => id);
    say(`${label}: ${of(/^pass/).length} passed; failed: ${of(/^(fail|error)$/).join(' ')}`);
  } catch (error) {
    failed++;
    say(`${label}: ${error instanceof Error ? error.message : error}`);
  }
}

async function runPair(client: Listed, pair: (typeof PAIRS)[number]): Promise<void> {
  const verdicts = async (version: string) =>
    (await runLab(await install(client, version), `${client.name}-${version}-pair`, pair.cases)).checks;
  const [broken, mended] = [await verdicts(pair.broken), await verdicts(pair.mended)];
  const wrong = whyNotDistinct(pair, broken, mended);
  say(`${client.name} ${pair.broken} and ${pair.mended}: ${wrong ?? `distinguished by ${pair.cases.join(', ')}`}`);
  if (wrong !== undefined) failed++;
}

const work: (() => Promise<void>)[] = [];
for (const client of clients) {
  const lack = lackOf(client);
  const mine = versionsOf(client).filter((version) => isNamed(client, version));
  if (mine.length > 0 && lack !== undefined) say(`${client.name}: skipped, ${lack}`);
  else if (values.pairs)
    work.push(
      ...PAIRS.filter((pair) => pair.client === client.name && isNamed(client, pair.broken)).map(
        (pair) => () => runPair(client, pair),
      ),
    );
  else {
    const { only } = values;
    work.push(
      ...mine.map(
        (version) => () => (only === undefined ? runVersion(client, version) : tryVersion(client, version, only)),
      ),
    );
  }
}
const next = async () => {
  for (let one = work.shift(); one !== undefined; one = work.shift()) await one();
};
await Promise.all(Array.from({ length: jobs }, next));
process.exitCode = failed > 0 ? 1 : 0;
