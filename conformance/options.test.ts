import { expect, test } from 'vitest';
import { runConformance } from './index.js';
import { testConformance } from './vitest.js';

test('an unknown option is refused before anything is sent', async () => {
  let sent = 0;
  const fetch = async () => {
    sent++;
    return new Response();
  };
  const options = { url: 'http://service.test/api/v1', credentials: { api_key: 'abcdefgh' }, readonly: true, fetch };
  await expect(runConformance(options)).rejects.toThrow('unknown option readonly (did you mean readOnly?)');
  expect(() => testConformance(options)).toThrow('unknown option readonly');
  expect(sent).toBe(0);
});
