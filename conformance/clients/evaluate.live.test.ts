import { afterAll, expect, test } from 'vitest';
import type { ClientCase } from '../../emulator/contract/client-case.js';
import { createEmulator } from '../../emulator/index.js';
import { cases } from '../../emulator/lab/cases.js';
import { createLab } from '../../emulator/lab/lab.js';
import { referenceClient } from '../../test/reference/as-client.js';
import type { Flaw } from '../../test/reference/flaws.js';
import { systemHost } from '../probe/time.js';
import { type CaseResult, evaluate } from './evaluate.js';

const lab = createLab({ id: () => systemHost.tag(10), emulator: createEmulator });
afterAll(() => lab.close());

/** How long a busy machine may take for what the cases allow seconds. */
const PATIENCE = 5;

const evaluateCase = async (theCase: ClientCase, flaw?: Flaw): Promise<CaseResult> => {
  // A wrong client may show it by being late, and is not waited for.
  const patience = flaw === undefined ? PATIENCE : 1;
  const options = { cuts: 'few', seed: 'test', host: systemHost, patience } as const;
  return (await evaluate(theCase, referenceClient(systemHost, flaw), lab, options)).watching;
};

const caseOf = (id: string): ClientCase => {
  const found = cases.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no case ${id}`);
  return found;
};

test('the reference client passes every case over sockets', async () => {
  const isMeasured = ({ flags }: ClientCase) => flags?.includes('linear') === true;
  const left = cases.filter((one) => !isMeasured(one));
  const results: CaseResult[] = [];
  // Several at a time: most of it is waiting. Cases whose time is measured are alone, as in a run of the lab.
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) results.push(await evaluateCase(next));
  };
  await Promise.all(Array.from({ length: 24 }, worker));
  for (const one of cases.filter(isMeasured)) results.push(await evaluateCase(one));
  expect(results.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'pass-alternative')).toEqual([]);
  expect(results).toHaveLength(cases.length);
});

test('a finding shows both sides and the smallest set of cuts', async () => {
  const result = await evaluateCase(caseOf('sse-utf8'), 'decodePerChunk');
  expect(result.verdict).toBe('fail');
  expect(result.finding?.cuts).toHaveLength(1);
  expect(result.finding?.differences[0]?.expected).toMatchObject({ data: 'é € 😀' });
});

test('a proof that is sent again is seen by its nonce', async () => {
  const result = await evaluateCase(caseOf('sign-retry-503'), 'proofKept');
  expect(result.finding?.differences).toContainEqual(expect.objectContaining({ what: 'nonce of the proofs' }));
});

test('Authorization that goes to another origin is seen', async () => {
  const result = await evaluateCase(caseOf('http-redirect-307-other'), 'redirectKeepsKey');
  expect(result.finding?.differences).toContainEqual(
    expect.objectContaining({ what: 'request 2: header authorization', actual: 'sent' }),
  );
});

test('an event that is held back is not prompt', async () => {
  const result = await evaluateCase(caseOf('sse-cr-prompt'), 'holdCr');
  expect(result.finding?.differences[0]?.what).toContain('events out after write 1');
});

test('who cannot tell of events as they come skips the cases about that', async () => {
  const client = { ...referenceClient(systemHost), tells: false };
  const { watching } = await evaluate(caseOf('sse-cr-prompt'), client, lab, {
    cuts: 'few',
    seed: 'test',
    host: systemHost,
  });
  expect((await watching).verdict).toBe('skip');
});
