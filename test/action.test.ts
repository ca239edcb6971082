import { expect, test } from 'vitest';
import { action } from './action.harness.js';

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
