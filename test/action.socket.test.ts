import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { commandOf } from './built.js';
import { needs } from './tools.js';

const ROOT = resolve(import.meta.dirname, '..');
const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as {
  inputs: Record<string, { description: string; default: string }>;
  outputs: Record<string, { value: string }>;
  runs: {
    using: string;
    steps: { name: string; id?: string; shell: string; env: Record<string, string>; run: string }[];
  };
};
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** The step that checks, as a runner does it: with the kit of these sources where npm would have installed it. */
function check(inputs: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'action-'));
  folders.push(folder);
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
  const env = Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, given(value)]));
  const [output, summary] = [join(folder, 'output'), join(folder, 'summary')];
  const ran = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
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
    only: 'scim/*',
    junit: 'junit.xml',
    html: 'report.html',
    args: '--runs\n1\n',
    'min-coverage': '100',
  });
  expect(said).toContain('::notice title=Conformance::');
  expect([status, outputs]).toEqual([0, { verdict: 'pass', exit: '0', report: 'intern-conformance.json' }]);
  expect(JSON.parse(read('intern-conformance.json')).options).toMatchObject({ only: ['scim/*'], runs: 1 });
  expect(read('junit.xml')).toContain('<testsuite');
  expect(read('report.html')).toContain('<html');
  expect(read('summary')).toContain('SCIM');
});

test('the action fails as the kit does: no verdict where it was called wrongly', {
  timeout: 300_000,
  ...needs('bash'),
}, () => {
  const { status, said, outputs } = check({ profile: 'nowhere.json' });
  expect([status, outputs]).toEqual([2, { verdict: '', exit: '2', report: 'intern-conformance.json' }]);
  expect(said).toContain('nowhere.json');
});

test('an input is never part of a script, and each is used', () => {
  expect(action.runs.using).toBe('composite');
  const scripts = action.runs.steps.map(({ run }) => run).join('\n');
  expect(scripts).not.toContain('${{');
  const used = action.runs.steps.flatMap(({ env }) => Object.values(env));
  expect(used.sort()).toEqual(
    Object.keys(action.inputs)
      .map((name) => `\${{ inputs.${name} }}`)
      .sort(),
  );
  for (const { value } of Object.values(action.outputs))
    expect(value).toMatch(/^\$\{\{ steps\.run\.outputs\.\w+ \}\}$/);
});
