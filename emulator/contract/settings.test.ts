import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS, settingsSchema } from './settings.js';

test('what holds where nothing is said is what the schema fills in', () => {
  expect(settingsSchema().parse({})).toEqual(DEFAULT_SETTINGS);
});
