import { expect, test } from 'vitest';
import { PROFILES } from '../../emulator/contract/profile.js';
import { createModel } from './model.js';
import { Recent } from './options.js';

test('a map that is full forgets what was set first, and says so', () => {
  const forgotten: string[] = [];
  const map = new Recent<string, number>(2, (_, key) => void forgotten.push(key));
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
  expect([[...map], forgotten]).toEqual([
    [
      ['b', 2],
      ['c', 4],
    ],
    ['a'],
  ]);
});

test('interns without end are not all remembered, and none is blamed for what was forgotten', () => {
  const { svc } = PROFILES;
  if (svc === undefined) throw new Error('no profile svc');
  const model = createModel({ profile: svc, publicKeys: [], caller: () => undefined });
  const exchange = (number: number, status: number) => ({
    asked: {
      number,
      at: number,
      method: 'POST',
      path: '/interns',
      query: new URLSearchParams(),
      header: () => `key-${number % 20_001}`,
      body: { kind: 'some', size: 2, text: '{}', json: {} } as const,
      caller: 'one',
      regional: false,
    },
    answered: {
      at: number,
      status,
      header: () => undefined,
      text: '',
      json: { id: `intern-${number % 20_001}`, status: 'running' },
      whole: true,
    },
  });
  for (let number = 0; number <= 20_000; number++) model.sees(exchange(number, 201));
  expect([model.interns.size, model.present.size]).toEqual([10_000, 10_000]);
  model.sees(exchange(20_001, 200));
  expect(model.interns.get('intern-0')?.made).toBeUndefined();
});
