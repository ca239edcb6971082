// Prepares a release, and publishes nothing:
//
//   npm run release -- 0.2.0 [--dry-run]
//
// Checks that the tree is clean, the version is a later one and the changelog has something to say; runs the checks;
// sets the version, dates the changelog, writes the schemas again; commits, tags with the notes, and packs. A dry run does
// all of it in a copy that is deleted, except for the checks, which it names.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = resolve(import.meta.dirname, '..');
const CHECKS = [
  ['npm', 'run', '-s', 'check'],
  ['npm', 'run', '-s', 'test:pack'],
];

const fail = (why) => {
  throw new Error(why);
};

const numbers = (version) =>
  /^(\d+)\.(\d+)\.(\d+)$/.exec(version)?.slice(1).map(Number) ?? fail(`${version} is not a version such as 0.2.0`);

function isLater(version, than) {
  const [a, b] = [numbers(version), numbers(than)];
  const at = a.findIndex((part, index) => part !== b[index]);
  return at !== -1 && a[at] > b[at];
}

/** The changelog with the unreleased section under a version and its date. */
export function dated(changelog, version, date) {
  const unreleased = /^## Unreleased\n([\s\S]*?)(?=^## )/m.exec(changelog);
  if (!unreleased) fail('CHANGELOG.md has no section "## Unreleased" before another');
  if (unreleased[1].trim() === '') fail('CHANGELOG.md says nothing under "## Unreleased"');
  return changelog.replace('## Unreleased\n', `## Unreleased\n\n## ${version} - ${date}\n`);
}

/** The section of a changelog on a version: the notes of its release. */
export function notesOf(changelog, version) {
  const at = changelog.indexOf(`## ${version}`);
  if (at === -1) fail(`CHANGELOG.md has no section for ${version}`);
  const [heading = '', ...rest] = changelog.slice(at).split('\n');
  const end = rest.findIndex((line) => line.startsWith('## '));
  const body = (end === -1 ? rest : rest.slice(0, end)).join('\n').trim();
  return `${heading.slice(3)}\n\n${body}\n`;
}

/** Sets the version in all its places, and regenerates what depends on it. */
function prepare(folder, version, date) {
  const run = (file, ...args) => execFileSync(file, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  const change = (file, edit) => writeFileSync(join(folder, file), edit(readFileSync(join(folder, file), 'utf8')));
  change('CHANGELOG.md', (text) => dated(text, version, date));
  run('npm', 'version', version, '--no-git-tag-version', '--ignore-scripts');
  run('npm', 'run', '-s', 'schemas');
  run('npm', 'run', '-s', 'build');
  run('git', 'commit', '--quiet', '--all', '--message', `Release ${version}`);
  const notes = notesOf(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'), version);
  // Headings of the notes begin with #, which is no comment here.
  const tag = ['tag', '--annotate', `v${version}`, '--cleanup', 'verbatim'];
  run('git', ...tag, '--message', `Release ${version}\n\n${notes}`);
  const [{ filename, size }] = JSON.parse(run('npm', 'pack', '--json', '--ignore-scripts'));
  return { filename, size, notes, files: run('git', 'show', '--stat', '--format=%s', 'HEAD').trim() };
}

function main() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean', default: false } },
  });
  const [version] = positionals;
  if (version === undefined) fail('which version? npm run release -- 0.2.0 [--dry-run]');
  const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const { version: present } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  if (!isLater(version, present)) fail(`${version} is not later than ${present}`);
  const changes = git('status', '--porcelain');
  if (changes !== '') fail(`the tree is not clean:\n${changes}`);
  if (git('tag', '--list', `v${version}`) !== '') fail(`the tag v${version} exists`);
  const date = new Date().toISOString().slice(0, 10);
  dated(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version, date);

  const dry = values['dry-run'];
  for (const [file, ...args] of CHECKS) {
    if (dry) console.log(`would run: ${file} ${args.join(' ')}`);
    else execFileSync(file, args, { cwd: ROOT, stdio: 'inherit' });
  }
  const copy = dry ? mkdtempSync(join(tmpdir(), 'release-')) : undefined;
  try {
    if (copy !== undefined) {
      execFileSync('git', ['clone', '--quiet', '--shared', ROOT, copy], { stdio: 'pipe' });
      symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
      cpSync(join(ROOT, 'dist'), join(copy, 'dist'), { recursive: true });
    }
    const { filename, size, files, notes } = prepare(copy ?? ROOT, version, date);
    console.log(`${notes}\n${files}\n\n${filename}, ${(size / 1e3).toFixed(0)} kB, tagged v${version}`);
    console.log(
      dry
        ? 'This was a dry run: nothing is left of it.'
        : `Now: git push --follow-tags. The workflow .github/workflows/release.yml publishes what the tag names.`,
    );
  } finally {
    if (copy !== undefined) rmSync(copy, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  try {
    main();
  } catch (error) {
    console.error(`release: ${error.stderr || error.message}`);
    process.exitCode = 1;
  }
}
