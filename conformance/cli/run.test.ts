import { expect, test } from 'vitest';
import { commandOf } from './run.js';

test('the command that goes again names the file that the other settings came from', () => {
  const settings = {
    url: 'https://x.test/api/v1',
    config: 'my staging.json',
    profile: undefined,
    slow: 35_000,
    control: false,
  };
  expect(commandOf(settings)).toBe(
    "intern-conformance https://x.test/api/v1 --config 'my staging.json' --slow 35s --no-control",
  );
});
