import { expect, test } from 'vitest';
import { traceOf } from './traceparent.js';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('the example of the recommendation is read; only the last bit of the flags says that it is sampled', () => {
  const trace = { trace_id: ID, parent_id: SPAN };
  expect(traceOf(`00-${ID}-${SPAN}-01`)).toEqual({ ...trace, sampled: true });
  expect(traceOf(`00-${ID}-${SPAN}-fe`)).toEqual({ ...trace, sampled: false });
});

test('a later version may go on after a dash', () => {
  expect(traceOf(`01-${ID}-${SPAN}-01-what-will-be`)).toMatchObject({ trace_id: ID });
  expect(traceOf(`01-${ID}-${SPAN}-01`)).toMatchObject({ trace_id: ID });
});

test.each([
  ['none', null],
  ['version ff', `ff-${ID}-${SPAN}-01`],
  ['version 00 that goes on', `00-${ID}-${SPAN}-01-more`],
  ['a later version without a dash', `01-${ID}-${SPAN}-01more`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a parent of zeros', `00-${ID}-${'0'.repeat(16)}-01`],
  ['capitals', `00-${ID.toUpperCase()}-${SPAN}-01`],
  ['two in one', `00-${ID}-${SPAN}-01, 00-${ID}-${SPAN}-01`],
  ['no flags', `00-${ID}-${SPAN}`],
])('invalid is %s', (_, header) => {
  expect(traceOf(header)).toBeUndefined();
});
