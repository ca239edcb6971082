import { expect, test } from 'vitest';
import type { Chat, ClientCase } from '../../emulator/contract/client-case.js';
import { groups } from '../report/groups.js';
import type { CheckResult } from '../run/results.js';
import { judge } from './judge.js';
import type { AnsweredChat, AnsweredEvent } from './protocol.js';
import { toCheckResult } from './report.js';

const call = (id: string, text: string) => ({ id, name: 'f', arguments: text });
const CHAT: Chat = { content: 'é, a reply', tool_calls: [], finish_reason: 'stop', usage: null };
const CALLS: Chat = { ...CHAT, tool_calls: [call('a', '{"x":1}'), call('b', '{"y":2}')], finish_reason: 'tool_calls' };
const EVENTS = ['one', 'two', 'three'].map((data) => ({ event: 'message', data, id: '' }));

const caseOf = (id: string, expected: ClientCase['expect'], why = 'RFC 1 2: a rule'): ClientCase => ({
  id,
  title: `${id}.`,
  layer: 'chat',
  class: 'valid',
  exchanges: [],
  expect: expected,
  why: [why],
  seen: [],
});

/** The row of a case that a client answered so; `cuts` are those that the answer needs. */
function failed(theCase: ClientCase, answer: Parameters<typeof judge>[1], cuts: number[] | null = null): CheckResult {
  const { differences, verdict } = judge(theCase, answer);
  expect(verdict).toBe('fail');
  const result = { id: theCase.id, verdict, runs: 1, requests: 1, finding: { differences, cuts } };
  return toCheckResult(theCase, result, { duration: 1, again: 'again' });
}

const title = (row: CheckResult) => groups([row])[0]?.title;
const answered = (expected: Chat, chat: AnsweredChat) =>
  title(failed(caseOf('c', { outcome: 'complete', chat: expected }), { outcome: 'complete', chat }));

test.each([
  [CALLS, { ...CALLS, tool_calls: [call('a', '{"x":1}')] }, 'the second tool call was lost (index 1)'],
  [CALLS, { ...CALLS, tool_calls: [call('b', '{"y":2}')] }, 'the first tool call was lost (index 0)'],
  [CALLS, { ...CALLS, tool_calls: [] }, 'the first tool call (index 0) and 1 more were lost'],
  [CALLS, { ...CALLS, tool_calls: [call('a', '{"x":1}{"y":2}')] }, 'two tool calls became one (index 0 and 1)'],
  [
    CALLS,
    { ...CALLS, tool_calls: [...CALLS.tool_calls, call('c', '{}')] },
    'a tool call was made up, as the third tool call (index 2)',
  ],
  [
    CALLS,
    { ...CALLS, tool_calls: [call('a', '{"x":1}'), call('z', '{"y":2}')] },
    'the id of the second tool call (index 1): "z", expected "b"',
  ],
  [CHAT, { ...CHAT, content: 'é, a' }, 'the text breaks off after 4 characters'],
  [CHAT, { ...CHAT, content: 'é, a reply, and more' }, 'the text goes on after its 10 characters'],
  [CHAT, { ...CHAT, content: 'é, an answer' }, 'the text is another from character 5 on'],
  [
    CHAT,
    { ...CHAT, content: '\ufffd\ufffd, a reply' },
    'a character was torn: its bytes were decoded apart from each other, and became U+FFFD',
  ],
])('%j answered %j: %s', (expected, actual, sentence) => expect(answered(expected, actual)).toBe(sentence));

test.each([
  [[EVENTS[0], EVENTS[2]], 'the second event was lost'],
  [EVENTS.slice(0, 1), 'the second event and 1 more were lost'],
  [[...EVENTS, EVENTS[0]], 'an event was made up, as the fourth event'],
  [[EVENTS[0], { data: 'tw' }, EVENTS[2]], 'the data of the second event: "tw", expected "two"'],
])('of three events %j came: %s', (events, sentence) => {
  const theCase = caseOf('c', { outcome: 'complete', events: EVENTS });
  expect(title(failed(theCase, { outcome: 'complete', events: events as AnsweredEvent[] }))).toBe(sentence);
});

test('success where the call failed is said so', () => {
  const theCase = caseOf('c', { outcome: 'error' });
  expect(title(failed(theCase, { outcome: 'complete' }))).toBe('the client reported success where the call has failed');
});

const cutBy = (id: string, chat: AnsweredChat) =>
  failed(caseOf(id, { outcome: 'complete', chat: CHAT }, `RFC 1: ${id}`), { outcome: 'complete', chat }, [3]);

test('a client that decodes each chunk for itself makes one mistake, whatever it shows as', () => {
  const rows = [
    cutBy('c-one', { ...CHAT, content: '\ufffd\ufffd, a reply' }),
    cutBy('c-two', { ...CHAT, content: 'é' }),
    cutBy('c-three', { ...CHAT, finish_reason: null }),
  ];
  const [group, ...others] = groups(rows);
  expect([group?.many, others]).toEqual(['3 cases', []]);
  expect(group?.title).toMatch(/^a character was torn/);
});

test('two symptoms of one rule are one mistake; of two rules, two', () => {
  const theCase = (id: string, why: string) => caseOf(id, { outcome: 'complete', chat: CHAT }, why);
  const lost = (id: string, why: string, content: string) =>
    failed(theCase(id, why), { outcome: 'complete', chat: { ...CHAT, content } });
  const rows = [lost('a', 'RFC 1: x', 'é'), lost('b', 'RFC 1: x', 'z'), lost('c', 'RFC 1: y', 'é')];
  expect(groups(rows).map(({ many, title: said }) => [many, said])).toEqual([
    ['2 cases', 'a rule is not kept: x'],
    ['1 case', 'the text breaks off after 1 character'],
  ]);
});

test('a finding names the page and the place of its rule', () => {
  const row = cutBy('c', { ...CHAT, content: 'é' });
  expect(row.clause).toMatchObject({ sentence: 'c', where: 'RFC 1, docs/client-rules.md#rfc-1-c' });
});
