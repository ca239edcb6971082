// Runs real clients through the client lab and writes docs/clients.md: npm install && npm run matrix, in clients/.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cases } from '../emulator/lab/cases.js';

const here = import.meta.dirname;
const tsx = [process.execPath, '--import', 'tsx'];

/** The adapters, by name. */
const ADAPTERS: readonly (readonly string[])[] = [
  [...tsx, 'others/ai.mjs'],
  [...tsx, 'others/eventsource.mjs'],
  [...tsx, 'others/fetch-by-hand.mjs'],
  [...tsx, 'others/fetch-event-source.mjs'],
  [...tsx, 'adapters/fetch.ts'],
  [...tsx, 'others/langchain.mjs'],
  [...tsx, 'adapters/openai.ts', 'openai-4'],
  [...tsx, 'adapters/openai.ts', 'openai-5'],
  [...tsx, 'adapters/openai.ts', 'openai'],
  [...tsx, 'adapters/openrouter.ts'],
  ['python3', 'adapters/python.py'],
  ['python3', 'adapters/python_signing.py'],
];

interface Check {
  id: string;
  verdict: string;
  finding?: { what: string };
}
interface Report {
  target: { url: string };
  checks: Check[];
}

const folder = mkdtempSync(join(tmpdir(), 'clients-'));
const reports: Report[] = [];
for (const [at, command] of ADAPTERS.entries()) {
  const file = join(folder, `${at}.json`);
  const kit = [
    '--import',
    'tsx',
    '../bin/intern-conformance.ts',
    'client',
    '--seed',
    'clients',
    '--report',
    `json=${file}`,
    '--',
    ...command,
  ];
  await new Promise<void>((resolve) => execFile(process.execPath, kit, { cwd: here, maxBuffer: 1e9 }, () => resolve()));
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  reports.push(report);
  console.log(report.target.url);
}
rmSync(folder, { recursive: true });
reports.sort((one, other) => one.target.url.localeCompare(other.target.url));

const MARKS: Readonly<Record<string, string>> = { pass: '·', 'pass-alternative': 'a', fail: 'F', error: 'E', skip: '' };
const markOf = (report: Report, id: string): string => {
  const check = report.checks.find((one) => one.id === id);
  return check?.finding?.what === 'hung' ? 'H' : (MARKS[check?.verdict ?? 'skip'] ?? '?');
};
const count = (report: Report, verdict: string) => report.checks.filter((check) => check.verdict === verdict).length;
const letters = reports.map((_, at) => String.fromCharCode(65 + at));

const differing = cases.filter(({ id }) => reports.some((report) => !['·', ''].includes(markOf(report, id))));
const lines = [
  '# What real clients do',
  '',
  `Made by \`npm run matrix\` in \`clients/\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, with the cases of that day.`,
  'Clients are in the order of their names. A difference is not a verdict on a client as a whole: many cases are rare, some are',
  'particular to the interns interface, and an adapter sees only what its client hands on (those of A and D cannot send a body of',
  "the lab's, so `chat-continuation` says nothing of them). The reasons for each case are in `fixtures/client-cases`.",
  '',
  '| | client | pass | pass by an alternative | fail | not offered |',
  '|---|---|---|---|---|---|',
  ...reports.map(
    (report, at) =>
      `| ${letters[at]} | ${report.target.url} | ${count(report, 'pass')} | ${count(report, 'pass-alternative')} | ${count(report, 'fail')} | ${count(report, 'skip')} |`,
  ),
  '',
  '`·` as expected, `a` by an alternative, `F` otherwise, `H` no answer in time, `E` the adapter broke off, blank not offered.',
  `The ${cases.length - differing.length} cases in which all who offer the layer did as expected are left out.`,
  '',
  `| case | ${letters.join(' | ')} |`,
  `|---|${letters.map(() => '---|').join('')}`,
  ...differing.map(
    ({ id, title }) =>
      `| \`${id}\`<br>${title.replaceAll('|', '\\|')} | ${reports.map((report) => markOf(report, id)).join(' | ')} |`,
  ),
  '',
];
writeFileSync(join(here, '../docs/clients.md'), lines.join('\n'));
