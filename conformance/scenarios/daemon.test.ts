import { expect, test } from 'vitest';
import { Finding } from '../model/finding.js';
import type { Answer } from '../probe/client.js';
import { access } from './daemon.js';

const answered = (json: unknown) => ({ status: 200, json, text: JSON.stringify(json) }) as unknown as Answer;
/** The level at which an access record is a finding; undefined where it is none. */
function levelOf(json: unknown): string | undefined {
  try {
    access(answered(json), 'the access');
    return undefined;
  } catch (error) {
    if (!(error instanceof Finding)) throw error;
    return error.found.breaks?.level;
  }
}

test('an origin and a token are stated, their names are published', () => {
  expect(levelOf({ origin: 'https://one.test', token: 't' })).toBeUndefined();
  expect(levelOf({ daemon_origin: 'https://one.test', daemon_token: 't' })).toBe('P');
  expect(levelOf({ origin: 'https://one.test', daemon_token: 't' })).toBe('P');
});

test.each([
  ['no token', { origin: 'https://one.test' }],
  ['no origin', { token: 't', kind: 'Bearer' }],
  ['an origin alone under another name', { daemon_origin: 'https://one.test', other: 'https://two.test' }],
  ['an empty token', { daemon_origin: 'https://one.test', daemon_token: '' }],
])('a record with %s breaks what is stated', (_, json) => {
  expect(levelOf(json)).toBe('S');
});
