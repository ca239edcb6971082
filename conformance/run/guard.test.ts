import { describe, expect, test } from 'vitest';
import { PROFILES } from '../../emulator/contract/profile.js';
import { Finding, isProven } from '../model/finding.js';
import { createOwnership } from '../model/ownership.js';
import { Skipped } from '../model/skip.js';
import type { Send } from '../probe/request.js';
import { findingText } from '../report/words/finding.js';
import { askedBy } from './exchange-of.js';
import { createGuard } from './guard.js';
import { createLedger } from './ledger.js';

interface Heard {
  readonly status: number;
  readonly json?: unknown;
}

const asked = (send: Send) => askedBy(send, { baseUrl: 'https://x.test/api/v1', profile: PROFILES.svc });

/** A guard over reads that answer in this order, the last of them from then on. */
function guarded(...answers: readonly Heard[]) {
  const waited: number[] = [];
  let reads = 0;
  let number = 0;
  const own = createOwnership({ ledger: createLedger(), prefix: 'kabcd-' });
  const guard = createGuard({
    own,
    async read(id) {
      const { status = 404, json } = answers[Math.min(reads++, answers.length - 1)] ?? {};
      own.sees({ number: ++number, path: `/interns/${id}`, status, json });
      return status;
    },
    async wait(ms) {
      waited.push(ms);
    },
  });
  const to = (method: string, path: string, json?: unknown) => guard.before(asked({ method, path, json }));
  const create = async (name: string, json: unknown) => {
    await to('POST', '/interns', { name });
    own.asks(++number, asked({ method: 'POST', path: '/interns', json: { name } }));
    return guard.after({ number, path: '/interns', status: 201, json });
  };
  return { to, create, waited, reads: () => reads };
}
const caught = (work: Promise<unknown>) => work.catch((error: unknown) => error);
async function foundBy(work: Promise<unknown>): Promise<Finding> {
  const error = await caught(work);
  if (!(error instanceof Finding)) throw new Error(`expected a finding, got ${error}`);
  return error;
}
async function skippedBy(work: Promise<unknown>) {
  const error = await caught(work);
  return error instanceof Skipped ? error.skip.because : error;
}
/** A finding in one line. */
const inOneLine = ({ found }: Finding) => {
  const { what, actual } = findingText(found);
  return `${what} is ${String(actual)}`;
};
const read = (name: string) => ({ status: 200, json: { id: 'i1', name } });

describe('the first write to an intern of the run', () => {
  test('waits for one read of it, however many there are at once', async () => {
    const { to, create, reads } = guarded(read('kabcd-1'));
    await create('kabcd-1', { id: 'i1', name: 'kabcd-1' });
    await Promise.all([
      to('PATCH', '/interns/i1', {}),
      to('POST', '/interns/i1/provision'),
      to('DELETE', '/interns/i1'),
    ]);
    await to('DELETE', '/interns/i1');
    expect(reads()).toBe(1);
  });

  test('is a finding where that shows the intern of somebody else', async () => {
    const { to, create } = guarded(read('theirs'));
    await create('kabcd-1', { id: 'i1', name: 'kabcd-1' });
    const found = await foundBy(to('PATCH', '/interns/i1', {}));
    expect(inOneLine(found)).toMatch(
      /^the intern that a create answered is another's, .*it is read as another; .*"i1".*"theirs"/,
    );
  });

  test('waits for a replica that does not have it yet', async () => {
    const { to, create, waited } = guarded({ status: 404, json: {} }, { status: 404, json: {} }, read('kabcd-1'));
    await create('kabcd-1', { id: 'i1', name: 'kabcd-1' });
    await to('PATCH', '/interns/i1', {});
    expect(waited).toEqual([500, 1_000]);
  });

  test.each([404, 500])('is not sent where its read goes on to answer %i', async (status) => {
    const { to, create, waited } = guarded({ status, json: {} });
    await create('kabcd-1', { id: 'i1', name: 'kabcd-1' });
    for (let tries = 0; tries < 2; tries++)
      expect(await skippedBy(to('PATCH', '/interns/i1', {}))).toEqual({
        kind: 'not-ours',
        how: 'unread',
        id: 'i1',
        read: status,
      });
    expect(waited.length).toBe(status === 404 ? 8 : 0);
  });
});

test.each([
  ['another name', { id: 'i1', name: 'theirs' }, /it bears another name; .*"i1".*"theirs"/],
  ['an id that leads elsewhere', { id: 'x/../i1', name: 'kabcd-1' }, /its id is no plain id .*x\/\.\.\/i1/],
])('a create that answers %s is a finding of CREATE-1, which seeing it once proves', async (_, json, says) => {
  const found = await foundBy(guarded().create('kabcd-1', json));
  expect(isProven(found.found)).toBe(true);
  expect(found.found.breaks).toEqual({ requirement: 'CREATE-1', level: 'S' });
  expect(findingText(found.found).expected).toBe('a new intern named "kabcd-1"');
  expect(inOneLine(found)).toMatch(says);
});

test('a name that breaks the published rules may become another, and what bears it is not the run’s', async () => {
  const { to, create } = guarded(read('a-name'));
  expect(await create('A name!', { id: 'i1', name: 'a-name' })).toMatchObject({ kind: 'not own' });
  expect(await skippedBy(to('DELETE', '/interns/i1'))).toEqual({ kind: 'not-ours', how: 'not-made', id: 'i1' });
});
