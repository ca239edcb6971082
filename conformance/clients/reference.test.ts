import { expect, test } from 'vitest';
import { cases } from '../../emulator/lab/cases.js';
import { reader } from '../../test/reference/reader.harness.js';
import { createIdleHost } from '../mutants/idle-host.js';
import { checkInProcess, type Reader } from './in-process.js';

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

test.each([
  ['looks at each chunk once', (chunk: number) => chunk, undefined],
  ['looks at all it has at each chunk', (_chunk: number, held: number) => held, ['time is not linear']],
])('a client that %s', async (_what, looksAt, differences) => {
  const theCase = caseOf('sse-long-line');
  let looked = 0;
  const counting: Reader = (response, one, onEvent) => {
    let held = 0;
    const counts = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        held += chunk.length;
        looked += looksAt(chunk.length, held);
        controller.enqueue(chunk);
      },
    });
    return reader()(new Response(response.body?.pipeThrough(counts), response), one, onEvent);
  };
  // Looking at a byte takes this clock 10 ms: the work counts, not the machine.
  const stopwatch = () => {
    const before = looked;
    return () => (looked - before) * 10;
  };
  const { counterexample } = await checkInProcess(theCase, counting, { cuts: 'none', stopwatch });
  expect(counterexample?.judgement.differences.map(({ what }) => what)).toEqual(differences);
});

test.each([
  ['sse-cr-prompt', 'holdCr'],
  ['sse-lf-prompt', 'holdUntilNext'],
  ['sse-crlf-prompt', 'holdUntilEnd'],
])('%s: an event that is held back is seen in process (%s)', async (id, flaw) => {
  const { counterexample } = await checkInProcess(caseOf(id), reader(flaw), { host: createIdleHost() });
  expect(counterexample?.judgement.differences[0]?.what).toMatch(/^events out after write \d+$/);
});

test('who tells of no events is not judged by when they come', async () => {
  const silent: Reader = (response, theCase) => reader('holdCr')(response, theCase, () => {});
  const host = createIdleHost();
  expect((await checkInProcess(caseOf('sse-cr-prompt'), silent, { host })).counterexample).toBeUndefined();
});
