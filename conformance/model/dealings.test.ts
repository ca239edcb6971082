import { expect, test } from 'vitest';
import { createDealings } from './dealings.js';
import type { Answered, Asked } from './exchange.js';
import { internFacts } from './intern.js';

/** The dealings of a client with the intern `one`, whose create was answered unless it is not `made`. */
function dealing(made?: 'stopped' | 'booting' | 'running') {
  const facts = internFacts('one');
  const dealings = createDealings(new Map([['one', facts]]), (name) => name === 'bad', false, 'v2');
  let last = 0;
  const asked = (method: string, rest = '', json?: unknown, more: Partial<Asked> = {}): Asked => ({
    number: ++last,
    at: last,
    method,
    path: `/interns/one${rest === '' ? '' : `/${rest}`}`,
    query: new URLSearchParams(),
    header: () => undefined,
    body: json === undefined ? { kind: 'none' } : { kind: 'some', size: 1, text: '', json },
    caller: 'api_key',
    regional: false,
    ...more,
  });
  const record = (status: string, more = {}) => ({ id: 'one', name: 'one', status, ...more });
  const one = () => dealings.with('one');
  if (made !== undefined) {
    facts.made = { by: 'api_key', person: 'one', at: 0, number: 0, body: {} };
    dealings.created(facts, record('stopped'), made !== 'stopped', 0);
  }
  const sees = (request: Asked, at: number, more: Partial<Answered>) =>
    dealings.sees(request, {
      at,
      status: 200,
      header: () => undefined,
      text: '',
      json: undefined,
      whole: true,
      ...more,
    });
  if (made === 'running') sees(asked('GET'), 0, { json: record(made) });
  return {
    dealings,
    asked,
    one,
    leaves(request: Asked) {
      dealings.asks(request);
      return request;
    },
    /** A request, and the head of its answer. */
    does(request: Asked, status = 200, at = request.at) {
      dealings.asks(request);
      dealings.begins(request, status, at);
    },
    sees,
    reads: (status: string, more = {}) => sees(asked('GET'), last, { json: record(status, more) }),
    state: () => one().standing?.state,
  };
}

test.each([
  ['provision', 'POST', undefined, 'booting'],
  ['suspend', 'POST', undefined, 'stopped'],
  ['', 'PATCH', { description: 'new' }, 'stopped'],
  ['chat/completions', 'POST', {}, 'stopped'],
  ['daemon/sign', 'POST', {}, 'stopped'],
])('after %s (%s) it can serve another check', (rest, method, body, state) => {
  const { asked, does, state: now } = dealing('stopped');
  does(asked(method, rest, body));
  expect(now()).toBe(state);
});

test.each([
  ['its instructions', 'PATCH', '', { instructions: 'script: silent' }],
  ['its name', 'PATCH', '', { name: 'new' }],
  ['its model', 'PATCH', '', { model: 'a/b' }],
  ['what nobody can tell', 'PATCH', '', undefined],
  ['its life', 'DELETE', '', undefined],
  ['something unknown', 'POST', 'restart', undefined],
])('one that lost %s serves nobody', (_, method, rest, body) => {
  const { asked, does, state } = dealing('stopped');
  does(asked(method, rest, body), 400);
  expect(state()).toBe('stopped');
  does(asked(method, rest, body));
  expect(state()).toBeUndefined();
});

test.each([
  ['running', 'running'],
  ['provisioning', 'booting'],
  ['stopped', 'stopped'],
  ['queued', 'stopped'],
])('a read that tells %s is taken as %s', (status, state) => {
  const { one, reads } = dealing('stopped');
  reads(status, { description: 'seen' });
  expect(one().standing).toMatchObject({ state, record: { status, description: 'seen' } });
});

test('one that still runs after its suspend serves nobody', () => {
  const { asked, does, one, reads, state } = dealing('running');
  does(asked('POST', 'suspend'));
  expect(one().standing).toMatchObject({ state: 'stopped', record: { status: 'running' } });
  reads('running');
  expect(state()).toBeUndefined();
});

test.each(['failed', 'destroying', 'destroy_failed', 'what comes after'])('one that is %s serves nobody', (status) => {
  const { reads, state } = dealing('stopped');
  reads(status);
  expect(state()).toBeUndefined();
});

test('nothing is known of where one stands that no create here has made', () => {
  const { reads, state } = dealing();
  reads('running');
  expect(state()).toBeUndefined();
});

test('of two writes at once nobody can tell which was taken first, so it serves nobody', () => {
  const { asked, dealings, leaves, state } = dealing('running');
  const [one, other] = [leaves(asked('POST', 'suspend')), leaves(asked('POST', 'provision'))];
  dealings.begins(other, 202, 5);
  dealings.begins(one, 200, 6);
  expect(state()).toBeUndefined();
});

test('nor does one that was read while a write was under way, whose read may be the older', () => {
  const { asked, dealings, leaves, reads, state } = dealing('stopped');
  const [read, write] = [leaves(asked('GET')), leaves(asked('POST', 'provision'))];
  dealings.begins(read, 200, 5);
  dealings.begins(write, 202, 6);
  reads('stopped');
  expect(state()).toBeUndefined();
});

test.each([
  ['no answer came', (known: ReturnType<typeof dealing>, write: Asked) => known.dealings.lost(write)],
  ['a gateway answered', (known: ReturnType<typeof dealing>, write: Asked) => known.dealings.begins(write, 502, 5)],
])('nor one of whose write %s', (_, ends) => {
  const known = dealing('running');
  ends(known, known.leaves(known.asked('POST', 'suspend')));
  expect(known.state()).toBeUndefined();
});

test('requests one after the other, reads and talk at once leave it as it is known', () => {
  const { asked, dealings, does, leaves, state } = dealing('running');
  const prompt = leaves(asked('POST', 'chat/completions', {}));
  does(asked('GET'));
  dealings.lost(prompt);
  does(asked('POST', 'suspend'));
  expect(state()).toBe('stopped');
});

test('that it went by itself is remembered though it is provisioned again, also when another check has it', () => {
  const { asked, dealings, does, one, reads } = dealing('running');
  reads('stopped');
  does(asked('POST', 'provision'), 202);
  expect(one().went?.status).toBe('stopped');
  dealings.handed('one');
  expect(one().went).toMatchObject({ status: 'stopped', before: true });
  expect(dealings.mayHaveStopped('another')).toBe(true);
});

test('one that ran is in doubt after a finding, until it is read again', () => {
  const { dealings, reads } = dealing('running');
  expect(dealings.mayHaveStopped('one')).toBe(false);
  dealings.doubt();
  expect(dealings.mayHaveStopped('one')).toBe(true);
  reads('running');
  expect(dealings.mayHaveStopped('one')).toBe(false);
});

test('prompts are counted from the last provision on, those sent again once, those that a gateway answered not at all', () => {
  const { asked, does, one } = dealing('running');
  const first = asked('POST', 'chat/completions', {});
  does(first, 409);
  does(asked('POST', 'chat/completions', {}, { first: first.number }), 409);
  expect([...one().prompts]).toEqual([first.number]);
  does(asked('POST', 'invoke', {}), 503);
  expect([...one().prompts]).toEqual([first.number]);
  does(asked('POST', 'provision'), 202);
  expect([one().prompts.size, one().prompted]).toEqual([0, undefined]);
  const next = asked('POST', 'invoke', {});
  does(next, 202);
  expect([[...one().prompts], one().prompted, one().took]).toEqual([[next.number], next.at, true]);
});

test('an answer to a question is no prompt', () => {
  const { asked, does, one } = dealing('running');
  const messages = [{ role: 'assistant' }, { role: 'tool', tool_call_id: 'c', content: 'yes' }];
  does(asked('POST', 'chat/completions', { messages, session_id: 's' }));
  expect([one().prompts.size, one().took]).toEqual([0, false]);
});

test('an intern is engaged by an invoke and by questions, until all were answered or it was suspended', () => {
  const { asked, does, one, sees } = dealing('running');
  const asks = (call: string, at: number) =>
    sees(asked('POST', 'chat/completions', {}), at, {
      stream: { toolCalls: [{ id: call }] } as unknown as NonNullable<Answered['stream']>,
    });
  const answers = (call: string) =>
    asked('POST', 'chat/completions', { messages: [{ role: 'tool', tool_call_id: call, content: 'yes' }] });
  asks('c', 5);
  asks('d', 6);
  expect(one().engaged).toBe(5);
  does(answers('c'));
  does(answers('d'), 404);
  expect([one().engaged, one().questions.size]).toEqual([5, 1]);
  does(answers('d'));
  expect(one().engaged).toBeUndefined();
  does(asked('POST', 'invoke', {}), 202, 7);
  expect([one().engaged, one().invoked]).toEqual([7, true]);
  does(asked('POST', 'suspend'));
  expect(one().engaged).toBeUndefined();
});

test('what was refused changed nothing, and a write counts from its answer', () => {
  const { asked, dealings, does, one } = dealing();
  does(asked('PATCH'), 409);
  expect(one().wrote).toBe(Number.NEGATIVE_INFINITY);
  does(asked('DELETE'), 202, 9);
  expect([one().wrote, dealings.wrote]).toEqual([9, 9]);
});

test('a credential is shut by a 401 that it is sent with as ever, and open again by any other answer', () => {
  const { asked, dealings, does } = dealing();
  const read = (more: Partial<Asked> = {}) => asked('GET', '', undefined, { caller: 'oauth_token', ...more });
  does(read({ caller: undefined }), 401);
  does(read({ caller: 'bad' }), 401);
  does(read({ header: (name) => (name === 'host' ? 'eu.test' : undefined) }), 401);
  expect(dealings.shut()).toEqual([]);
  does(read());
  does(read(), 401);
  const opened = { method: 'GET', path: '/interns/one', json: undefined };
  expect(dealings.shut()).toEqual([{ name: 'oauth_token', opened }]);
  does(read(), 404);
  expect(dealings.shut()).toEqual([]);
});

test('a credential that was shown the daemon of an intern of this client saw it', () => {
  for (const [made, status, saw] of [
    ['running', 200, true],
    ['running', 404, false],
    [undefined, 200, false],
  ] as const) {
    const { asked, dealings, does } = dealing(made);
    does(asked('GET', 'daemon', undefined, { caller: 'oauth_token' }), status);
    expect(dealings.saw('oauth_token')).toBe(saw);
  }
});

test('a question that an answer asks which is no stream engages too, and a proof for a route is remembered', () => {
  const { asked, dealings, one, sees } = dealing('running');
  sees(asked('POST', 'chat/completions', {}), 3, { text: '{"choices":[{"finish_reason":"tool_calls"}]}' });
  expect([one().engaged, one().questions.size, dealings.signsRoutes]).toEqual([3, 1, false]);
  sees(asked('POST', 'daemon/sign', {}), 4, { status: 400, json: { v2: 'x' } });
  expect(dealings.signsRoutes).toBe(false);
  sees(asked('POST', 'daemon/sign', {}), 5, { json: { v2: 'x' } });
  expect(dealings.signsRoutes).toBe(true);
});

test('a write is lost where a gateway answered it, and not where the service did, or where it was a read', () => {
  const { asked, dealings, sees } = dealing('running');
  sees(asked('GET'), 1, { status: 502 });
  sees(asked('POST', 'suspend'), 2, { status: 503, json: { error: { code: 503 } } });
  expect(dealings.lostWrite).toBeUndefined();
  sees(asked('POST', 'suspend'), 3, { status: 502 });
  expect(dealings.lostWrite).toEqual({ request: 'POST /interns/one/suspend', status: 502, at: 3 });
});
