import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderOfTest } from '../../test/folders.js';
import { FLAG_NAMES, FLAGS, kebab, variable } from './flags.js';
import { resolveSettings } from './settings.js';

let folder: string;
beforeEach(() => {
  folder = folderOfTest('settings-');
});

const config = (content: unknown, name = 'intern-emulator.config.json') =>
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
const resolve = (argv: Record<string, unknown> = {}, env: Record<string, string> = {}) =>
  resolveSettings(argv, { env, folder });

test('nothing given is nothing set', () => {
  expect(resolve()).toEqual({});
});

test('a flag goes before a variable, a variable before the file', () => {
  config({ port: 1, host: 'file', seed: 'file' });
  const env = { INTERN_EMULATOR_PORT: '2', INTERN_EMULATOR_HOST: 'env' };
  expect(resolve({ port: '3' }, env)).toEqual({ port: 3, host: 'env', seed: 'file' });
});

/** A text, and a value of a config file, for each setting, and what both mean. */
const SAMPLES: Record<(typeof FLAG_NAMES)[number], [text: string, json: unknown, value: unknown]> = {
  port: ['0', 0, 0],
  daemonPort: ['0', 0, 0],
  host: ['::1', '::1', '::1'],
  data: ['/a.json', '/a.json', '/a.json'],
  fsync: ['true', true, true],
  seedFile: ['/s.json', '/s.json', '/s.json'],
  seed: ['007', '007', '007'],
  profile: ['openrouter', 'openrouter', 'openrouter'],
  clock: ['virtual', 'virtual', 'virtual'],
  scripts: ['/a,/b', ['/a', '/b'], ['/a', '/b']],
  regionalHost: ['eu.,us.', ['eu.', 'us.'], ['eu.', 'us.']],
  allowHost: ['emulator', ['emulator'], ['emulator']],
  tls: ['true', true, true],
  publicUrl: ['https://a.test', 'https://a.test', 'https://a.test'],
  publicDaemonUrl: ['http://a.test:1', 'http://a.test:1', 'http://a.test:1'],
  cors: ['https://app.test,*', ['https://app.test', '*'], ['https://app.test', '*']],
  turnsPerMinute: ['0', 0, 0],
  interactionDeadline: ['90s', '90s', 90_000],
  executionDeadline: ['1h', '1h', 3_600_000],
  keepalive: ['20ms', 20, 20],
  proofWindow: ['5m', '5m', 300_000],
  controlToken: ['secret', 'secret', 'secret'],
  signingKey: ['/k.pem', '/k.pem', '/k.pem'],
  oidcIssuer: ['https://a.test', 'https://a.test', 'https://a.test'],
  oidcAudience: ['interns', 'interns', 'interns'],
  replay: ['/a.jsonl,/b.jsonl', ['/a.jsonl', '/b.jsonl'], ['/a.jsonl', '/b.jsonl']],
  replayElse: ['emulate', 'emulate', 'emulate'],
  matches: ['/m.json', '/m.json', '/m.json'],
  chaos: ['/c.json', '/c.json', '/c.json'],
  spaceIdle: ['1h', '1h', 3_600_000],
  maxSpaces: ['50', 50, 50],
  requireV2: ['true', true, true],
  judge: ['true', true, true],
  agentsMayRun: ['true', true, true],
  pace: ['30ms', '30ms', 30],
  exitWithParent: ['true', true, true],
  json: ['1', true, true],
  quiet: ['no', false, false],
  logFormat: ['json', 'json', 'json'],
};

describe('every setting means the same from a flag, a variable and the file', () => {
  test.each(FLAG_NAMES)('%s', (name) => {
    const [text, json, value] = SAMPLES[name];
    const { type, array } = FLAGS[name];
    const flag = type === 'boolean' ? json : array ? [text] : text;
    expect(resolve({ [kebab(name)]: flag })).toEqual({ [name]: value });
    expect(resolve({}, { [variable(name)]: text })).toEqual({ [name]: value });
    config({ [name]: json });
    expect(resolve()).toEqual({ [name]: value });
  });
});

test('paths of a config file count from its folder, names of profiles do not', () => {
  config({ data: 'a.json', scripts: ['s', '/t'], profile: 'svc' }, 'other.json');
  const given = resolveSettings({ config: join(folder, 'other.json') }, { env: {}, folder: '/' });
  expect(given).toEqual({ data: join(folder, 'a.json'), scripts: [join(folder, 's'), '/t'], profile: 'svc' });
  config({ profile: './p.json' });
  expect(resolve()).toEqual({ profile: join(folder, 'p.json') });
});

describe('what cannot be used is reported with its place', () => {
  test.each([
    [{ port: '70000' }, '--port: expected a whole number from 0 to 65534; found "70000"'],
    [{ port: '' }, '--port: expected a whole number'],
    [{ port: ['1', '2'] }, '--port: given more than once'],
    [{ clock: 'fast' }, '--clock: expected real or virtual or auto; found "fast"'],
    [{ keepalive: 'soon' }, '--keepalive: expected a duration'],
    [{ keepalive: '0' }, '--keepalive: expected at least 1 ms'],
    [{ 'oidc-issuer': 'a.test' }, '--oidc-issuer: expected an http or https URL'],
    [{ config: 'none.json' }, 'none.json cannot be read: no such file'],
  ])('flags %j', (argv, message) => {
    expect(() => resolve(argv)).toThrow(message);
  });

  test.each([
    [{ INTERN_EMULATOR_PORT: 'x' }, 'INTERN_EMULATOR_PORT: expected a whole number'],
    [{ INTERN_EMULATOR_REQUIRE_V2: 'maybe' }, 'INTERN_EMULATOR_REQUIRE_V2: expected true or false'],
    [
      { INTERN_EMULATOR_CLOK: 'virtual' },
      'INTERN_EMULATOR_CLOK: unknown setting (did you mean INTERN_EMULATOR_CLOCK?)',
    ],
    [{ INTERN_EMULATOR_CONTROL_TOKEN: 'sécret' }, /^INTERN_EMULATOR_CONTROL_TOKEN: expected visible ASCII [\w, ]+$/],
    [{ INTERN_EMULATOR_SCRIPTS: 'a,,b' }, 'INTERN_EMULATOR_SCRIPTS: expected entries that are not empty'],
  ])('variables %j', (env, message) => {
    expect(() => resolve({}, env)).toThrow(message);
  });

  test.each([
    ['{"port": }', 'intern-emulator.config.json: line 1, column 10: expected a value, found "}"'],
    ['[]', 'intern-emulator.config.json: $: expected an object; found an array'],
    ['{"prot": 1}', 'intern-emulator.config.json: $.prot: unknown setting (did you mean port?)'],
    ['{"port": "1"}', 'intern-emulator.config.json: $.port: expected a number; found a string'],
    ['{"keepalive": "soon"}', 'intern-emulator.config.json: $.keepalive: expected whole milliseconds, or a text'],
    ['{"keepalive": "0s"}', 'intern-emulator.config.json: $.keepalive: expected at least 1 ms; found "0s"'],
    ['{"scripts": [1]}', 'intern-emulator.config.json: $.scripts[0]: expected a string; found a number'],
  ])('file %s', (text, message) => {
    config(text);
    expect(() => resolve()).toThrow(message);
  });
});
