import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { json } from '../conformance/report/json.js';
import { action } from './action.harness.js';
import { commandOf } from './built.js';
import { sampleResults } from './targets/sample-results.js';
import { needs } from './tools.js';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** The step that checks, as a runner does it: with the kit of these sources where npm would have installed it. */
function check(inputs: Record<string, string>, files: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'action-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const bin = join(folder, 'intern-conformance/node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  const kit = `#!/bin/sh\nexec "${process.execPath}" "${commandOf('intern-conformance')}" "$@"\n`;
  writeFileSync(join(bin, 'intern-conformance'), kit);
  chmodSync(join(bin, 'intern-conformance'), 0o755);
  const step = action.runs.steps.find(({ id }) => id === 'run');
  if (!step) throw new Error('no step has the id run');
  const given = (expression: string): string => {
    const name = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression)?.[1] ?? '';
    const input = action.inputs[name];
    if (!input) throw new Error(`${expression} is no input`);
    return inputs[name] ?? input.default;
  };
  const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, given(value)]));
  const [output, summary] = [join(folder, 'output'), join(folder, 'summary')];
  const ran = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run ?? 'exit 9'], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      ...env,
      RUNNER_TEMP: folder,
      GITHUB_ACTIONS: 'true',
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
    },
  });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const outputs = Object.fromEntries(
    read('output')
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  return { status: ran.status, said: ran.stdout + ran.stderr, outputs, read };
}

test('the action runs checks, tells the verdict, and writes the reports and the summary', {
  timeout: 300_000,
  ...needs('bash'),
}, () => {
  const { status, said, outputs, read } = check({
    only: 'scim/job*',
    junit: 'junit.xml',
    html: 'report.html',
    args: '--runs\n1\n',
    'min-coverage': '100',
    requirements: '2026-11',
    'fail-on': 'warn',
    ctrf: 'ctrf.json',
    badge: 'badge.json',
    last: 'reports/last',
  });
  expect(said).toContain('::notice title=Conformance::');
  expect([status, outputs]).toEqual([0, { verdict: 'pass', exit: '0', report: 'intern-conformance.json', broken: '' }]);
  expect(JSON.parse(read('intern-conformance.json')).options).toMatchObject({
    only: ['scim/job*'],
    runs: 1,
    requirements: '2026-11',
    failOn: 'warn',
  });
  expect(said).toContain('no report of a last run in reports/last');
  expect(JSON.parse(read('ctrf.json')).reportFormat).toBe('CTRF');
  expect(JSON.parse(read('badge.json')).message).toMatch(/^conforms/);
  expect(read('junit.xml')).toContain('<testsuite');
  expect(read('report.html')).toContain('<html');
  expect(read('summary')).toContain('SCIM');
});

test('the action compares with the last run, and writes what changed into the summary', {
  timeout: 300_000,
  ...needs('bash'),
}, () => {
  const sample = sampleResults();
  const last = json({ ...sample, checks: sample.checks.map((row) => ({ ...row, id: `scim/${row.verdict}` })) });
  const { status, said, outputs, read } = check(
    { only: 'scim/job*', args: '--runs\n1\n', last: 'reports/last' },
    { 'reports/last/intern-conformance.json': last },
  );
  expect([status, outputs.broken]).toEqual([0, '0']);
  expect(said).toMatch(/0 broken, 0 mended, \d+ new, 6 gone, 0 no longer checked/);
  expect(read('summary')).toContain('0 broken, 0 mended');
});

test('the action fails as the kit does: no verdict where it was called wrongly', {
  timeout: 300_000,
  ...needs('bash'),
}, () => {
  const { status, said, outputs } = check({ profile: 'nowhere.json' });
  expect([status, outputs]).toEqual([2, { verdict: '', exit: '2', report: 'intern-conformance.json', broken: '' }]);
  expect(said).toContain('nowhere.json');
});

test('the last report is that of the newest run that has the artefact', needs('bash'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'action-'));
  folders.push(folder);
  const step = action.runs.steps.find(({ name }) => name === 'The last report');
  // Runs 31 and 30 are known; only 30 has the artefact.
  const gh = `#!/bin/sh
case "$*" in
  "run list"*) printf '31\\n30\\n' ;;
  "run download 30"*) mkdir -p "$RUNNER_TEMP/last-conformance" && echo '{}' > "$RUNNER_TEMP/last-conformance/$KIT_ARTIFACT.json" ;;
  *) exit 1 ;;
esac
`;
  writeFileSync(join(folder, 'gh'), gh, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env.PATH}`, RUNNER_TEMP: folder, KIT_ARTIFACT: 'conformance' };
  const github = { GITHUB_REPOSITORY: 'a/b', GITHUB_WORKFLOW: 'w', GITHUB_REF_NAME: 'main' };
  const run = (more: Record<string, string>) =>
    spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step?.run ?? 'exit 9'], {
      encoding: 'utf8',
      env: { ...env, ...github, ...more },
    });
  expect(run({}).status).toBe(0);
  expect(readFileSync(join(folder, 'last-conformance/conformance.json'), 'utf8')).toBe('{}\n');
  // Without gh, or without the permission, there is nothing to compare with.
  expect(run({ PATH: process.env.PATH ?? '' }).status).toBe(0);
});
