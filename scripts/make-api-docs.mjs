// Writes docs/api from the docstrings, by typedoc: `npm run docs:api`, before a release and whenever an export changes.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const TOOL = resolve(import.meta.dirname, 'api-docs');
const OUT = resolve(import.meta.dirname, '..', 'docs', 'api');
const LONGEST = 400;

/** typedoc's name of each entry, its import name, and what to begin with. */
const ENTRIES = [
  ['emulator', 'intern-emulator', '`createEmulator`: an emulator in process. [Running](../running.md)'],
  [
    'conformance.vitest',
    'intern-emulator/vitest',
    '`emulatorPerTest`, `emulatorPerFile`, `testConformance`. [For authors of clients](../sdk-authors.md)',
  ],
  ['conformance', 'intern-emulator/conformance', '`runConformance`: the kit without a test runner. [In CI](../ci.md)'],
  ['conformance.explore', 'intern-emulator/explore', '`explore`: a program, disturbed. [Explore](../explore.md)'],
  ['conformance.explore.vitest', 'intern-emulator/explore/vitest', '`exploreTest`: the same as a test'],
  ['conformance.clients', 'intern-emulator/lab', '`cases`, `serve`, `judge`: the client lab. [The lab](../lab.md)'],
  ['conformance.clients.vitest', 'intern-emulator/lab/vitest', '`testParser`: a test for each case'],
];
const IMPORTED_AS = Object.fromEntries(ENTRIES.map(([page, name]) => [page.replaceAll('.', '/'), name]));
const INDEX = `# TypeScript API

| import | begin with |
|---|---|
${ENTRIES.map(([page, name, first]) => `| [\`${name}\`](${page}.md) | ${first} |`).join('\n')}
`;
/** A row without the anchor of its property, which nothing links to, and without a dash for a missing word. */
const bare = (line) =>
  line
    .replace(/^\| <a id="property-[^"]*"><\/a>/, '|')
    .replace(/\| - \|$/, '| |')
    .replace(/^(\| -+ )+\|$/, (rule) => rule.replace(/ -+ /g, '---'));
const named = (line) =>
  line.replace(/^(# |- \[)([\w/]+)(?=$|\])/, (_, start, name) => start + (IMPORTED_AS[name] ?? name));

/** Sections that say what the signature says, or what every Error has. */
const REPEATED = ['Extends', 'Constructors', 'Inherited from', 'Overrides', 'Returns', 'Union Members'];

/** The one row of an error's properties that says its name again. */
const NAME_ALONE = /\n\| -+ \| -+ \|\n\| (?:<a id="[^"]*"><\/a> )?`name` \| `"\w+"` \|\n*$/;

/** The sections of a page: the level of the heading, and all lines up to the next heading. */
const sectionsOf = (text) =>
  text.split(/^(?:\*\*\*\n+)?(?=#+ )/m).map((section) => ({ level: /^#*/.exec(section)[0].length, section }));

/** A page without what repeats: sections and tables that describe nothing, and rows of inner parameters without a word. */
function dense(text) {
  let below = Number.POSITIVE_INFINITY;
  const kept = sectionsOf(text).filter(({ level, section }) => {
    if (level > below) return false;
    const heading = section.slice(level + 1, section.indexOf('\n'));
    const repeats =
      REPEATED.includes(heading) || section.includes('| Parameter | Type |\n') || NAME_ALONE.test(section);
    below = repeats ? level : Number.POSITIVE_INFINITY;
    return !repeats;
  });
  const lines = kept.flatMap(({ section }) => section.replace(/^#+ Properties\n+/, '').split('\n'));
  return lines.filter((line, at) => !/^\| `\w+\??\..*\| - \|$/.test(line) && (line !== '' || lines[at - 1] !== ''));
}

/**
 * Types that are tables of data, or inferred from a schema, are pages long: their rows below the first are left out.
 */
const readable = (line) => {
  if (line.length <= LONGEST) return [line];
  if (!line.startsWith('|')) return [`${line.slice(0, line.indexOf(':') + 1)} …`];
  const cells = line.split(/(?<!\\)\|/).slice(1, -1);
  if (/`[\w?]+\./.test(cells[0])) return [];
  return [`|${cells.map((cell) => (cell.length > LONGEST / 2 ? ' … ' : cell)).join('|')}|`];
};

execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], {
  cwd: TOOL,
  stdio: ['ignore', 'ignore', 'inherit'],
});
rmSync(OUT, { recursive: true, force: true });
execFileSync(join(TOOL, 'node_modules', '.bin', 'typedoc'), ['--options', 'typedoc.json', '--logLevel', 'Warn'], {
  cwd: TOOL,
  stdio: 'inherit',
});
for (const name of readdirSync(OUT)) {
  const path = join(OUT, name);
  writeFileSync(path, dense(readFileSync(path, 'utf8')).flatMap(readable).map(bare).map(named).join('\n'));
  console.log(`docs/api/${name}`);
}
writeFileSync(join(OUT, 'index.md'), INDEX);
