import { expect, test } from 'vitest';
import { runConformance } from './index.js';
import { testConformance } from './vitest.js';

test.each([
  [{ readonly: true }, 'unknown option readonly (did you mean readOnly?)'],
  [{ readOnly: 'true' }, 'readOnly: expected a boolean; found "true"'],
  [{ only: 'LIST-1' }, 'only: expected an array of strings; found "LIST-1"'],
  [{ budget: 'huge' }, 'budget: expected quick or default or thorough; found "huge"'],
  [{ levels: ['stated'] }, 'levels: expected an array of S, P and C; found ["stated"]'],
  [{ runs: 0 }, 'runs: expected a whole number from 1; found 0'],
  [{ maxTime: '5m' }, 'maxTime: expected a number from 0; found "5m"'],
  [{ credentials: 'secret' }, 'credentials: expected an object; found string'],
])('the options %j are refused before anything is sent', async (given: object, message) => {
  let sent = 0;
  const fetch = async () => {
    sent++;
    return new Response();
  };
  const options = { url: 'http://service.test/api/v1', credentials: { api_key: 'abcdefgh' }, fetch, ...given };
  await expect(runConformance(options)).rejects.toThrow(message);
  expect(() => testConformance(options)).toThrow(message);
  expect(sent).toBe(0);
});
