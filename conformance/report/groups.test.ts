import { expect, test } from 'vitest';
import { sampleResults } from '../../test/targets/sample-results.js';
import type { AnswerGot, Mistake, Remark } from '../model/finding.js';
import type { CheckResult } from '../run/results.js';
import { groups } from './groups.js';

const ANSWER = { messages: [{ role: 'tool', tool_call_id: 'c', content: 'yes' }], session_id: 's' };
const CHAT = 'POST /chat/completions';
const ALIAS = 'POST /daemon-access/sign';
const SUCCESS = [200, 201, 202, 204];
const YES = { status: 200, text: '{"signature":"x"}' };

const textOf = (status: number, reason: string) => JSON.stringify({ error: { code: status, metadata: { reason } } });
const refused = (status: number, reason: string): AnswerGot => ({ status, reason, text: textOf(status, reason) });

const status = (of: string, got: AnswerGot, ...statuses: number[]): Mistake => ({
  wanted: { kind: 'status', class: (statuses[0] ?? 400) < 300 ? 'success' : 'refusal', statuses },
  got,
  of,
});
const streams = (of: string, got: AnswerGot, because?: Remark): Mistake => ({
  wanted: { kind: 'status', class: 'stream', statuses: [] },
  got,
  of,
  ...(because === undefined ? {} : { because }),
});
const value = (of: string, got: unknown, words: string, path = of): Mistake => ({
  wanted: { kind: 'value', path, rule: { kind: 'holds', words } },
  got,
  of,
});

/** A check that found something, at the last of its requests: `[operation, body, answer]`. */
function found(
  id: string,
  finding: Mistake,
  ...requests: readonly (readonly [string, unknown, Pick<AnswerGot, 'status' | 'text'>])[]
): CheckResult {
  const one = sampleResults().checks.find((check) => check.id === 'chat/fails');
  if (one?.finding === undefined) throw new Error('the sample has no such check');
  const transcript = requests.map(([operation, body, answer], number) => {
    const [method = '', path = ''] = operation.split(' ');
    const request = {
      method,
      url: `http://t/api/v1/interns/${id.replace('/', '-')}${path}`,
      headers: {},
      body: JSON.stringify(body),
    };
    const pieces = [{ at: 0, text: answer.text }];
    return { number, at: 0, request, response: { at: 0, status: answer.status, headers: {}, pieces } };
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
const reported = (checks: readonly CheckResult[]) =>
  groups(checks).map(({ title, parts }) => [title, ...parts.map((part) => part.checks.map(({ id }) => id).join(' '))]);

test('an operation that refuses a valid request as it refuses all others is one finding, the valid one first', () => {
  const no = refused(404, 'not_found');
  const checks = [
    found('sign/digest', status('no digest', no, 400), [ALIAS, {}, no]),
    found('sign/alias', value('the alias', 'another', 'the same'), [ALIAS, {}, no]),
    found('sign/twin', status('the twin', no, ...SUCCESS), [ALIAS, { ok: 1 }, no]),
    found('get/other', status('a read', no, 400), ['GET ', undefined, no]),
  ];
  expect(reported(checks)).toEqual([
    [
      'POST /interns/{internId}/daemon-access/sign is answered 404 not_found, whatever is sent',
      'sign/twin',
      'sign/digest',
      'sign/alias',
    ],
    ['a read is answered 404, expected 400', 'get/other'],
  ]);
});

test('one that also succeeds, or refuses in another way, is reported finding by finding', () => {
  const no = refused(404, 'not_found');
  const other = refused(409, 'busy');
  const checks = [
    found('sign/digest', status('no digest', no, 400), [ALIAS, {}, no]),
    found('sign/twin', status('the twin', other, ...SUCCESS), [ALIAS, {}, other]),
  ];
  expect(groups(checks)).toHaveLength(2);
  const [digest] = checks;
  const twin = status('the twin', no, ...SUCCESS);
  const succeeds = found('sign/twin', twin, [ALIAS, { ok: 1 }, YES], [ALIAS, { ok: 1 }, no]);
  expect(groups([digest, succeeds].filter((one) => one !== undefined))).toHaveLength(2);
});

test('an answer that is refused, and the reason that is then the wrong one, are one finding', () => {
  const no = refused(409, 'interaction_not_pending');
  const checks = [
    found('lock/silent', value('reason of a reply', 'x', 'busy'), [CHAT, ANSWER, no]),
    found('chat/goes-on', streams('the answer', no), [CHAT, ANSWER, no]),
  ];
  expect(reported(checks)).toEqual([
    [
      'the answer is 409 interaction_not_pending, expected an event stream (200, text/event-stream)',
      'chat/goes-on',
      'lock/silent',
    ],
  ]);
});

test('a refusal that contradicts what was seen is one finding, whatever was refused', () => {
  const because = { kind: 'no-run-streams', last: 'ended' } as const;
  const no = refused(409, 'busy');
  const checks = [
    found('chat/answer', streams('the answer', no, because), [CHAT, ANSWER, no]),
    found('chat/prompt', streams('a prompt', no, because), [CHAT, {}, no]),
  ];
  expect(reported(checks)).toEqual([
    [
      'the answer is 409 busy although no run of the intern streams, the last one has ended, expected an event stream (200, text/event-stream)',
      'chat/answer',
      'chat/prompt',
    ],
  ]);
});

test('where a session is not found again, what was sent in one is not separated', () => {
  const finding = value('a prompt to a run', 'a stream of its own', 'steered');
  const STREAM = { status: 200, text: 'data: x' };
  const sent = { session_id: 's' };
  const steered = found('chat-steering/live', finding, [CHAT, sent, STREAM]);
  const plain = found('chat/plain', value('a prompt', 'a stream of its own', 'steered'), [CHAT, {}, STREAM]);
  const broken = value('session_id of the second prompt', 'another', 'the same as before', 'session_id');
  const root = found('chat-sessions/continue', broken, [CHAT, sent, STREAM]);
  expect(groups([steered, plain])).toHaveLength(2);
  expect(reported([steered, plain, root])).toEqual([
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
      status('a repeated create', no, 200),
      [create, body, { status: 201, text: '{}' }],
      [create, body, no],
    ),
    found(
      'model/statuses',
      status('the create', no, ...SUCCESS),
      [create, body, { status: 201, text: '{}' }],
      [create, body, no],
    ),
    found('create/other', status('a create', refused(400, 'x'), ...SUCCESS), [create, {}, refused(400, 'x')]),
  ];
  expect(reported(checks)).toEqual([
    ['a repeated create is answered 409, expected 200', 'create/retry', 'model/statuses'],
    ['a create is answered 400, expected a success (200, 201, 202, 204)', 'create/other'],
  ]);
});

test('what is taken from who may not send it is one finding; what is taken from who may, is not', () => {
  const of = (as: string) =>
    [
      found('sign/alias', status('signing with that', YES), [ALIAS, {}, YES]),
      found('auth/signing', status(`sign as ${as}`, YES, 403), [ALIAS, {}, YES]),
    ].map((check) => asked(check, as));
  expect(groups(of('oauth_interns_only_token'))).toHaveLength(1);
  expect(groups(of('api_key'))).toHaveLength(2);
});

test.each([
  [['a', 'b', 'c'], ['a'], 'the keys is with b, c, expected only a'],
  [['a'], ['a', 'b'], 'the keys is without b, expected a, b'],
  [['secret'], [], 'the keys is secret, expected none'],
])('a list of names is described by what it has too many or too few of', (actual, expected, title) => {
  const wanted = { kind: 'value', path: 'the keys', rule: { kind: 'is', value: expected } } as const;
  expect(groups([found('a/b', { wanted, got: actual, of: 'the keys' })])[0]?.title).toBe(title);
});
