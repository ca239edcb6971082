import { expect, test } from 'vitest';
import type { Answer } from '../probe/client.js';
import type { Send } from '../probe/request.js';
import { type Aliases, aliasAsked, byAliases } from './aliases.js';

const check = { id: 'daemon/access', requirement: 'DAEMON-1', needs: ['running'] } as const;

/** Paths that were asked, by a check that asks `paths`. */
async function asked(paths: readonly string[], over: object = {}, seed = 'one', aliases: Aliases = new Map()) {
  const sent: string[] = [];
  const { status = () => 200, ...about } = { ...check, ...over } as typeof check & {
    status?: (path: string) => number;
  };
  const send = async ({ path = '' }: Send) => {
    sent.push(path);
    return { status: status(path) } as Answer;
  };
  const by = byAliases(send, aliases, about, seed);
  const answers: number[] = [];
  for (const path of paths) answers.push((await by({ path })).status);
  return { sent, answers };
}

const OPERATION = '/interns/a/daemon';
const ALIAS = '/interns/a/daemon-access';
const many = Array.from({ length: 60 }, () => OPERATION);

test('the first goes by the alias, then about a third, again so for the same seed', async () => {
  const { sent } = await asked(many);
  expect(sent[0]).toBe(ALIAS);
  const share = sent.filter((path) => path === ALIAS).length;
  expect([share > 10, share < 35]).toEqual([true, true]);
  expect((await asked(many)).sent).toEqual(sent);
  expect((await asked(many, {}, 'two')).sent).not.toEqual(sent);
});

test('what is tried again goes the same way, though it is the first no more', async () => {
  const aliases: Aliases = new Map();
  const { sent } = await asked(many, {}, 'one', aliases);
  expect((await asked(many, {}, 'one', aliases)).sent).toEqual(sent);
});

test('others, and what checks of the alias ask, go where they were sent', async () => {
  const others = ['/interns/a', '/interns/a/daemon/logs', '/interns/daemon', ALIAS];
  expect((await asked(others)).sent).toEqual(others);
  expect((await asked(many, { requirement: 'DAEMON-3' })).sent).toEqual(many);
  expect((await asked(['/interns/a/daemon/sign'])).sent).toEqual(['/interns/a/daemon-access/sign']);
});

test('an alias that is not there costs a check nothing, is asked twice for the monitors, and then no more', async () => {
  const { sent, answers } = await asked(many, { status: (path: string) => (path === ALIAS ? 404 : 200) });
  expect(new Set(answers)).toEqual(new Set([200]));
  expect(sent.filter((path) => path === ALIAS)).toHaveLength(3);
});

test('what neither knows is the answer of the operation, until the alias has answered something', async () => {
  const unknown = await asked([OPERATION], { status: () => 404 });
  expect(unknown).toEqual({ sent: [ALIAS, OPERATION], answers: [404] });
  let first = true;
  const status = () => {
    if (!first) return 404;
    first = false;
    return 200;
  };
  const { sent } = await asked(many, { status });
  expect(sent).toHaveLength(many.length);
});

test('a finding names the alias that it was asked by', () => {
  const at = (url: string) => [{ number: 3, request: { url } }] as never;
  const found = { exchange: 3 } as never;
  expect(aliasAsked(found, at(`http://x/api/v1${ALIAS}`))).toBe('DAEMON-3');
  expect(aliasAsked(found, at(`http://x/api/v1${ALIAS}/sign`))).toBe('SIGN-11');
  expect(aliasAsked(found, at(`http://x/api/v1${OPERATION}/sign`))).toBeUndefined();
});
