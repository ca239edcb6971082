import { expect, test } from 'vitest';
import { readArguments } from '../../conformance/cli/arguments.js';
import { runTable } from '../../conformance/cli/table.js';
import { PROGRAM } from './program.js';
import { flagTable } from './settings.js';

const io = { out: () => {}, err: () => {}, env: {}, folder: '.', colors: false, exit: () => {} };

test('a switch takes the values that its variable takes', () => {
  const given = [
    '--fsync=1',
    '--quiet=no',
    '--json=',
    '--require-v2',
    '--no-tls',
    '--seed=1',
    '--exit-with-parent',
    'false',
  ];
  expect(readArguments(given, flagTable()).flags).toEqual({
    fsync: true,
    quiet: false,
    json: false,
    'require-v2': true,
    tls: false,
    seed: '1',
    'exit-with-parent': false,
  });
});

test.each([
  [['--quiet=maybe'], '--quiet: expected true or false; found "maybe"'],
  [['exec', 'npm', 'test'], 'exec: give the command after --, as in: exec -- npm'],
  [['--keepalive'], '--keepalive: expected a value after it'],
  [['record', 'http://x.test/api/v1?key=1'], 'record: a base URL ends in /api/v1; found "http://x.test/api/v1?key=1"'],
  [['record', 'http://x.test/?x=/api/v1'], 'record: a base URL ends in /api/v1; found "http://x.test/?x=/api/v1"'],
  [['record', 'http://x.test/#/api/v1'], 'record: a base URL ends in /api/v1; found "http://x.test/#/api/v1"'],
  [['--allow-host', 'http://x/', '--port', '0'], 'allowed host "http://x/": expected the name of a host'],
])('%j is reported in one line', async (args, message) => {
  await expect(runTable(PROGRAM, args, [], io)).rejects.toThrow(message);
});

test('the help of exec shows what holds there, and each choice is listed', () => {
  const { port, clock } = flagTable({ port: 'a free one', clock: 'auto' });
  expect([port?.fallback, clock?.fallback]).toEqual(['a free one', 'auto']);
  expect(clock?.describe).toMatch(/: real, virtual, auto$/);
  expect(flagTable().port?.fallback).toBe('4683');
});
