import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROFILES } from '../../emulator/contract/profile.js';
import { closing } from '../../test/closing.js';
import { folderOfTest } from '../../test/folders.js';
import { newEmulator } from '../drivers/emulator.js';
import { readResults } from '../report/json.js';
import { called } from './called.harness.js';
import { commandOf } from './engine.js';
import { readSettings } from './settings.js';

test('the command that goes again names the file that the other settings came from', () => {
  const folder = folderOfTest('intern-again-');
  const config = join(folder, 'my staging.json');
  writeFileSync(config, '{"timeout":"7s"}');
  const settings = readSettings({ url: 'https://x.test/api/v1', config, slow: '35s', control: false }, {});
  expect(commandOf(settings)).toBe(
    `npx intern-conformance https://x.test/api/v1 --config '${config}' --slow 35s --no-control`,
  );
});

test('and all that is known of the target and how it is spoken to, but no credential and no part of the selection', () => {
  const flags = {
    url: 'https://x.test/api/v1',
    profile: 'openrouter',
    boot_timeout: '5m',
    timeout: '30s',
    rate: '0',
    oauth_subject: "o'hara",
    workspace_id: '',
    read_only: true,
    ...{ api_key: 'sk-secret', oauth_token: 'ot-secret', control_token: 'ct-secret' },
    ...{ only: ['get/*'], skip: ['x'], level: ['stated'], runs: '3', seed: 's', shard: '1/2' },
    ...{ max_time: '5m', max_requests: '10', min_coverage: '50%' },
    ...{ report: ['json=a.json'], save: 'folder' },
  };
  expect(commandOf(readSettings(flags, { INTERN_PEER_API_KEY: 'sk-other' }))).toBe(
    `npx intern-conformance https://x.test/api/v1 --profile openrouter --oauth-subject 'o'\\''hara' --read-only --timeout 30s --boot-timeout 5m --rate 0`,
  );
});

test('a finding about a signature is found again by the line that it gives', { timeout: 120_000 }, async () => {
  const folder = folderOfTest('intern-again-');
  const emulator = closing(await newEmulator({ clock: 'real', settings: { turns_per_minute: 0 } }));
  const { baseUrl } = await emulator.listen({ port: 0 });
  const { credentials, workspace_id } = emulator.target;
  const env = {
    INTERN_API_KEY: String(credentials.api_key),
    INTERN_OAUTH_TOKEN: String(credentials.oauth_token),
    INTERN_WORKSPACE_ID: workspace_id,
  };
  const [keys, profile, report] = ['keys.json', 'profile.json', 'report.json'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  // Of somebody else: no proof verifies with it.
  const x = Buffer.alloc(32, 7).toString('base64url');
  writeFileSync(keys, JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x }] }));
  writeFileSync(profile, JSON.stringify({ ...PROFILES.svc, name: 'mine' }));
  const call = async (words: readonly string[]) => {
    let out = '';
    const said = (text: string) => {
      out += text;
    };
    const { exit } = await called([...words, '--report', `json=${report}`], { out: said, err: said, env });
    const results = readResults(readFileSync(report, 'utf8'), report);
    return { exit, out, results, check: results.checks.find(({ id }) => id === 'sign/path-as-sent') };
  };
  const first = await call([
    ...[baseUrl, '--no-control', '--only', 'sign/path-as-sent', '--rate', '0'],
    ...['--profile', profile, '--public-keys', keys, '--boot-timeout', '20s', '--fail-on', 'warn'],
    ...['--ledger-dir', join(folder, 'ledgers')],
  ]);
  const replay = first.check?.finding?.replay ?? '';
  expect(replay).toContain(`--profile ${profile} --public-keys ${keys}`);
  expect(replay).toContain('--boot-timeout 20s');
  const again = await call(replay.split(' ').slice(2));
  expect(again.results.checks.map(({ id, verdict }) => [id, verdict])).toEqual([['sign/path-as-sent', 'warn']]);
  expect(again.exit).toBe(1);
});
