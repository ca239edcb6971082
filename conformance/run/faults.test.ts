import { expect, test } from 'vitest';
import { exchangeBy } from '../judge/exchange.js';
import { createJudge } from '../judge/judge.js';
import type { Exchange } from '../model/exchange.js';
import { createModel } from '../model/model.js';
import { profileBy } from '../model/target.js';
import type { Evidence } from '../probe/evidence.js';
import { incompleteText } from '../report/words/stop.js';
import { createMonitors } from './monitors.js';
import { evaluate } from './verdict.js';

const exchange = (number: number): Exchange =>
  exchangeBy(
    {
      number,
      at: number,
      method: 'GET',
      path: '/interns/one',
      header: () => undefined,
      body: { kind: 'none' },
      caller: undefined,
      answer: { at: number, status: 404, header: () => undefined, pieces: [{ at: number, text: '{}' }], whole: true },
    },
    'ask',
  );
const breaks = (): never => {
  throw new TypeError('x is undefined');
};
const FAULT = { kind: 'fault', exchange: 7, request: 'GET /interns/one', message: 'TypeError: x is undefined' };

test('a model that throws is noted with the first exchange at which it did, and leaves alone who sent the request', () => {
  const model = createModel({ profile: profileBy('svc'), publicKeys: [], caller: () => undefined });
  const monitors = createMonitors(Object.defineProperty(model, 'sees', { value: breaks }), () => 0);
  for (const number of [7, 8]) {
    monitors.asks(exchange(number).asked, undefined);
    monitors.sees({}, { status: 404, headers: new Headers() } as never, { number } as Evidence, undefined);
  }
  expect(monitors.fault).toEqual(FAULT);
  expect(model.hasSeenAll).toBe(false);
});

test('a judge notes it, too, and goes on', () => {
  const judge = createJudge();
  const broken = exchange(7);
  Object.defineProperty(broken.answered, 'json', { get: breaks });
  judge.sees(broken);
  judge.sees({ ...exchange(8), answered: undefined });
  expect(judge.counts).toMatchObject({ seen: 2 });
  const { exit, incomplete } = judge.report();
  expect(exit).toBe(70);
  expect(incomplete).toContainEqual(FAULT);
});

test('the kit answers 70 for what is its own fault, 3 for what is the fault of an adapter, and 1 where something fails', () => {
  const cleanup = { created: 0, deleted: 0, failed: [] };
  const row = { requirement: 'GET-1', level: 'S', title: 't', duration: 1, requests: 1, properties: [] } as const;
  const pass = { ...row, id: 'a/passes', verdict: 'pass' } as const;
  const error = { message: 'x', transcript: [] };
  const others = [FAULT as Parameters<typeof incompleteText>[0]];
  const own = { ...row, id: 'a/breaks', verdict: 'error', error } as const;
  expect(evaluate([pass], { cleanup, others })).toMatchObject({ verdict: 'incomplete', exit: 70 });
  expect(evaluate([pass, own], { cleanup }).exit).toBe(70);
  expect(evaluate([pass, { ...own, error: { ...error, whose: 'adapter' } }], { cleanup }).exit).toBe(3);
  expect(evaluate([{ ...own, new: true }, pass], { cleanup }).exit).toBe(0);
  expect(evaluate([{ ...pass, verdict: 'fail' }, own], { cleanup, others }).exit).toBe(1);
  expect(others.map(incompleteText)).toEqual([
    "the kit's own fault at exchange 7 (GET /interns/one): TypeError: x is undefined",
  ]);
});
