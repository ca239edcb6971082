import { expect, test } from 'vitest';
import { sampleResults } from '../testing/sample-results.js';
import { groups } from './groups.js';
import type { CheckResult } from './results.js';

const ANSWER = { messages: [{ role: 'tool', tool_call_id: 'c', content: 'yes' }], session_id: 's' };
const CHAT = 'POST /chat/completions';
const ALIAS = 'POST /daemon-access/sign';
const SUCCESS = 'a success (200, 201, 202, 204)';

const refused = (status: number, reason: string) =>
  `${status} ${JSON.stringify({ error: { code: status, metadata: { reason } } })}`;

/** A check that found something, at the last of its requests: `[operation, body, answer]`. */
function found(
  id: string,
  finding: { what: string; expected: unknown; actual: unknown },
  ...requests: readonly (readonly [string, unknown, string])[]
): CheckResult {
  const one = sampleResults().checks.find((check) => check.id === 'chat/fails');
  if (one?.finding === undefined) throw new Error('the sample has no such check');
  const transcript = requests.map(([operation, body, answer], number) => {
    const [method = '', path = ''] = operation.split(' ');
    const status = Number(answer.slice(0, 3));
    const request = {
      method,
      url: `http://t/api/v1/interns/${id.replace('/', '-')}${path}`,
      headers: {},
      body: JSON.stringify(body),
    };
    const pieces = [{ at: 0, text: answer.slice(4) }];
    return { number, at: 0, request, response: { at: 0, status, headers: {}, pieces } };
  });
  return { ...one, id, finding: { ...one.finding, ...finding, transcript } };
}
/** The same, asked with another credential. */
function asked(check: CheckResult, as: string): CheckResult {
  if (check.finding === undefined) throw new Error('it found nothing');
  const headers = { authorization: `Bearer [${as}]` };
  const transcript = check.finding.transcript.map((one) => ({ ...one, request: { ...one.request, headers } }));
  return { ...check, finding: { ...check.finding, transcript } };
}
const told = (checks: readonly CheckResult[]) =>
  groups(checks).map(({ title, parts }) => [title, ...parts.map((part) => part.checks.map(({ id }) => id).join(' '))]);

test('an operation that refuses a valid request as it refuses all others is one finding, the valid one first', () => {
  const no = refused(404, 'not_found');
  const checks = [
    found('sign/digest', { what: 'status of no digest', expected: 400, actual: no }, [ALIAS, {}, no]),
    found('sign/alias', { what: 'the alias', expected: 'the same', actual: 'another' }, [ALIAS, {}, no]),
    found('sign/twin', { what: 'status of the twin', expected: SUCCESS, actual: no }, [ALIAS, { ok: 1 }, no]),
    found('get/other', { what: 'status of a read', expected: 400, actual: no }, ['GET ', undefined, no]),
  ];
  expect(told(checks)).toEqual([
    [
      'POST /interns/{internId}/daemon-access/sign is answered 404 not_found, whatever is sent',
      'sign/twin',
      'sign/digest',
      'sign/alias',
    ],
    ['a read is answered 404, expected 400', 'get/other'],
  ]);
});

test('one that also succeeds, or refuses otherwise, is told finding by finding', () => {
  const no = refused(404, 'not_found');
  const other = refused(409, 'busy');
  const checks = [
    found('sign/digest', { what: 'status of no digest', expected: 400, actual: no }, [ALIAS, {}, no]),
    found('sign/twin', { what: 'status of the twin', expected: SUCCESS, actual: other }, [ALIAS, {}, other]),
  ];
  expect(groups(checks)).toHaveLength(2);
  const [digest] = checks;
  const twin = { what: 'status of the twin', expected: SUCCESS, actual: no };
  const succeeds = found('sign/twin', twin, [ALIAS, { ok: 1 }, '200 {}'], [ALIAS, { ok: 1 }, no]);
  expect(groups([digest, succeeds].filter((one) => one !== undefined))).toHaveLength(2);
});

test('an answer that is refused, and the reason that is then the wrong one, are one finding', () => {
  const no = refused(409, 'interaction_not_pending');
  const checks = [
    found('lock/silent', { what: 'reason of a reply', expected: 'busy', actual: 'x' }, [CHAT, ANSWER, no]),
    found('chat/goes-on', { what: 'the answer', expected: 'an event stream', actual: no }, [CHAT, ANSWER, no]),
  ];
  expect(told(checks)).toEqual([['the answer is 409, expected an event stream', 'chat/goes-on', 'lock/silent']]);
});

test('a refusal that contradicts what was seen is one finding, whatever was refused', () => {
  const actual = '409 busy although no run of the intern streams: {"error":{}}';
  const no = refused(409, 'busy');
  const checks = [
    found('chat/answer', { what: 'the answer', expected: 'an event stream', actual }, [CHAT, ANSWER, no]),
    found('chat/prompt', { what: 'a prompt', expected: 'an event stream', actual }, [CHAT, {}, no]),
  ];
  expect(told(checks)).toEqual([
    [
      'the answer is 409 busy although no run of the intern streams, expected an event stream',
      'chat/answer',
      'chat/prompt',
    ],
  ]);
});

test('where a session is not found again, what was sent in one is not told apart', () => {
  const finding = { what: 'a prompt to a run', expected: 'steered', actual: 'a stream of its own' };
  const sent = { session_id: 's' };
  const steered = found('chat-steering/live', finding, [CHAT, sent, '200 data: x']);
  const plain = found('chat/plain', { ...finding, what: 'a prompt' }, [CHAT, {}, '200 data: x']);
  const broken = { what: 'session_id of the second prompt', expected: 'the same as before', actual: 'another' };
  const root = found('chat-sessions/continue', broken, [CHAT, sent, '200 data: x']);
  expect(groups([steered, plain])).toHaveLength(2);
  expect(told([steered, plain, root])).toEqual([
    [
      'session_id of the second prompt is another, expected the same as before',
      'chat-sessions/continue',
      'chat-steering/live',
    ],
    ['a prompt is a stream of its own, expected steered', 'chat/plain'],
  ]);
});

test('the same request, refused in the same way although a success was due, is one finding in whichever words', () => {
  const no = refused(409, 'name_conflict');
  const body = { name: 'a' };
  const create = 'POST ';
  const checks = [
    found(
      'create/retry',
      { what: 'a repeated create', expected: 'a success', actual: no },
      [create, body, '201 {}'],
      [create, body, no],
    ),
    found(
      'model/statuses',
      { what: 'status of the create', expected: SUCCESS, actual: no },
      [create, body, '201 {}'],
      [create, body, no],
    ),
    found('create/other', { what: 'status of a create', expected: SUCCESS, actual: refused(400, 'x') }, [
      create,
      {},
      refused(400, 'x'),
    ]),
  ];
  expect(told(checks)).toEqual([
    ['a repeated create is 409, expected a success', 'create/retry', 'model/statuses'],
    [`a create is answered 400, expected ${SUCCESS}`, 'create/other'],
  ]);
});

test('what is taken from who may not send it is one finding; what is taken from who may, is not', () => {
  const yes = '200 {"signature":"x"}';
  const of = (as: string) =>
    [
      found('sign/alias', { what: 'signing with that', expected: 'a refusal (4xx)', actual: yes }, [ALIAS, {}, yes]),
      found('auth/signing', { what: `status of sign as ${as}`, expected: 403, actual: yes }, [ALIAS, {}, yes]),
    ].map((check) => asked(check, as));
  expect(groups(of('oauth_interns_only_token'))).toHaveLength(1);
  expect(groups(of('api_key'))).toHaveLength(2);
});

test.each([
  [['a', 'b', 'c'], ['a'], 'the keys is with b, c, expected only a'],
  [['a'], ['a', 'b'], 'the keys is without b, expected a, b'],
  [['secret'], [], 'the keys is secret, expected none'],
])('a list of names is told by what it has too many or too few of', (actual, expected, title) => {
  expect(groups([found('a/b', { what: 'the keys', actual, expected })])[0]?.title).toBe(title);
});
