import { expect, test } from 'vitest';
import type { ClientCase } from '../../emulator/contract/client-case.js';
import { cases } from '../../emulator/lab/cases.js';
import { patient } from './evaluate.js';

const slowed = (id: string): ClientCase => {
  const found = cases.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no case ${id}`);
  return patient(found, 4);
};

test('upper limits grow, and lower ones stay', () => {
  const usual = slowed('http-retry-after-2');
  expect(usual.timeout).toBe(60_000);
  expect(usual.expect.requests?.gap_at_least).toBe(2_000);
  expect(slowed('http-leave-sse').expect.requests?.close_within).toBe(6_000);
  expect(slowed('sse-utf8').timeout).toBe(20_000);
});

test("where the client's own limit is the subject, the server waits longer too", () => {
  const { timeout, exchanges, expect: expected } = slowed('http-no-answer');
  expect([timeout, expected.within]).toEqual([4_000, 7_600]);
  expect(exchanges[0]).toMatchObject({ before: [{ wait: 8_000 }, { wait: 8_000 }, { end: 'fin' }] });
});
