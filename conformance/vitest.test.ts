import { describe, expect, test } from 'vitest';
import { emulatorPerFile, emulatorPerTest, judgedPerTest, testConformance } from './vitest.js';

testConformance({ only: ['update/nu*', 'model/lifecycle'], runs: 2 });

describe('an emulator per test', () => {
  const emulator = emulatorPerTest();
  const names = async () => {
    const { fetch, target } = emulator.current;
    const headers = { authorization: `Bearer ${target.credentials.api_key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'of-one-test', workspace_id: target.workspace_id });
    const answer = await fetch('/api/v1/interns', { method: 'POST', headers, body });
    return answer.status;
  };
  test('is there', async () => expect(await names()).toBe(201));
  test('and is another one for the next test', async () => expect(await names()).toBe(201));
  test('has a clock that advances by itself to what an intern waits for', async () => {
    const { clock, fetch, target } = emulator.current;
    const before = clock.now();
    const headers = { authorization: `Bearer ${target.credentials.api_key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'script: silent' }] });
    const path = `/api/v1/interns/${target.credentials.intern?.id}/chat/completions`;
    const answer = await fetch(path, { method: 'POST', headers, body });
    expect((await answer.text()).match(/: keepalive/g)).toHaveLength(9);
    expect(clock.now() - before).toBe(300_000);
  });
});

describe('an emulator per file', () => {
  const emulator = emulatorPerFile();
  const seen = new Set<unknown>();
  test('is there', () => {
    seen.add(emulator.current);
    expect(seen.size).toBe(1);
  });
  test('and is the same for the next test, on a virtual clock', async () => {
    seen.add(emulator.current);
    expect(seen.size).toBe(1);
    const before = emulator.current.clock.now();
    await emulator.current.clock.advance(60_000);
    expect(emulator.current.clock.now() - before).toBe(60_000);
  });
});

describe('a judged fetch', () => {
  const answers = [Response.json({ data: [], has_more: false }), Response.json({ data: 7 })];
  const fetch = judgedPerTest(async () => answers.shift() ?? Response.error(), { failOn: 'warn' });
  const read = async () => (await fetch('https://a.test/api/v1/interns')).json();
  test('says nothing where all is right', async () => expect(await read()).toEqual({ data: [], has_more: false }));
  test.fails('fails the test in which a rule broke', async () => expect(await read()).toEqual({ data: 7 }));
  test('and no other', () => expect(fetch.judge.counts.seen).toBe(2));
});
