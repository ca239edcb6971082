import { expect, test } from 'vitest';
import { z } from 'zod';
import { faultSchema } from './fault.js';
import { problem, words } from './problem.js';

const wrong = (schema: z.ZodType, value: unknown): string => {
  const { error } = schema.safeParse(value, { error: words });
  return error === undefined ? 'right' : problem(error, 'body');
};

test.each([
  [{ operation: 'list' }, 'body: expected one of status, delay, disconnect, at'],
  [
    { operation: 'lst', status: 503 },
    /^operation: expected "list", .* or "daemon-request"; found "lst" \(did you mean list\?\)$/,
  ],
  [{ operation: 'list', status: 418 }, 'status: expected 408, 429, 500, 502, 503 or 504; found 418'],
  [{ operation: 'list', status: 503, times: 'x' }, 'times: expected a number or "always"; found "x"'],
  [{ operation: 'list', status: 503, times: 0 }, 'times: expected at least 1; found 0'],
  [{ operation: 'list', status: 503, probability: 2 }, 'probability: expected at most 1; found 2'],
  [{ operation: 'get', status: 503, intern_id: 'x' }, 'intern_id: expected a UUID; found "x"'],
  [
    { operation: 'chat', status: 503, disconnect: 'mid-event' },
    'disconnect: a dropped connection has no status; give one of the two',
  ],
  [
    { operation: 'list', stauts: 503 },
    /^body: there is no "stauts" here \(did you mean status\?\); expected operation, intern_id, .* or state$/,
  ],
])('a fault %j is refused in words that say what is wrong', (fault, message) => {
  expect(wrong(faultSchema(), fault)).toMatch(message);
});

/** A key as nobody names a field. */
const LONG = 'x'.repeat(1_000_000);

const row = z.strictObject({ name: z.string().min(2), kind: z.literal('a'), note: z.string().optional() });

test.each([
  [row, { nam: 'x', kind: 'a' }, 'body: there is no "nam" here (did you mean name?); expected name, kind or note'],
  [row, { kind: 'a' }, 'name: missing'],
  [row, { name: 'ab', kind: 'b' }, 'kind: expected "a"; found "b"'],
  [row, { name: 'a', kind: 'a' }, 'name: expected at least 2 characters; found 1'],
  [row, [], 'body: expected an object; found an array'],
  [
    z.array(row),
    [
      { name: 'ab', kind: 'a' },
      { name: 5, kind: 'a' },
    ],
    '[1].name: expected a string; found a number',
  ],
  [z.object({ rows: z.array(z.int()).max(1) }), { rows: [1, 2] }, 'rows: expected at most 1 entries; found 2'],
  [z.object({ n: z.int() }), { n: 1.5 }, 'n: expected a whole number; found 1.5'],
  [
    z.union([row, z.object({ deep: z.object({ id: z.string() }) })]),
    { deep: { id: 1 } },
    'deep.id: expected a string; found a number',
  ],
  [
    z.object({
      step: z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]),
    }),
    { step: { kind: 'c' } },
    'step.kind: expected "a" or "b"; found "c"',
  ],
  [z.string('expected the id of a case'), 5, 'body: expected the id of a case'],
  [z.record(z.string().regex(/^a/, 'expected an a'), z.string()), { b: '' }, 'b: expected an a'],
  [z.record(z.string(), z.string()), { 'a\nb': 5 }, '["a\\nb"]: expected a string; found a number'],
  [z.record(z.string(), z.string()), { [LONG]: 5 }, `["${LONG.slice(0, 59)}…]: expected a string; found a number`],
  [z.strictObject({}), { [LONG]: 5 }, `body: there is no "${LONG.slice(0, 59)}… here`],
  [
    z.strictObject({}),
    Object.fromEntries('abcdefgh'.split('').map((key) => [key, 1])),
    'body: there is no "a", "b", "c", "d", "e" and 3 more here',
  ],
])('%# is reported with its place, what was expected and what was found', (schema, value, message) => {
  expect(wrong(schema, value)).toBe(message);
});
