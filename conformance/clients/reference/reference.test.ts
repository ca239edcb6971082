import { describe, expect, test } from 'vitest';
import { cases } from '../../../emulator/lab/cases.js';
import { systemHost } from '../../framework/time.js';
import { checkInProcess, isInProcess, type Reader } from '../in-process.js';
import { runLine } from '../protocol.js';
import { scaled } from '../steepness.js';
import { answerRun } from './client.js';
import { inProcess } from './transport.js';

const line = { run: 'r', url: 'http://lab.test/c', base_url: 'http://lab.test', key: 'key' };

/** The reference client over responses; without mistakes, or with one. */
const reader =
  (flaw?: string): Reader =>
  (response, theCase, onEvent) =>
    answerRun(
      runLine(theCase, line),
      { transport: inProcess(() => response), host: systemHost, has: (name) => name === flaw },
      onEvent,
    );

describe('the reference client, in process', () => {
  const mine = cases.filter(isInProcess).filter(({ id }) => id !== 'http-gzip');
  test.each(mine)('$id, cut everywhere', { timeout: 120_000 }, async (theCase) => {
    const { counterexample } = await checkInProcess(theCase, reader());
    expect(counterexample).toBeUndefined();
  });
});

test('a counterexample is shrunk to the smallest set of cuts', async () => {
  const theCase = cases.find(({ id }) => id === 'sse-crlf');
  if (theCase === undefined) throw new Error('no such case');
  const { counterexample } = await checkInProcess(theCase, reader('crlfTwice'));
  expect(counterexample?.cuts).toHaveLength(1);
});

const caseOf = (id: string) => {
  const found = cases.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no case ${id}`);
  return found;
};

// A third of the case is enough to tell, and takes a ninth of the time.
test('a client that goes through all it has at each chunk is caught in process too', { timeout: 240_000 }, async () => {
  const { counterexample } = await checkInProcess(scaled(caseOf('sse-long-line'), 1 / 3), reader('rescan'));
  expect(counterexample?.judgement.differences).toMatchObject([{ what: 'time is not linear' }]);
});

test.each([
  ['sse-cr-prompt', 'holdCr'],
  ['sse-lf-prompt', 'holdUntilNext'],
  ['sse-crlf-prompt', 'holdUntilEnd'],
])('%s: an event that is held back is seen in process (%s)', async (id, flaw) => {
  const { counterexample } = await checkInProcess(caseOf(id), reader(flaw));
  expect(counterexample?.judgement.differences[0]?.what).toMatch(/^events out after write \d+$/);
});

test('who tells of no events is not judged by when they come', async () => {
  const silent: Reader = (response, theCase) => reader('holdCr')(response, theCase, () => {});
  expect((await checkInProcess(caseOf('sse-cr-prompt'), silent)).counterexample).toBeUndefined();
});
