import { describe, expect, test } from 'vitest';
import { cases } from '../../../emulator/lab/cases.js';
import { systemHost } from '../../framework/time.js';
import { checkInProcess, isInProcess, type Reader } from '../in-process.js';
import { runLine } from '../protocol.js';
import { answerRun } from './client.js';
import { inProcess } from './transport.js';

const line = { run: 'r', url: 'http://lab.test/c', base_url: 'http://lab.test', key: 'key' };

/** The reference client over responses; without mistakes, or with one. */
const reader =
  (flaw?: string): Reader =>
  (response, theCase) =>
    answerRun(runLine(theCase, line), {
      transport: inProcess(() => response),
      host: systemHost,
      has: (name) => name === flaw,
    });

describe('the reference client, in process', () => {
  const mine = cases.filter(isInProcess).filter(({ id }) => id !== 'http-gzip');
  test.each(mine)('$id, cut everywhere', async (theCase) => {
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
