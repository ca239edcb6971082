import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '..');
const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as {
  inputs: Record<string, { description: string; default: string }>;
  outputs: Record<string, { value: string }>;
  runs: {
    using: string;
    steps: {
      name: string;
      id?: string;
      env?: Record<string, string>;
      run?: string;
      with?: Record<string, unknown>;
    }[];
  };
};

test('an input is never part of a script, and each is used', () => {
  expect(action.runs.using).toBe('composite');
  const scripts = action.runs.steps.map(({ run = '' }) => run).join('\n');
  expect(scripts).not.toContain('${{');
  const used = action.runs.steps.flatMap((step) => [
    ...Object.values(step.env ?? {}),
    ...Object.values(step.with ?? {}),
  ]);
  expect(new Set(used.filter((value) => typeof value === 'string'))).toEqual(
    new Set(Object.keys(action.inputs).map((name) => `\${{ inputs.${name} }}`)),
  );
  for (const { value } of Object.values(action.outputs))
    expect(value).toMatch(/^\$\{\{ steps\.run\.outputs\.\w+ \}\}$/);
});
