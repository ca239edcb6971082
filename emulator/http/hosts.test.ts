import { expect, test } from 'vitest';
import { createHostRules, isLoopbackHost, matchRegional } from './hosts.js';

const regional = matchRegional(['eu.']);

test.each([
  ['eu.127.0.0.1:5240', 'regional'],
  ['EU.localhost', 'regional'],
  ['eu.', 'regional'],
  ['localhost', 'served'],
  ['LOCALHOST:4683', 'served'],
  ['a.b.localhost:1', 'served'],
  ['127.9.8.7', 'served'],
  ['[::1]:4683', 'served'],
  ['evil.example', 'foreign'],
  ['localhost.evil.example', 'foreign'],
  ['evil-localhost', 'foreign'],
  ['128.0.0.1', 'foreign'],
  ['[::2]', 'foreign'],
  ['eu-127.0.0.1', 'malformed'],
  ['localhost/path', 'malformed'],
  ['user@localhost', 'malformed'],
  ['1.2.3.4.5', 'malformed'],
  ['a b', 'malformed'],
  ['[::1', 'malformed'],
  ['localhost:99999', 'malformed'],
  ['', 'malformed'],
  [undefined, 'malformed'],
])('BASE-4, section 2: on a loopback listener the host %s is %s', (host, verdict) => {
  expect(createHostRules({ regional, allowed: [] })(host)).toBe(verdict);
});

test('--allow-host names what else is served; * and a listener beyond loopback serve any host', () => {
  const named = createHostRules({ regional, allowed: ['Emulator', 'app.test:80'] });
  expect(['emulator:4683', 'app.test', 'other.test'].map(named)).toEqual(['served', 'served', 'foreign']);
  for (const allowed of [['*'], undefined]) {
    const any = createHostRules({ regional, allowed });
    expect(['evil.example', 'eu.evil.example', 'eu-127.0.0.1'].map(any)).toEqual(['served', 'regional', 'malformed']);
  }
});

test('what is a loopback host', () => {
  expect(['localhost:1', 'x.localhost', '127.0.0.2', '[::1]'].every(isLoopbackHost)).toBe(true);
  expect(['', 'localhostx', '10.0.0.1', '127.0.0.1.example', 'eu-127.0.0.1'].some(isLoopbackHost)).toBe(false);
});
