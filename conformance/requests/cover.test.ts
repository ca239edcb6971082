import { expect, test } from 'vitest';
import { createRedactor } from '../probe/redact.js';
import { cover, isGood } from './cover.js';
import { TABLES } from './rows.js';
import { usableOf } from './send.js';

const half = () => 0.5;

test('a bad value stands alone among good ones, but for one that decides, and each value is there in the first pass', () => {
  for (const table of TABLES) {
    const [first = []] = cover(table, half);
    for (const row of first) {
      const wrong = row.values.filter(({ bad, whatever }) => bad === true && whatever !== true);
      expect(wrong.length + (row.badState ? 1 : 0), table.operation).toBeLessThanOrEqual(1);
    }
    for (const part of table.parts)
      for (const value of part)
        expect(
          first.some(({ values }) => values.includes(value)),
          value.name,
        ).toBe(true);
    for (const state of [...(table.states?.good ?? []), ...(table.states?.bad ?? [])])
      expect(
        first.some((row) => row.state === state),
        `${table.operation} ${state}`,
      ).toBe(true);
    expect(first.some(isGood)).toBe(true);
  }
});

test('over its passes a bad value meets every good value of the other parts', () => {
  for (const table of TABLES) {
    const rows = cover(table, half).flat();
    for (const [at, part] of table.parts.entries())
      for (const wrong of part.filter(({ bad }) => bad === true))
        for (const [other, column] of table.parts.entries())
          if (other !== at)
            for (const right of column.filter(({ bad }) => bad !== true))
              expect(
                rows.some(({ values }) => values.includes(wrong) && values.includes(right)),
                `${table.operation}: ${wrong.name} with ${right.name}`,
              ).toBe(true);
  }
});

test('a value that is refused whatever else is wrong meets a bad one of each other part', () => {
  for (const table of TABLES) {
    const rows = cover(table, half).flat();
    const parts = table.parts.filter((part) => part.some(({ bad }) => bad === true));
    for (const decides of table.parts.flat().filter(({ whatever }) => whatever === true))
      for (const part of parts.filter((one) => !one.includes(decides)))
        expect(
          rows.some(({ values }) => values.includes(decides) && values.some((one) => part.includes(one) && one.bad)),
          `${table.operation}: ${decides.name}`,
        ).toBe(true);
  }
});

test('at an emulator each two kinds of mistakes of different parts meet', () => {
  for (const table of TABLES) {
    const [first = []] = cover(table, half, true);
    const kinds = table.parts.map((part) => new Set(part.flatMap(({ kind, bad }) => (bad && kind) || [])));
    for (const [at, ones] of kinds.entries())
      for (const one of ones)
        for (const other of kinds.slice(at + 1).flatMap((others) => [...others]))
          expect(
            first.some(({ values }) => [one, other].every((kind) => values.some((value) => value.kind === kind))),
            `${table.operation}: ${one} and ${other}`,
          ).toBe(true);
  }
});

test('a caller who is refused meets interns in any state that lasts', () => {
  for (const table of TABLES) {
    const { good = [], bad = [] } = table.states ?? {};
    const [callers = []] = table.parts;
    const refused = cover(table, half)
      .flat()
      .filter(({ values }) => values.some((one) => one.bad && callers.includes(one)));
    for (const state of ['stopped', 'running', 'suspended'] as const) {
      if (refused.length === 0 || ![...good, ...bad].includes(state)) continue;
      expect(
        refused.some((row) => row.state === state && !row.badState),
        `${table.operation}: ${state}`,
      ).toBe(true);
    }
  }
});

test('no row comes twice', () => {
  for (const table of TABLES) {
    const rows = cover(table, half).flat();
    const ids = rows.map(({ state, values }) =>
      [state, ...values.map((value) => table.parts.flat().indexOf(value))].join(),
    );
    expect(new Set(ids).size, table.operation).toBe(ids.length);
  }
});

test('no value that is stored blacks out a sentence of the report', () => {
  const redactor = createRedactor();
  const secrets = TABLES.flatMap(({ operation, parts }) =>
    operation === 'store intern secret' ? (parts[1] ?? []) : [],
  );
  for (const { make } of secrets) {
    const { json } = make({} as never) as { json?: { value?: unknown } };
    if (typeof json?.value === 'string') redactor.learn(json.value);
  }
  const sentence = 'a caller who is over the limit for some seconds, and the first and second value of a secret';
  expect(redactor.text(sentence)).toBe(sentence);
  expect(redactor.text('zq-9926-wm')).toBe('[redacted]');
});

test('where a target lacks every caller who may ask, those who are refused ask for interns in each state', () => {
  const withKey = usableOf(TABLES, (need) => need === 'api_key');
  for (const table of withKey) {
    const [first = []] = cover(table, half);
    const [callers = []] = table.parts;
    const asked = (state?: string) => first.filter((row) => state === undefined || row.state === state);
    for (const caller of callers)
      expect(
        asked().some(({ values }) => values.includes(caller)),
        `${table.operation}: ${caller.name}`,
      ).toBe(true);
    if (callers.some(({ bad }) => bad !== true)) continue;
    expect(first.some(isGood), table.operation).toBe(false);
    for (const state of [...(table.states?.good ?? []), ...(table.states?.bad ?? [])])
      expect(
        asked(state).some(({ values }) => values.some(({ name }) => name === 'api_key')),
        `${table.operation} ${state}`,
      ).toBe(true);
  }
  expect(withKey.filter(({ parts: [callers = []] }) => callers.every(({ bad }) => bad === true))).not.toEqual([]);
});
